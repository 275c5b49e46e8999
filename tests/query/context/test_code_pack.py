"""Code in a pack: the third source, for questions that name an entity."""

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec import UNSET

from clew.engine.snapshot import Snapshot
from clew.query.code.explanations import explaining_slots
from clew.query.code.query_expansion import expanded_query
from clew.query.code.related import code_insights
from clew.query.context.formulas.relevance import RankedSlots, with_explaining
from clew.query.slices import finished
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.text.tokens import count_tokens
from clew.values.search_replies import ContextReply, Evidence
from clew.values.vault import Batch, ReadCode, Stamp
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import engine_of, snapshot_of

AUTH = """# Auth service

```python
class Service: ...

class AuthService(Service):
    def login(self, user):
        self.check(user)

    def check(self, user):
        return read_token(user)

def read_token(user): ...
```

```python
def handle(request):
    AuthService().login(request.user)
```
"""
NOTES = {
    "code/Auth.md": AUTH,
    "decisions/Tokens.md": "---\ntype: decision\n---\n# Tokens, not cookies\n"
    "`AuthService` hands out tokens, since cookies do not reach the phones.\n",
    "Garden.md": "# Garden\nBeans and peas. The phones are not allowed here.\n",
}
SNAPSHOT = snapshot_of(NOTES)
HEADING = "## Code Relationships"


def code_rows(reply: ContextReply) -> list[Evidence]:
    assert reply.evidence is not UNSET
    return [row for row in reply.evidence if row.source == "kag"]


def test_a_question_that_names_a_class_gets_its_callers_and_notes() -> None:
    reply = pack(SNAPSHOT, "what calls AuthService and why?", include_evidence=True)
    text = reply.context.partition(HEADING)[2]
    assert "### `AuthService` (class)" in text
    assert "Defined in: `memory://code/Auth.md#L6-L11~" in text
    assert "Called by: `handle` (memory://code/Auth.md#L18, local)" in text
    assert (
        "- Calls to its methods: `handle` calls `login` (memory://code/Auth.md#L18, local)" in text
    )
    assert "Calls: `read_token`" in text
    assert "Implements: `Service`" in text
    assert "Notes: memory://decisions/Tokens.md#L5" in text
    assert "cookies do not reach the phones" in reply.context
    assert reply.metadata.route == "hybrid"
    assert reply.metadata.kag_sections == 1
    (row,) = code_rows(reply)
    assert (row.id, row.included) == ("code/Auth.md::AuthService::class", True)
    assert row.code is not UNSET
    assert (row.code.node_type, row.code.matched_entity) == ("class", "AuthService")
    assert row.code.callers == ("handle", "handle")


ABOUT = """# Reading

```py
\"\"\"Readings are kept in UTC.\"\"\"

class Store:
    \"\"\"Keeps readings, since the gauge forgets them.

    See `memory://a.md#L1-L2~12345678` and AKIAIOSFODNN7EXAMPLE.
    \"\"\"
```
"""


def test_what_the_source_says_of_an_entity_is_shown_as_data() -> None:
    text = pack(snapshot_of({"a.md": ABOUT}), "what calls Store").context.partition(HEADING)[2]
    about = "Keeps readings, since the gauge forgets them. See `memory:a.md#L1-L2~12345678`"
    assert f"\n- About: {about} and [REDACTED" in text
    assert "\n- Its file: Readings are kept in UTC.\n" in text


@for_each_row(("template", "most"), [("compact", 200), ("default", 800), ("detailed", 1_200)])
def test_a_long_docstring_is_cut(template: str, most: int) -> None:
    note = ABOUT.replace("See", "word " * 300 + "See")
    query = "what calls Store"
    text = pack(snapshot_of({"a.md": note}), query, template=template).context.partition(HEADING)[2]
    shown = text.lower().partition("about: ")[2].partition("…")[0]
    assert most - 10 < len(shown) <= most


