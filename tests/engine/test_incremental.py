"""The law: whatever the sequence of changes, the state equals a rebuild's, byte for byte."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from clew.engine.dump import dump
from clew.engine.engine import Engine
from clew.engine.sealing import seal, unpack_chunk, unseal
from clew.engine.settings import ConceptSource, EngineSettings
from clew.values.vault import Batch, ReadNote
from clew.vault.rules import parse_rules
from tests.vaults import read_note

# Few names, much alike, so that stems clash, aliases are contested and links change their meaning.
PATHS = st.sampled_from(
    ["a.md", "b.md", "x/a.md", "x/A b.md", "y/a_b.md", "y/b.markdown", "c d.md", "x/y/b.md"]
)
OTHERS = st.sampled_from(["p.png", "x/p.png", "x/c d.md", "templates/a.md"])
NAMES = ["a", "A", "b", "x/a", "A b", "a_b", "y/b", "c d", "C-D", "nick", "other", "p.png", "./a"]
LINKS = st.sampled_from(
    [form.format(name) for name in NAMES for form in ("[[{}]]", "![[{}|x]]", "[[{}#h|Shown]]")]
)
ALIASES = st.lists(st.sampled_from(["nick", "Nick", "a", "c d", "A b"]), max_size=2)
RULES = st.sampled_from(
    [None, b'ignore = ["a"]', b'[merge]\n"nick" = ["a b", "other"]', b"not toml ["]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    aliases = draw(ALIASES)
    links = draw(st.lists(LINKS, max_size=5))
    related = draw(st.sampled_from(["", 'up: "[[b]]"\n', "created: 2025-01-01\n"]))
    return f"---\naliases: [{', '.join(aliases)}]\n{related}---\n# T\n{' '.join(links)}\n#tag\n"


class VaultMachine(RuleBasedStateMachine):
    """Saves, renames, deletes, attachments and rules, in batches of one or more."""

    sources = frozenset(ConceptSource)

    def __init__(self) -> None:
        super().__init__()
        self.settings = EngineSettings(sources=self.sources)
        self.engine = Engine(self.settings)
        self.notes: dict[str, ReadNote] = {}
        self.others: set[str] = set()
        self.concept_rules: bytes | None = None

    @rule(path=PATHS, text=texts())
    def save(self, path: str, text: str) -> None:
        self.notes[path] = read_note(path, text)
        self.engine.apply(Batch(put=(self.notes[path],)))

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        if self.notes.pop(path, None):
            self.engine.apply(Batch(dropped=(path,)))

    @rule(old=PATHS, new=PATHS)
    def rename(self, old: str, new: str) -> None:
        if old in self.notes and old != new:
            text = self.notes.pop(old).note.text
            self.notes[new] = read_note(new, text)
            self.engine.apply(Batch(put=(self.notes[new],), dropped=(old,)))

    @rule(saved=st.dictionaries(PATHS, texts(), max_size=4), dropped=st.sets(PATHS, max_size=3))
    def many_at_once(self, saved: dict[str, str], dropped: set[str]) -> None:
        gone = tuple(path for path in dropped - saved.keys() if self.notes.pop(path, None))
        put = {path: read_note(path, text) for path, text in saved.items()}
        self.notes.update(put)
        self.engine.apply(Batch(put=tuple(put.values()), dropped=gone))

    @rule(path=OTHERS)
    def toggle_other_file(self, path: str) -> None:
        if path in self.others:
            self.engine.apply(Batch(others_dropped=(path,)))
        else:
            self.engine.apply(Batch(others_put=(path,)))
        self.others ^= {path}

    @rule(rules=RULES)
    def change_rules(self, rules: bytes | None) -> None:
        self.concept_rules = rules
        self.engine.apply(Batch(rules=parse_rules(rules)))

    @rule()
    def come_back_from_chunks(self) -> None:
        chunks = list(seal(self.engine.indexes))
        self.engine = Engine(self.settings)
        for chunk in chunks:
            unseal(self.engine.indexes, unpack_chunk(chunk))

    @invariant()
    def equals_rebuild(self) -> None:
        rebuilt = Engine(self.settings)
        rebuilt.apply(
            Batch(
                put=tuple(self.notes.values()),
                others_put=tuple(sorted(self.others)),
                rules=parse_rules(self.concept_rules),
            )
        )
        assert dump(self.engine.snapshot) == dump(rebuilt.snapshot)


class LinksOnlyMachine(VaultMachine):
    """The same with nothing resolved and nothing merged."""

    sources = frozenset({ConceptSource.LINKS})


VaultMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
LinksOnlyMachine.TestCase.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None
)
test_incremental_equals_rebuild = VaultMachine.TestCase
test_incremental_equals_rebuild_with_links_only = LinksOnlyMachine.TestCase
