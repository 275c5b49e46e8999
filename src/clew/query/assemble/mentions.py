"""Parse the mentions in a task, and resolve them to the text of what they name.

| mention | names |
|---|---|
| ``@folder/note.md``, ``@note`` | a note by path or name |
| ``@[[Note]]``, ``[[Note#Heading]]`` | a note, or a part of it |
| ``memory://folder/note.md#L3-L9`` | a note, or some of its lines |
| ``concept://name`` | the note of a concept, or else what the graph tells about the concept |
| ``kv://key`` | a scratch value of the session, or else one that all sessions share |
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from clew.engine.snapshot import Snapshot
from clew.query.assemble.window import Remembered, WindowItem, shown_item
from clew.query.citations.passage_hash import line_reference, passage_hash
from clew.query.context.insights import insights
from clew.query.context.shown.concepts import insight_block
from clew.query.quoting.note_text import in_label, one_line
from clew.query.references.forms import line_fragment
from clew.query.references.fragments import lines_of, lines_of_text
from clew.query.references.locate import Place, locate_concept, locate_place
from clew.query.slices import PAUSE, Slices
from clew.query.successors import replaced_by, superseded_line
from clew.text.masking.secrets import masked, masked_lines
from clew.text.regions.wikilinks import INNER
from clew.text.uri import CONCEPT_SCHEME, SCHEME, from_uri, to_concept_uri, to_uri
from clew.values.errors import Ambiguous, UnknownNote
from clew.values.requests import Validate

MENTIONS_MAX = 100  # mentions that are looked up
CHARACTERS_MAX = 200_000  # of one note; the rest is left out
SHOWN_CHARACTERS_MAX = 200  # of a mention in a warning
KV_SCHEME = "kv://"
MENTION, RULE, WARNING = "mention", "rule", "warning"  # sources

_MENTION = re.compile(
    rf"@?!?\[\[{INNER}\]\]"
    r"|(?:memory|concept|kv)://[^\s<>\"`]{1,1000}"
    r"|(?<![^\s(])@[^\s@\[\]<>\"`]{1,400}"
)
_TRAILING = ".,;:!?)'*_"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The item that one mention names, or why there is none."""

    mention: str
    item: WindowItem | None
    path: str | None = None  # of the note
    error: str = ""  # also empty if rules exclude all that it names


# By path of a note: a flag for each line, by line number, whether rules exclude it.
LeftOut = Mapping[str, Sequence[int]]
NOTHING_LEFT_OUT: LeftOut = {}


def has_left_out(ref: str | None, left_out: LeftOut) -> bool:
    """Return whether a reference to lines names some that rules exclude."""
    uri, _, fragment = (ref or "").partition("#")
    lines, is_left_out = line_fragment(fragment), left_out.get(from_uri(uri))
    return bool(lines and is_left_out and any(is_left_out[lines.first : lines.last + 1]))


def mentions_in(text: str) -> Iterator[str]:
    """Yield the mentions in a text in their order, as they are written."""
    for match in _MENTION.finditer(text):
        mention = match[0]
        if not mention.endswith("]]"):
            mention = mention.rstrip(_TRAILING)
        if mention not in ("@", SCHEME, CONCEPT_SCHEME, KV_SCHEME):
            yield mention


def mentions_of(request: Validate) -> list[str]:
    """Return the mentions of a request, in its list and its task, each once."""
    return list(dict.fromkeys((*request.mentions, *mentions_in(request.task.text))))


def resolve_mentions(
    snapshot: Snapshot,
    mentions: Sequence[str],
    remembered: Remembered,
    now_s: float,
    left_out: LeftOut = NOTHING_LEFT_OUT,
) -> Slices[list[Resolved]]:
    """Return what the first ``MENTIONS_MAX`` mentions name, without excluded lines."""
    resolved = []
    for mention in mentions[:MENTIONS_MAX]:
        resolved.append(
            (yield from resolve(snapshot, mention, remembered, now_s, left_out=left_out))
        )
        yield PAUSE
    return resolved


