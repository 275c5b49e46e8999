"""Messages between server and indexer, split into any pieces."""

from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.values import ipc
from clew.values.communities import Community
from clew.values.ipc import (
    FRAME_BYTES_MAX,
    FrameReader,
    chunk_frame,
    message_frame,
    unpack_from_indexer,
    unpack_to_indexer,
)
from clew.values.note import Chunk, Fields, Heading, LinkKind, Note, Problem, Wikilink
from clew.values.note_words import Vectors, Words
from clew.values.packing import Unpacker
from clew.values.vault import (
    Action,
    Batch,
    CommitDates,
    ConceptRules,
    DailyNotes,
    FieldTest,
    Group,
    ReadNote,
    Rule,
    RuleFiles,
    Stamp,
)
from tests.examples import examples
from tests.tables import for_each_row

REFUSED = ValueError

texts = st.text(st.characters() | st.sampled_from("\udc80\udcff"), max_size=6)
counts, times_s = st.integers(0, 2**63 - 1), st.floats(allow_nan=False)
maybe = st.none() | texts
names = st.lists(texts, max_size=3).map(tuple)
problems = st.builds(Problem, texts, texts, st.none() | counts, texts)
fields = st.builds(
    Fields, maybe, names, names, maybe, times_s, st.none() | times_s, st.none(), st.booleans()
)
parts = st.lists(counts, max_size=2).map(tuple)  # counts of tokens
wikilinks = st.builds(Wikilink, texts, maybe, maybe, st.sampled_from(LinkKind), counts)
notes = st.builds(
    Note,
    path=texts,
    content_hash=texts,
    title=texts,
    text=texts,
    fields=fields,
    links=st.lists(wikilinks, max_size=2).map(tuple),
    tags=names,
    headings=st.lists(st.builds(Heading, counts, texts, counts), max_size=2).map(tuple),
    chunks=st.lists(st.builds(Chunk, *[counts] * 6, parts), max_size=2).map(tuple),
    problems=st.lists(problems, max_size=2).map(tuple),
    name_only=st.booleans(),
)
read_notes = st.builds(
    ReadNote, notes, st.builds(Stamp, counts, counts, counts, counts), st.booleans()
)
rules = st.builds(
    ConceptRules,
    st.frozensets(texts, max_size=2),
    st.dictionaries(texts, texts, max_size=2),
    st.lists(problems, max_size=1).map(tuple),
    texts,
)
daily_notes = st.builds(DailyNotes, texts, st.lists(problems, max_size=1).map(tuple), texts)
plain = st.one_of(texts, st.floats(allow_nan=False), st.booleans())
steps = st.one_of(
    st.builds(FieldTest, texts, texts, st.one_of(st.none(), plain, st.tuples(plain, plain))),
    st.builds(Group, st.booleans(), counts),
)
optional_texts = st.one_of(st.none(), texts)
actions = st.builds(
    Action, texts, optional_texts, optional_texts, optional_texts, st.none(), optional_texts
)
agent_rules = st.builds(Rule, texts, texts, counts, st.lists(steps, max_size=3).map(tuple), actions)
rule_files = st.builds(
    RuleFiles,
    st.lists(agent_rules, max_size=2).map(tuple),
    st.lists(problems, max_size=1).map(tuple),
    texts,
)
words = st.builds(Words, texts, st.binary(), st.binary(), st.binary())
vectors = st.builds(
    Vectors, texts, counts, st.dictionaries(texts, st.binary(max_size=9), max_size=2)
)
commits = st.builds(CommitDates, st.none() | times_s, times_s, texts)
batches = st.builds(
    Batch,
    st.lists(read_notes, max_size=2).map(tuple),
    names,
    names,
    names,
    st.none() | rules,
    st.none() | daily_notes,
    st.none() | rule_files,
    st.dictionaries(texts, times_s, max_size=2),
    st.dictionaries(texts, times_s, max_size=2),
    st.dictionaries(texts, words, max_size=2),
    st.none() | vectors,
    st.dictionaries(texts, st.none() | commits, max_size=2),
)
reports = st.builds(
    ipc.IndexerReport,
    degraded=st.dictionaries(texts, texts, max_size=2),
    problems=st.lists(problems, max_size=2).map(tuple),
    walked_at_s=times_s,
    walk_ms=times_s,
    walks=counts,
    missed=counts,
    overflows=counts,
    watched_folders=counts,
    persist_failure=maybe,
    saved_at_s=times_s,
    log_records=counts,
    root_identity=st.none() | st.tuples(counts, counts),
    communities_due=st.booleans(),
    code_due=st.booleans(),
)
from_indexer: dict[type, st.SearchStrategy[Any]] = {
    ipc.RevisionStarted: st.just(ipc.RevisionStarted(7)),
    ipc.BatchApplied: st.builds(ipc.BatchApplied, batches),
    ipc.RevisionPublished: st.just(ipc.RevisionPublished(is_new=True)),
    ipc.PartitionStarted: st.just(ipc.PartitionStarted()),
    ipc.PartitionCommunity: st.builds(
        ipc.PartitionCommunity, st.builds(Community, counts, names, names, names)
    ),
    ipc.PartitionFinished: st.builds(ipc.PartitionFinished, times_s),
    ipc.ApproximateIndexSaved: st.just(ipc.ApproximateIndexSaved()),
    ipc.ReadingProgress: st.builds(ipc.ReadingProgress, counts, counts),
    ipc.EditsSeen: st.builds(
        ipc.EditsSeen,
        st.dictionaries(texts, times_s, max_size=3),
        st.dictionaries(texts, times_s, max_size=3),
    ),
    ipc.ParsingStarted: st.builds(
        ipc.ParsingStarted, st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
    ),
    ipc.IndexerReport: reports,
    ipc.RenewalWanted: st.just(ipc.RenewalWanted()),
    ipc.WalkReply: st.builds(ipc.WalkReply, counts, counts, counts, counts, times_s, maybe),
    ipc.IgnoreRuleReply: st.builds(ipc.IgnoreRuleReply, counts, maybe),
    ipc.EdgeCountReply: st.builds(ipc.EdgeCountReply, counts, counts),
}
to_indexer: dict[type, st.SearchStrategy[Any]] = {
    ipc.Start: st.builds(
        ipc.Start, st.binary(max_size=9), names, names, st.booleans(), st.none() | counts
    ),
    ipc.WalkRequest: st.builds(ipc.WalkRequest, counts, st.booleans(), names),
    ipc.IgnoreRuleRequest: st.builds(ipc.IgnoreRuleRequest, counts, texts),
    ipc.EdgeCountRequest: st.builds(ipc.EdgeCountRequest, counts),
    ipc.GenerationMapped: st.builds(ipc.GenerationMapped, counts),
    ipc.GenerationSeen: st.builds(ipc.GenerationSeen, counts),
    ipc.ApproximateIndexRejected: st.builds(ipc.ApproximateIndexRejected, texts),
    ipc.SaveAgain: st.builds(ipc.SaveAgain),
}
SIDES: list[tuple[Unpacker[Any], dict[type, st.SearchStrategy[Any]]]] = [
    (unpack_from_indexer, from_indexer),
    (unpack_to_indexer, to_indexer),
]


