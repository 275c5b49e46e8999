"""References after edits: whether they stand, have moved or changed, or are gone."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.engine.snapshot import Snapshot
from clew.query.citations import verify as verify_module
from clew.query.citations.passage_hash import passage_hash
from clew.query.citations.verify import verify
from clew.query.notes.read import file_meant, read, why
from clew.query.slices import finished
from clew.text.uri import to_uri
from clew.values import requests
from clew.values.errors import NotFound
from clew.values.replies import Citation
from clew.values.vault import Batch
from tests.examples import IS_LONG, examples
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.timed import check_within
from tests.vaults import NOW_S, engine_of, read_note, snapshot_of

NOTES = {
    "a.md": "---\naliases: [First]\n---\n# A\n\ntides one\n\n## Part\n\ntides two ^block\n",
    "sub/b.md": "tides three [[First]]\n\ntides four\n",
}


def states(snapshot: Snapshot, text: str) -> dict[str, str]:
    return {row.ref: row.now or row.state for row in citations(snapshot, text)}


def citations(snapshot: Snapshot, text: str) -> tuple[Citation, ...]:
    return finished(verify(snapshot, requests.Verify(text=text))).citations


@for_each_row(
    ("ref", "state"),
    [
        ("memory://a.md", "stands"),
        ("memory://a.md#L6", "stands"),
        ("memory://a.md#L6-L90", "gone"),
        ("memory://a.md#L6-L90~1a2b3c4d", "gone"),
        ("memory://a.md#L60", "gone"),
        ("memory://a.md#Part", "stands"),
        ("memory://a.md#Other", "gone"),
        ("memory://a.md#^block", "stands"),
        ("memory://gone.md#L1-L2~1a2b3c4d", "gone"),
        ("memory://a.md#L6-L6~1a2b3c4d", "changed"),
        ("memory://a.md#L60-L61~1a2b3c4d", "gone"),
        ("memory://a.md#L0-L6~1a2b3c4d", "gone"),
        ("concept://a", "stands"),
        ("concept://nothing", "gone"),
    ],
)
def test_each_form_has_its_state(ref: str, state: str) -> None:
    assert states(snapshot_of(NOTES), f"- ({ref}).") == {ref: state}


@for_each_row(
    ("ref", "state"),
    [
        ("memory://pics/tide%20curve.svg", "stands"),
        ("memory://pics/manual.pdf#page=3", "stands"),
        ("memory://pics/manual.pdf#L1-L2", "gone"),
        ("memory://pics/none.svg", "gone"),
        ("memory://manual.pdf", "gone"),
    ],
)
def test_an_attachment_stands_while_it_exists(ref: str, state: str) -> None:
    others = ("pics/tide curve.svg", "pics/manual.pdf")
    snapshot = engine_of(NOTES, others=others).snapshot
    assert states(snapshot, f"see {ref}.") == {ref: state}
    told = why(snapshot, file_meant(snapshot, ref.partition("#")[0]), None, [], NOW_S).state
    exists = any(ref.startswith(to_uri(path)) for path in others)
    assert told == ("attachment" if exists else "missing")


@pytest.mark.parametrize("name", ["a", "First", "[[a#Part]]", "sub/b.md"])
def test_a_name_alone_is_a_reference(name: str) -> None:
    assert states(snapshot_of(NOTES), f" {name}\n") == {name: "stands"}
    assert states(snapshot_of(NOTES), f"text about {name} of the sea") == {}


@for_each_row(
    ("text", "ref"),
    [
        ("see concept://acme-inc..", "concept://acme-inc."),
        ("(concept://acme-inc.), and", "concept://acme-inc."),
        ("concept://acme-inc%2E.", "concept://acme-inc%2E"),
        ("concept://q:)!", "concept://q:)"),
        ("concept://tide！", "concept://tide！"),
        ("concept://m2,", "concept://m2"),
    ],
)
def test_a_concept_whose_name_ends_with_a_sign_stands(text: str, ref: str) -> None:
    snapshot = snapshot_of({"a.md": "[[Acme Inc.]] [[Q:)]] [[tide!]] [[M2]] [[gauge]]\n"})
    assert states(snapshot, text) == {ref: "stands"}
    assert states(snapshot, "concept://gauge.) and concept://gauge,") == {
        "concept://gauge": "stands"
    }


def test_a_reference_to_lines_is_read_with_its_state() -> None:
    snapshot = snapshot_of({"a.md": "new\n\ntides one\n"})
    digits = passage_hash(["tides one"])

    def reading(ref: str) -> Any:
        citation = read(snapshot, requests.Read(uri=ref)).citation
        return citation and (citation.state, citation.now)

    assert reading(f"memory://a.md#L3-L3~{digits}") == ("stands", None)
    assert reading(f"a#L1-L1~{digits}") == ("moved", f"memory://a.md#L3-L3~{digits}")
    assert reading("[[a#L1-L1~1a2b3c4d]]") == ("changed", None)
    assert reading("memory://a.md#L1-L9~1a2b3c4d") == ("gone", None)
    assert reading("memory://a.md#L1-L3") is None


_DIGITS = passage_hash(["tides one", "tides two"])
_HASHES = st.sampled_from(
    [
        _DIGITS,
        _DIGITS.upper(),
        _DIGITS[:7],
        _DIGITS + "0",
        _DIGITS[:7] + "O",
        "1234",
        "1a2b3c4d",
        "",
    ]
)
_PARTS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["L1-L2", "L1-2", "L2-L3", "L1", "L7", "L0", "L1-L2x", "L2-L1"]),
    st.sampled_from(["~", "%7E", "%7e", "-x", "~x~y"]),
    _HASHES,
)


@examples(300)
@given(_PARTS)
def test_a_reference_to_lines_is_read_and_verified_alike(part: str) -> None:
    """The text has the hash only if it is written in full, and what is damaged never stands."""
    snapshot = snapshot_of({"a.md": "tides one\ntides two\ntides three\n"})
    ref = f"memory://a.md#{part}"
    ((listed, verified),) = states(snapshot, f"({ref}), and so on").items()
    assert listed in (ref, ref.rstrip("~"))  # what ends a sentence may belong to it
    try:
        citation = read(snapshot, requests.Read(uri=ref)).citation
    except NotFound:
        assert verified == "gone"
    else:
        assert verified == ((citation.now or citation.state) if citation else "stands")
    hash_written = part.replace("%7E", "~").replace("%7e", "~").lower().partition("~")[2]
    assert hash_written == _DIGITS or "~" not in ref or verified in ("changed", "gone")


@for_each_row("above", ["", "one\n", "one\ntwo\nthree\n"])
def test_a_read_shows_the_cited_text_where_it_stands_now(above: str) -> None:
    snapshot = snapshot_of({"a.md": f"{above}tides one\ntides two\n"})
    digits = passage_hash(["tides one", "tides two"])
    for first in (1, 2, 4, 9):
        reply = read(snapshot, requests.Read(uri=f"a#L{first}-L{first + 1}~{digits}"))
        start = above.count("\n") + 1
        assert (reply.content, reply.lines) == ("tides one\ntides two", (start, start + 1))


@pytest.mark.slow
def test_at_most_ten_thousand_references_are_checked_in_bounded_time() -> None:
    note = "\n".join(f"tides {n}" for n in range(5_000))
    snapshot = snapshot_of({"a.md": note})
    text = " ".join(f"memory://a.md#L{n + 1}-L{n + 400}~1a2b3c4d" for n in range(12_000))
    reply = check_within(6.0, lambda: finished(verify(snapshot, requests.Verify(text=text))), 1)
    assert len(reply.citations) + reply.unchecked == 12_000
    assert reply.unchecked >= 2_000
    assert {row.state for row in reply.citations} <= {"changed", "gone"}


@for_each_row(
    ("cited", "state"),
    [
        ((1_000, 3_000), "stands"),
        ((1_000, 3_005), "memory://a.md#L995-L3000"),
        ((1_000, 2_999), "changed"),
        ((3_900, 5_900), "gone"),
    ],
)
def test_a_passage_too_long_to_look_for_everywhere_has_a_state(
    cited: tuple[int, int], state: str
) -> None:
    lines = [f"tides {n}" for n in range(1, 5_001)]
    snapshot = snapshot_of({"a.md": "\n".join(lines)})
    first, last = cited
    passages = {"stands": (first, last), "changed": (1, 1)}
    start, end = passages.get(state, (995, 3_000))
    ref = f"memory://a.md#L{first}-L{last}~{passage_hash(lines[start - 1 : end])}"
    reply = finished(verify(snapshot, requests.Verify(text=f"{ref} {ref}")))
    assert reply.unchecked == 0
    (row,) = reply.citations
    assert (row.now or row.state).partition("~")[0] == state


class Edited:
    """A vault that is edited at random, and what must be said of one reference to it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = [f"line {n} of {seed}" for n in range(self.random.randint(5, 30))]
        first = self.random.randrange(len(self.lines))
        last = self.random.randint(first, min(first + 6, len(self.lines) - 1))
        self.cited = self.lines[first : last + 1]
        self.path, self.count = "note.md", 0
        self.engine = engine_of({self.path: self.text, "other.md": "another note"})
        self.ref = self._reference(first)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _reference(self, first: int) -> str:
        lines = f"L{first + 1}-L{first + len(self.cited)}"
        return f"{to_uri(self.path)}#{lines}~{passage_hash(self.cited)}"

    def edit(self) -> None:
        kind = self.random.choice(["insert", "delete", "within", "rename", "remove"])
        before = self.path
        if kind in ("insert", "delete", "within"):
            self._edit_line(kind)
        elif kind == "rename" or self.random.random() < 0.7:
            self.count += 1
            folder = self.random.choice(["", "sub/", "ümlaut dir/"])
            self.path = f"{folder}named {self.count}.md"
        else:
            self.lines, self.path = [], ""
        put = (read_note(self.path, self.text),) if self.path else ()
        self.engine.apply(Batch(put=put, dropped=() if self.path == before else (before,)))

    def _edit_line(self, kind: str) -> None:
        at = self.random.randrange(len(self.lines))
        if kind == "insert":
            self.lines.insert(at, f"new {self.random.random()}")
        elif kind == "within" or len(self.lines) == 1:
            self.lines[at] += " more"
        else:
            del self.lines[at]

    @property
    def expected(self) -> str:
        count = len(self.cited)
        for first in range(len(self.lines) - count + 1):
            if self.lines[first : first + count] == self.cited:
                now = self._reference(first)
                return "stands" if now == self.ref else now
        last = int(self.ref.partition("-L")[2].partition("~")[0])
        return "changed" if last <= len(self.lines) else "gone"


