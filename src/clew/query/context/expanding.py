"""The method ``expand``: what the links and names in a text mean in the vault, in few tokens.

A name counts where it is unmistakable: it is one note's alone and, if it is a single word, written
as that note has it, and rare or no ordinary word. The text that is returned never has more tokens
than allowed: they are counted in all of it, and what does not fit is shortened or left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.engine.snapshot import Snapshot
from clew.index.mentions.name_forms import folded
from clew.index.names import canonical_target
from clew.query.graph.expand import strongest
from clew.query.notes.preview import first_words
from clew.query.quoting.note_text import in_label, one_line
from clew.query.references.locate import notes_named
from clew.query.slices import PAUSE, Slices
from clew.text.concept import spoken_form
from clew.text.counting import CountTokens
from clew.text.filename import stem_of
from clew.text.masking.secrets import masked
from clew.text.regions.wikilinks import wikilinks_in, without_wikilinks
from clew.text.uri import to_concept_uri, to_uri
from clew.values.replies import Expand
from clew.values.requests import Expand as ExpandRequest

MEANINGS_MAX = 8
LINKS_MAX = 64  # looked up
WORDS_A_SLICE = 64
NAME_WORDS_MAX = 8
RELATED_MAX = 5
NAME_CHARACTERS_MAX = 80
_PUNCTUATION = ".,;:!?\"'()[]{}<>*_`|"
_GAP = "\x00"  # in place of a link; part of no name
_HEAD = "In this vault:\n"


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A note or a concept that a text names."""

    path: str | None  # of the note
    concept: str | None  # in the graph

    @property
    def ref(self) -> str:
        """Its reference."""
        return to_uri(self.path) if self.path is not None else to_concept_uri(self.concept or "")


def expand(
    snapshot: Snapshot, request: ExpandRequest, now_s: float, count_tokens: CountTokens
) -> Slices[Expand]:
    """Return lines about what a text names, the links first, each in the order of the text."""
    meanings = dict.fromkeys(_linked(snapshot, request.text))
    yield PAUSE
    meanings.update(dict.fromkeys((yield from _named(snapshot, request.text))))
    text = ""
    refs: list[str] = []
    for meaning in meanings:
        if len(refs) == MEANINGS_MAX:
            break
        for line in _lines_about(snapshot, meaning, now_s):
            longer = f"{text or _HEAD}{line}\n"
            yield PAUSE
            if count_tokens(longer) <= request.token_budget:
                text = longer
                refs.append(meaning.ref)
                break
    return Expand(
        revision=snapshot.revision,
        text=text,
        refs=tuple(refs),
        tokens=count_tokens(text),
        more=len(meanings) - len(refs),
    )


# -- what a text names --------------------------------------------------------------------------


def _linked(snapshot: Snapshot, text: str) -> Iterator[_Meaning]:
    for number, (target, _, _) in enumerate(wikilinks_in(text)):
        if number == LINKS_MAX:
            return
        canonical = canonical_target(target, "")
        meaning = _meaning_in_vault(
            snapshot,
            snapshot.names.resolve(canonical),
            snapshot.names.concept_of_target(canonical),
        ) or _only_note_named(snapshot, canonical)
        if meaning is not None:
            yield meaning


def _only_note_named(snapshot: Snapshot, name: str) -> _Meaning | None:
    """Return the only note with this title or alias, for names that no link of the vault uses."""
    paths = notes_named(snapshot, name)
    if len(paths) != 1:
        return None
    (path,) = paths
    return _meaning_in_vault(snapshot, path, snapshot.names.concept_of_note(path))


def _named(snapshot: Snapshot, text: str) -> Slices[list[_Meaning]]:
    """Return the notes that a text names outside of links; the longest name at each word."""
    text = without_wikilinks(text, f" {_GAP} ")
    words = folded(text).split()
    found: list[_Meaning] = []
    start = paused_at = 0
    while start < len(words):
        start, meaning = _longest_name(snapshot, words, start, text)
        if meaning is not None:
            found.append(meaning)
        if start - paused_at >= WORDS_A_SLICE:
            paused_at = start
            yield PAUSE
    return found