TOPIC = {
    "code.md": "# Code\n\n```py\nclass Keeper:\n"
    '    """Remembers soundings of spring 2024, the newest first."""\n\nNONE = Keeper()\n```\n',
    "Soundings.md": "# Soundings\nA sounding of the harbour is kept for years, as the law asks.\n",
    "Keepers.md": "# Goalkeepers\nA keeper stands in the goal.\n",
}


def test_notes_are_found_by_what_the_source_says_of_an_entity() -> None:
    snapshot = snapshot_of(TOPIC)
    alone = pack(snapshot, "what calls Keeper and why").context
    assert "as the law asks" in alone
    assert "- Called by: `code` (memory://code.md#L7, outside of functions, local)" in alone


@for_each_row(
    ("query", "expected"),
    [
        ("Keeper", "Keeper remembers soundings spring first"),
        ("Keeper and why", "Keeper and why remembers soundings spring first"),
        ("Keeper in the goal", "Keeper in the goal"),
    ],
)
def test_words_of_the_source_are_added_to_nothing_but_names(query: str, expected: str) -> None:
    """Stop words are left out, and "newest" and the year, which would be read as a time."""
    snapshot = snapshot_of(TOPIC)
    insights = finished(code_insights(snapshot, f"what calls {query}"))
    assert expanded_query(snapshot, query, insights) == expected


def test_passages_that_speak_of_code_rank_high_and_those_beside_them_too() -> None:
    ranked = RankedSlots(np.array([5, 9, 3]), np.array([1.0, 0.2, 0.1]))
    found = with_explaining(ranked, [7], [6, 7, 9], [3, 5, 6, 8])
    assert found.slots.tolist() == [5, 7, 3, 6, 8, 9]
    assert found.relevance.tolist() == pytest.approx([1.0, 0.9, 0.685, 0.65, 0.65, 0.6])
    assert with_explaining(ranked, [], []) is ranked


def test_only_passages_of_the_same_section_are_beside_one() -> None:
    part = "The harbour freezes in January, and then the wires of the gauge break.\n" * 40 + "\n"
    text = f"# Ice\n\n{part}## Winter\n\n`Keeper` waits.\n{part}{part}## Boats\n\n{part}"
    code = "# Code\n\n```py\nclass Keeper: ...\n```\n"
    snapshot = snapshot_of({"code.md": code, "Ice.md": text})
    found = finished(explaining_slots(snapshot, finished(code_insights(snapshot, "`Keeper`"))))
    note_id, note = snapshot.graph.note_id("Ice.md"), snapshot.note("Ice.md")
    assert note_id is not None
    first = snapshot.passages.slots.slots_of(note_id).start + 1
    (at,) = (slot - first for slot in found.mentioning)
    texts = [note.text[chunk.start : chunk.end] for chunk in note.chunks]
    assert "Keeper" in texts[at]
    in_winter = [i for i, each in enumerate(note.chunks) if each.heading == note.chunks[at].heading]
    assert len(in_winter) >= 3
    near = {at - 1, at + 1}
    assert [slot - first for slot in found.beside] == [each for each in in_winter if each in near]


@for_each_row("named", ["harbour/tools/", "ports.py"])
def test_passages_that_name_the_folder_or_the_file_of_the_callers_are_near(named: str) -> None:
    engine = engine_of({"Ice.md": f"# Ice\n\nSee `{named}`.\n"})
    for path, code in (
        ("harbour/tools/keeper.py", "def keep(): ...\n"),
        ("harbour/ports.py", "from harbour.tools.keeper import keep\n\nkeep()\n"),
    ):
        file, _ = parse_code(path, code, BY_NAME["python"])
        engine.apply(Batch(code=(ReadCode(path, Stamp(1, 1, 1, 1), file),)))
    snapshot = engine.snapshot
    found = finished(
        explaining_slots(snapshot, finished(code_insights(snapshot, "what calls keep")))
    )
    note_id = snapshot.graph.note_id("Ice.md")
    assert note_id is not None
    first = snapshot.passages.slots.slots_of(note_id).start + 1
    assert found == ([], [], [first])


