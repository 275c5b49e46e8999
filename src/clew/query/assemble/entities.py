"""The known entities of a task: a line for each concept that it names."""

import re

from clew.engine.snapshot import Snapshot
from clew.query.assemble.mentions import LeftOut
from clew.query.notes.preview import preview
from clew.query.quoting.note_text import in_label, one_line
from clew.query.search.named import named_in
from clew.query.slices import PAUSE, Slices
from clew.text.masking.secrets import masked
from clew.text.regions.sections import first_telling
from clew.text.regions.sentences import STOPS, WIDE_STOPS
from clew.values.note import DEFAULT_TYPE

SENTENCE_CHARACTERS_MAX = 200
TYPE_CHARACTERS_MAX = 60
MENTION_CHARACTERS = 8  # from the beginning of a line, by which ``preview`` finds its sentence
_SENTENCE_END = re.compile(rf"[{STOPS}](?=\s|$)|[{WIDE_STOPS}]")
CONCEPT = "concept"  # the type that is shown for a concept without a note or a type


def known_entities(snapshot: Snapshot, task: str, left_out: LeftOut) -> Slices[list[str]]:
    """Return ``- Display (type): first sentence of its note`` for each concept that a task names.

    No sentence is shown of a note in which rules exclude lines.
    """
    lines: list[str] = []
    for named in named_in(snapshot, task):
        paths = named.paths
        if named.concept is not None:
            paths = tuple(sorted(snapshot.paths_by_concept.get(named.concept, paths)))
        display = snapshot.display(named.concept) if named.concept else None
        note = snapshot.note(paths[0]) if paths else None
        name = in_label(
            masked(display or (snapshot.title(paths[0]) if paths else named.concept or ""))[0], 80
        )
        kind, sentence = CONCEPT, ""
        if note is not None:
            kind = note.fields.type or CONCEPT
            kind = (
                CONCEPT if kind == DEFAULT_TYPE else in_label(masked(kind)[0], TYPE_CHARACTERS_MAX)
            )
            if note.chunks and paths[0] not in left_out:
                sentence = _first_sentence(note.text[note.chunks[0].start :])
        lines.append(f"- {name} ({kind})" + (f": {sentence}" if sentence else ""))
        yield PAUSE
    return lines


def _first_sentence(text: str) -> str:
    """Return the first sentence of the text of a note, below its first headings."""
    lines = text.split("\n")
    at = first_telling(lines)
    if at is None:
        return ""
    shown = preview("\n".join(lines[at:]), 1, lines[at].strip()[:MENTION_CHARACTERS])
    end = _SENTENCE_END.search(shown)
    return one_line(shown[: end.end()] if end else shown, SENTENCE_CHARACTERS_MAX)