def _longest_name(
    snapshot: Snapshot, words: Sequence[str], start: int, text: str
) -> tuple[int, _Meaning | None]:
    """Return the index to continue at, and the note whose name begins at a word, if any."""
    for stop in range(min(start + NAME_WORDS_MAX, len(words)), start, -1):
        written = " ".join(words[start:stop])
        for name in dict.fromkeys((written, written.strip(_PUNCTUATION))):
            path = snapshot.mentions.note_named(name)
            if path is not None and _is_unmistakable(snapshot, path, name, text):
                return stop, _meaning_in_vault(snapshot, path, snapshot.names.concept_of_note(path))
    return start + 1, None


def _is_unmistakable(snapshot: Snapshot, path: str, name: str, text: str) -> bool:
    """Return whether a name that is one note's alone means that note in ``text``.

    A single word does if ``text`` has it as the note writes it, and the word is rare or has a
    capital letter or a digit after its first letter.
    """
    if " " in name:
        return True
    note = snapshot.note(path)
    forms = (form.strip() for form in (note.title, stem_of(path), *note.fields.aliases))
    written = [form for form in forms if form in text and folded(form) == name]
    is_odd = any(c.isupper() or c.isdigit() for form in written for c in form[1:])
    return bool(written) and (is_odd or snapshot.mentions.is_rare(name))


def _meaning_in_vault(snapshot: Snapshot, path: str | None, concept: str | None) -> _Meaning | None:
    """Return the meaning if the vault has the note, or a note mentions the concept."""
    if concept is not None and snapshot.graph.concept_id(concept) is None:
        concept = None
    if path is None or path not in snapshot.entries:
        notes = sorted(snapshot.paths_by_concept.get(concept, ())) if concept is not None else []
        path = notes[0] if len(notes) == 1 else None
    return None if path is None and concept is None else _Meaning(path, concept)


# -- lines about it -----------------------------------------------------------------------------


def _lines_about(snapshot: Snapshot, meaning: _Meaning, now_s: float) -> Iterator[str]:
    """Yield lines about a note or concept, each shorter than the one before."""
    head = f"- {_title(snapshot, meaning)} ({meaning.ref})"
    about = _about(snapshot, meaning)
    if related := _related(snapshot, meaning, now_s):
        yield f"{head}{about.removesuffix('.')}; with {', '.join(related)}"
    yield head + about
    yield head


def _title(snapshot: Snapshot, meaning: _Meaning) -> str:
    if meaning.path is not None:
        name = snapshot.title(meaning.path)
    else:
        name = _display(snapshot, meaning.concept or "")
    return in_label(masked(name)[0], NAME_CHARACTERS_MAX)


def _about(snapshot: Snapshot, meaning: _Meaning) -> str:
    if meaning.path is not None:
        words = first_words(snapshot.note(meaning.path).text)
        return f": {one_line(words, len(words))}" if words else ""
    concept_id = snapshot.graph.concept_id(meaning.concept or "")
    assert concept_id is not None
    newest = snapshot.newest_paths(snapshot.graph.notes_of(concept_id), 1)
    return f": in {snapshot.graph.note_count(concept_id)} notes, such as {to_uri(newest[0])}"


def _related(snapshot: Snapshot, meaning: _Meaning, now_s: float) -> list[str]:
    concept_id = snapshot.graph.concept_id(meaning.concept) if meaning.concept else None
    if concept_id is None:
        return []
    ranked = strongest(snapshot.graph, snapshot.neighbours(concept_id, now_s), RELATED_MAX)
    names = (masked(_display(snapshot, row[2]))[0] for row in ranked)
    return [in_label(name, NAME_CHARACTERS_MAX) for name in names]


def _display(snapshot: Snapshot, concept: str) -> str:
    return snapshot.display(concept) or spoken_form(concept)