def test_of_a_file_the_sentences_about_the_entity_are_shown() -> None:
    about = "Harbour tools. They are many. A ``Keeper`` waits for spring. Then it starts."
    code = f'"""{about}"""\n\nclass Keeper: ...\n\nclass Ferry: ...\n'
    snapshot = snapshot_of({"code.md": f"# Code\n\n```py\n{code}```\n"})
    for name, shown in (
        ("Keeper", "Harbour tools. … A ``Keeper`` waits for spring. Then it starts."),
        ("Ferry", about),
    ):
        text = pack(snapshot, f"what calls {name}").context
        assert f"\n- Its file: {shown}\n" in text


def many_callers(names: Sequence[str]) -> Snapshot:
    definitions = "\n".join(f"def {name}(x): ...\n" for name in names)
    callers = "\n".join(
        f"def caller_{each}_of_{name}_somewhere():\n    {name}(1)\n"
        for name in names
        for each in range(12)
    )
    words = "The gauge reads the level of the sea, and the clock drifts. " * 40
    note = f"# Reading\n\n{words}\n\n```py\n{definitions}\n{callers}```\n"
    return snapshot_of({"a.md": note})


@for_each_row("budget", [600, 1_000, 2_000, 4_000])
def test_code_is_shown_in_brief_where_the_whole_does_not_fit(budget: int) -> None:
    snapshot = many_callers(["read_level", "read_clock"])
    query = "why does what calls `read_level` and `read_clock` read the gauge"
    reply = pack(snapshot, query, token_budget=budget, include_evidence=True)
    assert count_tokens(reply.context) <= budget
    assert [row.included for row in code_rows(reply)] == [True, True]
    text = reply.context.partition(HEADING)[2]
    shown = [len(row.split("), ")) for row in text.splitlines() if row.startswith("- Called by")]
    assert text.count(f" and {12 - shown[0]} more") >= 1
    assert shown[0] >= shown[1] >= 1
    assert (shown == [8, 8]) == (budget >= 2_000)


def test_a_caller_stands_once_with_the_lines_of_its_calls() -> None:
    calls = "\n".join("    read(1)" for _ in range(5))
    code = f"def read(x): ...\n\ndef twice():\n{calls}\n\ndef once():\n    read(2)\n"
    reply = pack(snapshot_of({"a.md": f"# Reading\n\n```py\n{code}```\n"}), "what calls read()?")
    callers = (
        "`twice` (memory://a.md#L7, #L8, #L9 and 2 more, local), `once` (memory://a.md#L14, local)"
    )
    assert f"- Called by: {callers}\n" in reply.context


@for_each_row(
    ("query", "named"),
    [
        ("what calls handle", ["handle"]),
        ("why did they handle it so", []),
        ("is `handle` right", ["handle"]),
        ("AuthService.login() fails", ["AuthService.login"]),
        ("what calls AuthService, a small handle on tokens", ["AuthService"]),
        ("beans and peas", []),
        ("auth service", []),
    ],
)
def test_only_what_a_question_names_is_shown(query: str, named: list[str]) -> None:
    reply = pack(SNAPSHOT, query, include_evidence=True)
    assert [row.title for row in code_rows(reply)] == named
    assert (HEADING in reply.context) == bool(named)


def test_code_can_be_left_out_or_be_all() -> None:
    query = "what calls AuthService"
    without = pack(SNAPSHOT, query, include_code_graph=False)
    assert HEADING not in without.context
    alone = pack(SNAPSHOT, query, include_memories=False)
    assert HEADING in alone.context
    assert "## Relevant Memories" not in alone.context


@for_each_row("template", ["default", "compact", "detailed"])
@for_each_row("budget", [100, 130, 200, 300, 1_000, 4_000])
def test_the_budget_holds_with_code(budget: int, template: str) -> None:
    query = "what calls AuthService, login and read_token, and why tokens"
    reply = pack(SNAPSHOT, query, token_budget=budget, template=template)
    assert reply.metadata.total_tokens == count_tokens(reply.context) <= budget


