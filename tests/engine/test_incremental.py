"""After any sequence of changes, the state equals that of a rebuild, byte for byte.

Search finds the same notes with the same scores, too.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from clew.engine import indexes
from clew.engine.apply import Engine
from clew.engine.dump import dump
from clew.engine.embedding import vectors_of
from clew.engine.persist.index_file import read_indexes
from clew.engine.settings import ConceptSource, EngineSettings
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.text.passages import count_note_words
from clew.values.note_words import Vectors
from clew.values.vault import Batch, ReadCode, ReadNote, Stamp
from clew.vault.settings.concept_rules import parse_concept_rules
from tests.answers import found, setting_of
from tests.encoders import FakeEncoder
from tests.examples import IS_QUICK, examples
from tests.rankings import ranked
from tests.stored import lists_of, read_back, stored
from tests.vaults import read_note

if TYPE_CHECKING:
    from clew.engine.snapshot import Snapshot

pytestmark = pytest.mark.slow
PYTHON = BY_NAME["python"]

# A few similar names, so that stems clash, aliases are contested and links change their meaning.
PATHS = st.sampled_from(
    [
        *("a.md", "b.md", "x/a.md", "x/A b.md", "y/a_b.md", "y/b.markdown", "c d.md", "x/y/b.md"),
        *("x/y/a.md", "x/z/A b.md"),
        *("x___a.md", "y/Y%2Fb.md", "%2Fx%3Aa.md"),
    ]
)
OTHERS = st.sampled_from(["p.png", "x/p.png", "x/c d.md", "templates/a.md"])
NAMES = [
    "a",
    "A",
    "b",
    "x/a",
    "A b",
    "a_b",
    "y/b",
    "c d",
    "C-D",
    "nick",
    "other",
    "p.png",
    "./a",
    "/x:a",
]
LINKS = st.sampled_from(
    [
        form.format(name)
        for name in NAMES
        for form in ("[[{}]]", "![[{}|x]]", "[[{}#h|Shown]]", "[[{}/]]")
    ]
)
ALIASES = st.lists(st.sampled_from(["nick", "Nick", "a", "c d", "A b"]), max_size=2)
RULES = st.sampled_from(
    [None, b'ignore = ["a"]', b'[merge]\n"nick" = ["a b", "other"]', b"not toml ["]
)
# A few words, misspelt and inflected, in several scripts; enough of them for several chunks.
SENTENCES = [
    *(
        "Clocks drift.",
        "A clock drifts slowly.",
        "The clok is misspelt",
        "clock-drift and clockDrift",
    ),
    *("東京都の時計", "ภาษาไทย", "часы идут", "café CAFÉ", "graphs of graph theory", "nick other"),
]
PROSE = st.lists(
    st.builds(
        lambda text, times: " ".join([text] * times),
        st.sampled_from(SENTENCES),
        st.sampled_from([1, 1, 2, 60]),
    ),
    max_size=4,
).map("\n\n".join)
# Blocks of one note that define, call, import and extend the same few names.
CODE = st.sampled_from(
    [
        "",
        "",
        "```python\ndef f(): g()\n\nclass Aa:\n    def go_on(self): f()\n```\n",
        "```py\nx.go_on()\nf()\n```\n\n```js\nfunction g() { f(); }\n```\n",
        "> ```ts\n> class Bb extends Aa { go_on() { this.go_on(); } }\n> ```\n",
        "```python\nfrom a import f as h\nclass Bb(Aa): ...\nh()\n```\n" * 2,
        "```python\n" + "x;" * 2_600 + "\n```\n",
    ]
)
FILES = st.sampled_from(["app/a.py", "app/x/b.py", "app/c.py"])
FILE_TEXTS = st.sampled_from(
    [
        "from .x.b import f\n\nclass Aa:\n    def go_on(self): f()\n",
        "def f(): g()\n\ndef f(): ...\n",
        "import c\nc.f()\nx.go_on()\n",
        "x;" * 2_600,
    ]
)
QUERIES = (
    "clock",
    "clocks drift",
    "clok",
    "drifting graphs",
    "東京",
    "ไทย",
    "часы",
    "cafe",
    "nick",
    "rift",
    "zzz",
)
RANKED = ("clock", "drift nick", "a b")  # queries for symbols
HELD_MAX = 4


@st.composite
def texts(draw: st.DrawFn) -> str:
    aliases = draw(ALIASES)
    links = draw(st.lists(LINKS, max_size=5))
    related = draw(st.sampled_from(["", 'up: "[[b]]"\n', "created: 2025-01-01\n"]))
    key = st.sampled_from(["superseded_by", "supersedes"])
    replaced = st.sampled_from(["", *(name for name in NAMES if name != "p.png"), "x/a, nick"])
    related += "".join(f"{draw(key)}: [{each}]\n" for each in [draw(replaced)] if each)
    heading = draw(st.sampled_from(["", "## Clock\n"]))
    body = f"# T\n{' '.join(links)}\n#tag\n{heading}{draw(PROSE)}\n\n{draw(CODE)}"
    return f"---\naliases: [{', '.join(aliases)}]\n{related}---\n{body}"


class VaultMachine(RuleBasedStateMachine):
    """Saves, renames, deletes, attachments and rules, in batches of one or more."""

    sources = frozenset(ConceptSource)

    def __init__(self) -> None:
        super().__init__()
        self.settings = EngineSettings(sources=self.sources)
        self.engine = Engine(self.settings)
        self.notes: dict[str, ReadNote] = {}
        self.others: set[str] = set()
        self.code: dict[str, ReadCode] = {}
        self.concept_rules: bytes | None = None
        self.encoders = [FakeEncoder("one", 8), FakeEncoder("two", 8), FakeEncoder("wide", 12)]
        self.model = Vectors("", 0, {})  # all vectors that were made
        self.held: list[tuple[Snapshot, bytes]] = []  # earlier revisions, with their dumps
        self.asks = not IS_QUICK  # queries at each step, which take nine tenths of the time
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(indexes, "_DEAD_NOTES_MIN", 1)  # so that notes get new ids at times

    @rule(path=PATHS, text=texts(), is_counted=st.booleans(), is_embedded=st.booleans())
    def save(self, path: str, text: str, is_counted: bool, is_embedded: bool) -> None:
        read = read_note(path, text)
        self.write(read)
        vectors = None
        if is_embedded and self.model.model:
            vectors = vectors_of(self.encoder, [read.note])
            self.remember(vectors)
        words = {path: count_note_words(read.note)} if is_counted else {}
        self.apply(Batch(put=(read,), words=words, vectors=vectors))

    def apply(self, batch: Batch) -> None:
        self.engine.apply(batch)

    @property
    def encoder(self) -> FakeEncoder:
        """The encoder of the present model."""
        return next(
            (e for e in self.encoders if e.fingerprint == self.model.model), self.encoders[0]
        )

    def remember(self, vectors: Vectors) -> None:
        """Record vectors that are about to be applied."""
        before = self.model.codes if self.model.model == vectors.model else {}
        self.model = Vectors(vectors.model, vectors.dimensions, {**before, **vectors.codes})

    def write(self, *reads: ReadNote) -> None:
        """Record notes; the vectors of an earlier text are forgotten."""
        for read in reads:
            path = read.note.path
            if path not in self.notes or self.notes[path].note != read.note:
                self.forget(path)
            self.notes[path] = read

    @rule(path=PATHS, at_s=st.sampled_from([1, 2]), text=st.none() | texts())
    def stamp(self, path: str, at_s: int, text: str | None) -> None:
        """Put a note as it is with another stamp, alone or beside a note with another text."""
        if path in self.notes:
            reads = [replace(self.notes[path], stamp=Stamp(at_s * 10**9, at_s * 10**9, 1, 1))]
            reads += [] if text is None else [read_note(f"beside {path}", text)]
            self.write(*reads)
            self.apply(Batch(put=tuple(reads)))

    def forget(self, *paths: str) -> None:
        kept = {path: codes for path, codes in self.model.codes.items() if path not in paths}
        self.model = Vectors(self.model.model, self.model.dimensions, kept)

    @rule(paths=st.sets(PATHS), encoder=st.sampled_from([0, 0, 0, 1, 2]))
    def embed(self, paths: set[str], encoder: int) -> None:
        notes = [self.notes[path].note for path in sorted(paths & self.notes.keys())]
        vectors = vectors_of(self.encoders[encoder], notes)
        self.remember(vectors)
        self.apply(Batch(vectors=vectors))

    @rule()
    def compact(self) -> None:
        self.engine.compact()

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if self.notes.pop(path, None):
            self.forget(path)
            self.apply(Batch(dropped=(path,)))

    @rule(old=PATHS, new=PATHS)
    def rename(self, old: str, new: str) -> None:
        if old in self.notes and old != new:
            text = self.notes.pop(old).note.text
            self.write(read_note(new, text))
            self.forget(old)
            self.apply(Batch(put=(self.notes[new],), dropped=(old,)))

    @rule(saved=st.dictionaries(PATHS, texts(), max_size=4), dropped=st.sets(PATHS, max_size=3))
    def many_at_once(self, saved: dict[str, str], dropped: set[str]) -> None:
        gone = tuple(path for path in dropped - saved.keys() if self.notes.pop(path, None))
        put = {path: read_note(path, text) for path, text in saved.items()}
        self.write(*put.values())
        self.forget(*gone)
        self.apply(Batch(put=tuple(put.values()), dropped=gone))

    @rule(path=OTHERS)
    def toggle_other_file(self, path: str) -> None:
        if path in self.others:
            self.apply(Batch(others_dropped=(path,)))
        else:
            self.apply(Batch(others_put=(path,)))
        self.others ^= {path}

    @rule(path=FILES, text=FILE_TEXTS, at_s=st.sampled_from([1, 2]))
    def save_code(self, path: str, text: str, at_s: int) -> None:
        file, problem = parse_code(path, text, PYTHON)
        self.code[path] = ReadCode(path, Stamp(at_s, at_s, len(text), 1), file, problem)
        self.apply(Batch(code=(self.code[path],)))

    @rule(path=FILES)
    def delete_code(self, path: str) -> None:
        self.code.pop(path, None)
        self.apply(Batch(code_dropped=(path,)))

    @rule(rules=RULES)
    def change_rules(self, rules: bytes | None) -> None:
        self.concept_rules = rules
        self.apply(Batch(rules=parse_concept_rules(rules)))

    @rule()
    def come_back_from_disk(self) -> None:
        self.engine = read_back(stored(self.engine.indexes), self.settings)

    @rule()
    def store(self) -> None:
        """Store the indexes, and go on with what was stored."""
        self.engine.adopt(read_indexes(stored(self.engine.indexes), self.settings))

    @rule()
    def hold(self) -> None:
        snapshot = self.engine.snapshot
        self.held = [*self.held[-HELD_MAX + 1 :], (snapshot, dump(snapshot))]

    def teardown(self) -> None:
        self.asks = True
        try:
            self.equals_rebuild()
        finally:
            self.patch.undo()
        for snapshot, dumped in self.held:
            assert dump(snapshot) == dumped

    @invariant()
    def equals_rebuild(self) -> None:
        self.check(self.engine, self.notes, self.others)

    def check(self, engine: Engine, notes: Mapping[str, ReadNote], others: set[str]) -> None:
        """Check that ``engine`` equals one that is built of these notes and other files.

        Its answers to queries are compared too: at each step, in the quick run at the last one.
        """
        codes = {path: rows for path, rows in self.model.codes.items() if path in notes}
        names = {name: bytes(row) for name, row in engine.indexes.name_vectors.items()}
        model = Vectors(self.model.model, self.model.dimensions, codes, names)
        rebuilt = Engine(self.settings, engine.dates.events)
        rebuilt.apply(
            Batch(
                put=tuple(notes.values()),
                others_put=tuple(sorted(others)),
                rules=parse_concept_rules(self.concept_rules),
                vectors=model if model.model else None,
                code=tuple(self.code.values()),
            )
        )
        assert dict(engine.indexes.code.stamps) == dict(rebuilt.indexes.code.stamps)
        assert dump(engine.snapshot) == dump(rebuilt.snapshot)
        assert lists_of(engine) == lists_of(rebuilt)
        if self.asks:
            self.check_answers(engine, rebuilt)

    def check_answers(self, engine: Engine, rebuilt: Engine) -> None:
        setting = setting_of(self.encoder)
        answers = found(rebuilt.snapshot, QUERIES, setting)
        ours = found(engine.snapshot, QUERIES, setting)
        assert {key: ours[key] for key in ours if ours[key] != answers[key]} == {}
        for query in RANKED:
            for fields in ({}, {"search_mode": "legacy"}):
                reply = ranked(engine.snapshot, query, **fields)
                assert reply.results == ranked(rebuilt.snapshot, query, **fields).results


class LinksOnlyMachine(VaultMachine):
    """The same without resolution of links and without merges."""

    sources = frozenset({ConceptSource.LINKS})


VaultMachine.TestCase.settings = examples(25, long=200, stateful_step_count=25)
LinksOnlyMachine.TestCase.settings = examples(8, long=60, stateful_step_count=20)
test_incremental_equals_rebuild = VaultMachine.TestCase
test_incremental_equals_rebuild_with_links_only = LinksOnlyMachine.TestCase
