"""All indexes as one file of columns: the form in which they are stored, and read in place.

The indexes must not change while a file is written, so a snapshot's copy is used. Notes, concepts
and slots keep their ids.
"""

from collections.abc import Iterator

from clew.engine.derived.importance import importance_columns, read_importance
from clew.engine.indexes import Indexes, empty_indexes
from clew.engine.name_vectors import NameVectors
from clew.engine.passages import Passages
from clew.engine.settings import EngineSettings
from clew.engine.symbols import SymbolIndex
from clew.index.code.code_index import CodeIndex
from clew.index.graph import ConceptGraph
from clew.index.mentions.mention_index import MentionIndex
from clew.index.names import NameIndex, NoteNames
from clew.index.notes.ages import NoteAges
from clew.index.notes.facts import NoteFacts, unpack_facts
from clew.index.notes.note_fields import NoteFields
from clew.index.notes.note_lists import NoteLists
from clew.index.structures import multimap
from clew.index.structures.columns import Column, file_pieces, named, split_file
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.records import Records
from clew.index.structures.stored_map import StoredMap, value_columns
from clew.index.successors.successor_index import Resolved, Statement, SuccessorIndex
from clew.index.targets import Target, TargetTable
from clew.values.code.code_file import CodeFile
from clew.values.packing import Unpacker, pack
from clew.values.vault import CommitDates, ConceptRules, DailyNotes, ReadNote, RuleFiles

LAYOUT = 42  # raise it when the columns change, or the way in which they are computed
STORED_TYPES = (
    ReadNote,
    NoteFacts,
    NoteNames,
    ConceptRules,
    DailyNotes,
    RuleFiles,
    CommitDates,
    Target,
    Statement,
    Resolved,
    CodeFile,
)  # a change of one of these types also changes the layout
NOTE_CACHE_BYTES = 4 * 1024 * 1024  # size of the records whose decoded notes are cached

_unpack_note: Unpacker[ReadNote] = Unpacker(ReadNote)
_unpack_daily_notes: Unpacker[DailyNotes] = Unpacker(DailyNotes)
_unpack_rule_files: Unpacker[RuleFiles] = Unpacker(RuleFiles)
_unpack_commits: Unpacker[CommitDates] = Unpacker(CommitDates)
_unpack_text: Unpacker[str] = Unpacker(str)


def serialize(indexes: Indexes) -> Iterator[bytes]:
    """Yield the bytes of the file of ``indexes``, which must not change until the last is taken."""
    return file_pieces(_columns(indexes))


def _columns(indexes: Indexes) -> Iterator[Column]:
    rows = indexes.graph.note_rows
    yield from named("graph", indexes.graph.columns())
    yield from named("notes", value_columns(indexes.entries, pack, rows))
    yield from named("facts", value_columns(indexes.facts, pack, rows))
    yield from named("fields", indexes.fields.columns())
    yield from named("lists", indexes.lists.columns())
    yield from named("concepts", value_columns(indexes.concept_by_path, pack, rows))
    yield from named("notesByConcept", multimap.columns(indexes.paths_by_concept))
    yield from named("names", indexes.names.columns(rows))
    yield from named("targets", indexes.targets.columns())
    yield from named("mentions", indexes.mentions.columns(rows))
    yield from named("successors", indexes.successors.columns())
    yield from named("ages", indexes.ages.columns())
    yield "dailyNotes", [pack(indexes.daily_notes)]
    yield "ruleFiles", [pack(indexes.rule_files)]
    yield from named("commits", value_columns(indexes.commits, pack, rows))
    yield from named("passages", indexes.passages.columns())
    yield from named("symbols", indexes.symbols.columns())
    yield from named("importance", importance_columns(indexes.importance))
    yield from named("nameVectors", indexes.name_vectors.columns())
    yield from named("code", indexes.code.columns())


def read_indexes(data: memoryview, settings: EngineSettings) -> Indexes:
    """Return the indexes of a file; they use its memory, which must not change.

    Raises:
        ValueError, LookupError: it is not a file of indexes.
    """
    columns = split_file(data)
    empty = empty_indexes(settings)
    graph = ConceptGraph.read(columns.of("graph"))
    paths = graph.stored_paths
    notes, facts = Records(columns.of("notes")), Records(columns.of("facts"))
    concepts, commits = Records(columns.of("concepts")), Records(columns.of("commits"))
    ages = NoteAges.read(columns.of("ages"), settings.decay, settings.half_life_days)
    symbols = SymbolIndex.read(columns.of("symbols"))
    if (len(symbols.titles), len(symbols.concepts)) != (graph.note_slots, graph.concept_slots):
        raise ValueError("symbols of other notes or concepts")
    fields = NoteFields.read(columns.of("fields"))
    if len(fields) != graph.note_slots:
        raise ValueError("fields of other notes")
    return Indexes(
        names=NameIndex.read(columns.of("names"), empty.names.naming, paths),
        ages=ages,
        daily_notes=_unpack_daily_notes(columns.data("dailyNotes")),
        rule_files=_unpack_rule_files(columns.data("ruleFiles")),
        commits=LayeredMap(StoredMap(paths, commits, _unpack_commits)),
        passages=Passages.read(columns.of("passages")),
        symbols=symbols,
        importance=read_importance(columns.of("importance"), graph),
        graph=graph,
        mentions=MentionIndex.read(columns.of("mentions"), paths),
        successors=SuccessorIndex.read(columns.of("successors")),
        targets=TargetTable.read(columns.of("targets")),
        name_vectors=NameVectors.read(columns.of("nameVectors")),
        code=CodeIndex.read(columns.of("code")),
        entries=LayeredMap(StoredMap(paths, notes, _unpack_note, NOTE_CACHE_BYTES)),
        facts=LayeredMap(StoredMap(paths, facts, unpack_facts)),
        fields=fields,
        lists=NoteLists.read(columns.of("lists")),
        concept_by_path=LayeredMap(StoredMap(paths, concepts, _unpack_text)),
        paths_by_concept=multimap.read(columns.of("notesByConcept")),
    )