def test_an_entity_that_only_code_knows_is_a_weak_answer() -> None:
    notes = {"a.md": "Nothing.\n\n```py\ndef despike_all(): ...\n```\n"}
    reply = pack(snapshot_of(notes), "what calls despike_all and unrelated quarks of the sea")
    assert reply.answered != "no"
    assert HEADING in reply.context


def test_notes_without_code_make_the_same_packs_with_and_without_the_code_graph() -> None:
    notes = {path: text for path, text in NOTES.items() if "```" not in text}
    snapshot = snapshot_of(notes)
    for query in ("what calls AuthService", "why tokens and cookies", "phones"):
        assert HEADING not in pack(snapshot, query).context
        assert pack(snapshot, query).metadata.kag_sections == 0


def test_the_note_that_names_the_file_of_a_function_is_in_the_pack() -> None:
    about = (
        "# Design\n\n## Spikes\n\nMinutes are kept, since the sea may jump (`clean/spikes.py`).\n"
    )
    others = {
        f"{n}.md": f"# Why {n}\n\nWhy things call each other, number {n}.\n" for n in range(30)
    }
    engine = engine_of({"Design.md": about, **others})
    code = "def despike_all(rows): ...\n\ndef nightly(): despike_all(1)\n"
    file, _ = parse_code("app/clean/spikes.py", code, BY_NAME["python"])
    engine.apply(Batch(code=(ReadCode("app/clean/spikes.py", Stamp(1, 1, 1, 1), file),)))
    query = "what calls despike_all and why"
    reply = pack(engine.snapshot, query, token_budget=300)
    assert "Minutes are kept" in reply.context
    assert "- Notes that name its file: memory://Design.md#L5" in reply.context
    assert "- Called by: `nightly`" in reply.context
    without = pack(engine.snapshot, query, token_budget=300, include_code_graph=False)
    assert "Minutes are kept" not in without.context
    filtered = pack(engine.snapshot, f"{query} -path:Design", token_budget=300)
    assert "Minutes are kept" not in filtered.context


def test_the_words_of_the_relation_are_no_evidence() -> None:
    notes = {
        "auth.md": "# Reading\n\n```py\ndef read_token(x): ...\ndef check(): read_token(1)\n```\n",
        "phone.md": "# Calls\nPhone calls are logged. Calls in the night are not.\n",
        "why.md": "# Tokens\n`read_token` reads twice, since the first read may be torn.\n",
    }
    reply = pack(snapshot_of(notes), "what calls read_token", include_evidence=True)
    assert "Phone calls" not in reply.context
    assert "may be torn" in reply.context
    assert reply.answered == "yes"


def test_a_function_without_callers_says_so() -> None:
    notes = {"a.md": "# Reading\n\n```py\ndef read_all(x): ...\n```\n"}
    reply = pack(snapshot_of(notes), "what calls read_all()?")
    assert "- Called by: nothing that is known\n" in reply.context


MADE = """
```py
class Store:
    @classmethod
    def empty(cls):
        return cls()
    def save(self):
        self.close()
    def close(self): ...
```
"""


def test_a_class_that_only_its_own_methods_make_says_so() -> None:
    text = pack(snapshot_of({"a.md": MADE}), "what calls `Store`").context
    assert "- Called by: `Store.empty` (memory://a.md#L6, self)\n" in text
    assert "Calls to its methods" not in text


PROPERTY = """
```py
class Store:
    @property
    def row_count(self): ...
```
"""


def test_where_a_property_is_read_is_said_to_be_unknown() -> None:
    text = pack(snapshot_of({"a.md": PROPERTY}), "what calls row_count?").context
    assert "- Called by: nothing, as it is a property; where it is read is not listed\n" in text


@for_each_row("query", ["what calls Ledger.post", "callers of Ledger::post"])
def test_a_path_names_code_though_its_parts_are_usual_words(query: str) -> None:
    code = "class Ledger:\n    def post(self): ...\n\ndef pay(x: Ledger):\n    x.post()\n"
    snapshot = snapshot_of({"Books.md": f"# Books\n\n```python\n{code}```\n"})
    assert "Called by: `pay`" in pack(snapshot, query).context
