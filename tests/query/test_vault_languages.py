"""A vault of several languages: words are stemmed in each, and hits in the query's come first."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from clew.engine.apply import Engine
from clew.engine.settings import EngineSettings
from clew.engine.snapshot import Snapshot
from clew.text.languages.guess import language_of_note
from clew.text.passages import count_note_words
from clew.values.vault import Batch
from tests.examples import examples
from tests.rankings import ranked
from tests.searches import SEARCH, ask, paths, setting
from tests.stored import read_back, stored
from tests.tables import for_each_row
from tests.vaults import engine_of, read_note, snapshot_of

KEYWORD = replace(SEARCH, mode="keyword", fuzzy=False)
PLAIN = setting(has_model=False)
ENGLISH = "This is what he has written about it, and they should read all of that for the others."
GERMAN = "Das ist, was er dazu geschrieben hat, und sie sollten auch alles für die anderen lesen."
FRENCH = "C'est ce qu'il a écrit pour les autres, mais elle ne veut pas le lire avec des lunettes."
BOTH = {
    "a/de.md": f"{GERMAN} GPS. Die Häuser am Hafen.",
    "a/en.md": f"{ENGLISH} GPS. The tides and stories.",
    "b/de.md": f"{GERMAN} Noch mehr.",
    "b/en.md": f"{ENGLISH} And more.",
}


def exact(snapshot: Snapshot, query: str) -> list[str]:
    reply = ask(snapshot, query, KEYWORD, given=PLAIN)
    return paths(reply) if reply.search_metrics.tier == "bm25" else []


def test_words_are_stemmed_in_each_language_of_the_vault() -> None:
    snapshot = snapshot_of(BOTH)
    assert snapshot.languages.codes == ("de", "en")
    assert exact(snapshot, "Haus") == exact(snapshot, "Häusern") == ["a/de.md"]
    assert exact(snapshot, "tide") == exact(snapshot, "story") == ["a/en.md"]
    assert exact(snapshot, '"Hauser am Hafen"') == ["a/de.md"]
    assert "a/de.md" not in exact(snapshot, "GPS -Haus")


def test_names_are_stemmed_in_each_language_too() -> None:
    notes = {**BOTH, "n.md": f"{GERMAN}\n# Alte Häuser\n", "m.md": f"{ENGLISH}\n# Old stories\n"}
    snapshot = snapshot_of(notes)
    for query, name in (("Haus", "Alte Häuser"), ("story", "Old stories")):
        assert name in {row.name for row in ranked(snapshot, query).results}


@pytest.mark.parametrize(("notes", "codes"), [({}, ("en",)), ({"n.md": "x"}, ("en",))])
def test_english_is_assumed_where_nothing_tells(
    notes: dict[str, str], codes: tuple[str, ...]
) -> None:
    assert snapshot_of(notes).languages.codes == codes


def test_a_vault_in_another_language_has_no_english_stems() -> None:
    snapshot = snapshot_of({"n.md": f"{GERMAN} Häuser, stories"})
    assert (exact(snapshot, "Haus"), exact(snapshot, "story")) == (["n.md"], [])
    assert exact(snapshot, "was") == ["n.md"], "which is a stop word in English only"


def test_front_matter_states_the_language() -> None:
    stated = snapshot_of({"n.md": "---\nlang: de\n---\nHäuser"})
    assert exact(stated, "Haus") == ["n.md"]
    assert exact(snapshot_of({"n.md": "Häuser"}), "Haus") == []


@pytest.mark.parametrize(("german", "codes"), [(1, ("en",)), (3, ("de", "en"))])
def test_a_language_of_one_hundredth_changes_nothing(german: int, codes: tuple[str, ...]) -> None:
    notes = {f"en{n}.md": ENGLISH for n in range(100 - german)}
    notes |= {f"de{n}.md": f"{GERMAN} Häuser" for n in range(german)}
    snapshot = snapshot_of(notes)
    assert snapshot.languages.codes == codes
    assert bool(exact(snapshot, "Haus")) is (german > 1)


def test_a_configured_language_is_the_only_one() -> None:
    engine = engine_of(BOTH, settings=EngineSettings(language="fr"))
    assert engine.snapshot.languages.codes == ("fr",)


def test_a_new_language_is_as_much_work_as_its_words() -> None:
    """So it is sent to the server as a file, and not stemmed there again."""
    engine = engine_of({f"n{n}.md": " ".join(f"w{n}x{m}" for m in range(50)) for n in range(40)})
    work = [engine.apply(Batch(put=(read_note("new.md", text),))) for text in (ENGLISH, GERMAN)]
    assert work[1] - work[0] > 2_000


@for_each_row(
    ("query", "first"),
    [("what is GPS?", "en"), ("was ist GPS?", "de"), ("the GPS", "en"), ("GPS", "de")],
)
@for_each_row("mode", ["keyword", "hybrid"])
def test_of_equal_hits_those_in_the_language_of_the_query_come_first(
    query: str, first: str, mode: str
) -> None:
    notes = {f"{language}.md": "x" for language in ("de", "en")}
    texts = {"de.md": f"{GERMAN} GPS", "en.md": f"{ENGLISH} GPS"}
    request = replace(SEARCH, mode=mode)
    found = paths(ask(snapshot_of({**notes, **texts}), query, request, given=PLAIN))
    assert found[0] == f"{first}.md"


def test_a_better_hit_in_another_language_stays_first() -> None:
    notes = {"de.md": f"# GPS\n{GERMAN} GPS GPS GPS", "en.md": f"{ENGLISH} {ENGLISH} GPS"}
    assert paths(ask(snapshot_of(notes), "what is GPS?", KEYWORD, given=PLAIN))[0] == "de.md"


PATHS = [f"n{number}.md" for number in range(5)]
WORDS = ["Häuser", "Haus", "stories", "story", "étés", "été"]


class LanguageMachine(RuleBasedStateMachine):
    """The languages and terms of a vault follow from its present notes alone."""

    @initialize()
    def start(self) -> None:
        self.engine = Engine(EngineSettings())
        self.notes: dict[str, str] = {}

    @rule(
        path=st.sampled_from(PATHS),
        text=st.sampled_from([ENGLISH, GERMAN, FRENCH, "short", "---\nlang: fr\n---\n"]),
        words=st.lists(st.sampled_from(WORDS), max_size=2),
    )
    def save(self, path: str, text: str, words: list[str]) -> None:
        self.notes[path] = " ".join([text, *words])
        self.engine.apply(Batch(put=(read_note(path, self.notes[path]),)))

    @rule(path=st.sampled_from(PATHS))
    def delete(self, path: str) -> None:
        self.notes.pop(path, None)
        self.engine.apply(Batch(dropped=(path,)))

    @rule()
    def compact(self) -> None:
        self.engine.compact()

    @rule()
    def restart(self) -> None:
        engine = read_back(stored(self.engine.indexes))
        engine.continue_from(self.engine, is_new=False)
        self.engine = engine

    @invariant()
    def equals_rebuild(self) -> None:
        fresh, edited = snapshot_of(self.notes), self.engine.snapshot
        assert edited.languages == fresh.languages
        for path, text in self.notes.items():
            note = read_note(path, text).note
            words = count_note_words(note).words.split("\n")
            code = edited.passages.languages.codes[edited.graph.note_ids[path]]
            assert code == fresh.passages.languages.codes[fresh.graph.note_ids[path]]
            assert bool(code) is (language_of_note(note.fields.lang, words) is not None)
        for word in WORDS:
            assert words_like(edited, word) == words_like(fresh, word)


def words_like(snapshot: Snapshot, word: str) -> set[str]:
    passages = snapshot.passages
    ids = passages.keyword.ids_of_term(snapshot.languages.term_of(word))
    return {passages.keyword.words[each] for each in passages.words_in_use([ids])[0]}


LanguageMachine.TestCase.settings = examples(30, long=300, stateful_step_count=12)
TestLanguages = LanguageMachine.TestCase


@for_each_row(
    ("language", "query", "answered"),
    [
        (GERMAN, "what is the Wartungsplan and who has it", "yes"),
        (GERMAN, "what is the zebra and who has it", "no"),
        (FRENCH, "was ist der Wartungsplan und wer hat es", "yes"),
    ],
)
def test_function_words_of_a_language_that_no_note_has_are_not_missed(
    language: str, query: str, answered: str
) -> None:
    notes = {f"{number}.md": f"{language} Nummer{number}" for number in range(20)}
    texts = {"plan.md": f"{language} Wartungsplan", "film.md": f"{language} Doctor Who: {language}"}
    reply = ask(snapshot_of({**notes, **texts}), query, given=PLAIN)
    assert reply.answered == answered
    assert paths(reply)[:1] == ["plan.md"] * (answered == "yes")


def test_names_that_are_function_words_of_such_a_language_are_searched_for() -> None:
    notes = {f"{number}.md": f"{GERMAN} Konzert Nummer{number}" for number in range(20)}
    texts = {"it.md": f"{GERMAN} IT Nummer0", "who.md": f"{GERMAN} The Who"}
    snapshot = snapshot_of({**notes, **texts})
    assert paths(ask(snapshot, "what does the IT do", given=PLAIN))[:1] == ["it.md"]
    assert paths(ask(snapshot, "is it a Konzert of The Who", given=PLAIN))[:1] == ["who.md"]


@for_each_row("query", ["what is it", "What is this"])
def test_function_words_of_such_a_language_are_not_corrected(query: str) -> None:
    """German "hat" is one edit from "what"."""
    snapshot = snapshot_of({f"{number}.md": f"{GERMAN} Hut {number}" for number in range(20)})
    assert ask(snapshot, query, given=PLAIN).fuzzy_correction is None
    assert ranked(snapshot, query).fuzzy_correction is None