def test_every_message_has_an_example() -> None:
    assert set(get_args(ipc.FromIndexer)) == set(from_indexer)
    assert set(get_args(ipc.ToIndexer)) == set(to_indexer)


def read_in_pieces(reader: FrameReader[Any], data: bytes, cuts: list[int]) -> list[Any]:
    """Feed ``data`` cut at these places; return all that was read."""
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [read for start, end in pairwise(places) for read in reader.feed(data[start:end])]


@pytest.mark.parametrize(("unpack", "kinds"), SIDES, ids=["from indexer", "to indexer"])
@given(data=st.data(), cuts=st.lists(st.integers(0, 10_000), max_size=12))
@examples(150)
def test_messages_and_chunks_arrive_whole_in_pieces_of_any_size(
    unpack: Unpacker[Any],
    kinds: dict[type, st.SearchStrategy[Any]],
    data: st.DataObject,
    cuts: list[int],
) -> None:
    said = data.draw(st.lists(st.one_of(*kinds.values(), st.binary(max_size=20)), max_size=5))
    frames = [
        chunk_frame(each) if isinstance(each, bytes) else message_frame(each) for each in said
    ]
    assert read_in_pieces(FrameReader(unpack), b"".join(frames), cuts) == said


@pytest.mark.parametrize(
    ("unpack", "kind", "kinds"),
    [(unpack, kind, kinds) for unpack, kinds in SIDES for kind in kinds],
    ids=[kind.__name__ for _, kinds in SIDES for kind in kinds],
)
@given(data=st.data())
@examples(20)
def test_every_message_is_decoded_byte_by_byte(
    unpack: Unpacker[Any],
    kind: type,
    kinds: dict[type, st.SearchStrategy[Any]],
    data: st.DataObject,
) -> None:
    message = data.draw(kinds[kind])
    frame, reader = message_frame(message), FrameReader(unpack)
    read = [each for place in range(len(frame)) for each in reader.feed(frame[place : place + 1])]
    assert read == [message]
    assert type(read[0]) is kind


def test_no_message_is_returned_before_it_is_complete() -> None:
    frame = message_frame(ipc.ReadingProgress(1, 2))
    reader = FrameReader(unpack_from_indexer)
    assert list(reader.feed(frame[:-1])) == []
    assert list(reader.feed(b"")) == []
    assert list(reader.feed(frame[-1:] + frame)) == [ipc.ReadingProgress(1, 2)] * 2


@for_each_row(
    "junk",
    [
        (FRAME_BYTES_MAX + 1).to_bytes(4, "big") + b"c",
        b"\xff" * 64,
        b"HTTP/1.1 400 Bad Request\r\n",
        b"\x00\x00\x00\x00m",
        b"\x00\x00\x00\x01m\x00",
        b"\x00\x00\x00\x02m\x00\xc1",
        b"\x00\x00\x00\x02x\x00\x90",
        message_frame(ipc.WalkRequest(1, full=True)),
        message_frame(["Progress", 1, "2"]),
        message_frame(["Progress", 1]),
        message_frame(["Stranger"]),
        message_frame("\udc80"),
    ],
)
def test_invalid_frames_are_refused(junk: bytes) -> None:
    with pytest.raises(REFUSED):
        list(FrameReader(unpack_from_indexer).feed(junk))


@given(junk=st.binary(min_size=5, max_size=60), cuts=st.lists(st.integers(0, 60), max_size=4))
def test_any_bytes_are_buffered_or_refused(junk: bytes, cuts: list[int]) -> None:
    try:
        read_in_pieces(FrameReader(unpack_from_indexer), junk, cuts)
    except ValueError:
        return