def resolve(
    snapshot: Snapshot,
    mention: str,
    remembered: Remembered,
    now_s: float,
    source: str = MENTION,
    left_out: LeftOut = NOTHING_LEFT_OUT,
) -> Slices[Resolved]:
    """Return what a mention, or the reference of a rule, names, without excluded lines."""
    if mention.startswith(KV_SCHEME):
        value = remembered.scratch.get(mention.removeprefix(KV_SCHEME))
        if value is None:
            return Resolved(mention, None, error="the scratch store has no such key")
        return Resolved(mention, shown_item(value, source, mention, "high"))
    reference = mention.removeprefix("@")
    try:
        place = locate_place(snapshot, reference)
    except Ambiguous as error:
        return Resolved(mention, None, error=f"names several notes: {', '.join(error.candidates)}")
    except UnknownNote:
        return (yield from _concept(snapshot, mention, now_s, source))
    return note_item(snapshot, mention, place, source, left_out)


def note_item(
    snapshot: Snapshot,
    mention: str,
    place: Place,
    source: str,
    left_out: LeftOut,
    characters_max: int = CHARACTERS_MAX,
) -> Resolved:
    """Return a note, or the part of it at ``place``, without excluded lines."""
    note, is_left_out = snapshot.note(place.path), left_out.get(place.path)
    lines = lines_of_text(note.text)
    span = (1, len(lines))
    if place.fragment:
        named = lines_of(note, lines, place.fragment)
        if named is None:
            message = "the note has no such heading, block or lines"
            return Resolved(mention, None, error=message)
        span = named
    elif note.chunks:
        span = (min(note.chunks[0].first_line, len(lines)), len(lines))
    whole = lines[span[0] - 1 : span[1]]
    # Mask the whole text: a secret may span more lines than the mention names.
    shown_lines = masked_lines(note.text).split("\n")[span[0] - 1 : span[1]]
    if not "".join(shown_lines).strip():
        return Resolved(mention, None, error="the note has no text")
    if is_left_out is not None:
        shown_lines = [
            line for number, line in enumerate(shown_lines, span[0]) if not is_left_out[number]
        ]
    text = "\n".join(shown_lines)
    if not text.strip():
        return Resolved(mention, None, place.path)
    ref = line_reference(to_uri(place.path), span, passage_hash(whole))
    item = shown_item(text[:characters_max], source, ref, "high")
    label = f"### {in_label(masked(snapshot.title(place.path))[0])}"
    live = replaced_by(snapshot, place.path)
    head = "\n".join(filter(None, (label, f"`{ref}`", superseded_line(live))))
    uris = tuple(each.uri for each in live)
    shown = WindowItem(f"{head}\n\n{item.text}", source, ref, "high", live=uris)
    return Resolved(mention, shown, place.path)


def _concept(snapshot: Snapshot, mention: str, now_s: float, source: str) -> Slices[Resolved]:
    """Return what the graph tells about a concept without a note."""
    try:
        name = locate_concept(snapshot, mention.removeprefix("@"))
    except Ambiguous as error:
        return Resolved(mention, None, error=f"names several notes: {', '.join(error.candidates)}")
    display = snapshot.display(name) if name is not None else None
    if name is not None and display is not None:
        uri = to_concept_uri(name)
        for each in (yield from insights(snapshot, display, now_s)):
            if each.entity == uri:
                item = WindowItem(insight_block(each, "compact"), source, uri, "high")
                return Resolved(mention, item)
    return Resolved(mention, None, error="no note or concept has this name")


def mention_warnings(resolved: Sequence[Resolved], mention_count: int) -> list[WindowItem]:
    """Return a warning for each mention that names nothing, and one for those over the limit."""
    warnings = [
        WindowItem(f"{shown_mention(each.mention)}: {masked(each.error)[0]}", WARNING)
        for each in resolved
        if each.error
    ]
    if mention_count > MENTIONS_MAX:
        left = mention_count - MENTIONS_MAX
        warnings.append(
            WindowItem(f"{left:,} mentions after the first {MENTIONS_MAX}: left out", WARNING)
        )
    return warnings


def shown_mention(mention: str) -> str:
    """Return a mention as a warning shows it."""
    return f"`{one_line(masked(mention)[0], SHOWN_CHARACTERS_MAX).replace('`', chr(39))}`"