@for_each_row("seed", range(1_000 if IS_LONG else 100))
def test_after_edits_a_reference_is_never_told_wrongly(seed: int) -> None:
    edited = Edited(seed)
    for _ in range(4):
        assert states(edited.engine.snapshot, edited.ref) == {edited.ref: edited.expected}
        if edited.path:
            edited.edit()


def test_a_note_that_was_moved_unseen_is_found_by_its_name() -> None:
    digits = passage_hash(["tides three [[First]]"])
    ref = f"memory://old/b.md#L3-L3~{digits}"
    assert states(snapshot_of(NOTES), ref) == {ref: f"memory://sub/b.md#L1-L1~{digits}"}


@pytest.mark.parametrize("template", ["default", "compact", "detailed"])
def test_all_references_of_a_pack_stand_and_can_be_read_and_excluded(template: str) -> None:
    snapshot = snapshot_of(
        NOTES | {"C#.md": "tides of sharp AKIAIOSFODNN7EXAMPLE\n", "ü (1).md": "tides"}
    )
    reply = pack(snapshot, "tides", template=template, include_evidence=True)
    found = citations(snapshot, reply.context)
    assert len(found) >= 4
    assert {row.state for row in found} == {"stands"}
    assert reply.evidence
    ids = [row.memory.id for row in reply.evidence if row.source == "rag" and row.memory]
    for ref in (*(row.ref for row in found), *ids):
        if ref.startswith("memory://"):
            citation = read(snapshot, requests.Read(uri=ref)).citation
            assert citation is None or citation.state == "stands"
    refs = tuple(row.ref for row in found)
    left = pack(snapshot, "tides", template=template, exclude=refs)
    assert (left.metadata.rag_sections, left.metadata.unknown_excluded) == (0, ())


def test_references_beyond_the_first_ones_are_counted_as_unchecked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify_module, "REFERENCES_MAX", 2)
    text = "memory://a.md concept://a memory://a.md memory://sub/b.md"  # one twice
    reply = finished(verify(snapshot_of(NOTES), requests.Verify(text=text)))
    assert [row.ref for row in reply.citations] == ["memory://a.md", "concept://a"]
    assert reply.unchecked == 1


def test_lines_are_looked_for_in_the_first_eight_notes_of_the_same_name() -> None:
    hashed = f"L1-L1~{passage_hash(['tides'])}"
    ref = f"memory://gone/b.md#{hashed}"
    for first, state in ((0, "x0"), (7, "x7"), (8, "gone")):
        notes = {f"x{number}/b.md": "ebb\n" if number < first else "tides\n" for number in range(9)}
        found = states(snapshot_of(notes), ref)[ref]
        assert found == (state if state == "gone" else f"memory://{state}/b.md#{hashed}")
