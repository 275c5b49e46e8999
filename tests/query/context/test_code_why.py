"""What a pack tells of why code is called: comments beside calls, and the callers of callers."""

from clew.query.code.explanations import explaining_slots
from clew.query.code.related import code_insights
from clew.query.context.shown.relations import briefer_forms, code_block
from clew.query.slices import finished
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.values.vault import Batch, ReadCode, Stamp
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import engine_of, snapshot_of

GATE = '''# The gate

```py
class Gate:
    """Lets boats through. One at a time."""

    def open(self):
        # Only the harbour master may.
        check_badge("open")

    def close(self):
        """Close it, and wait."""
        check_badge("close")  # "again", since AKIAIOSFODNN7EXAMPLE may have expired


def check_badge(what): ...


def run_the_day():
    Gate().open()


def run_the_night():
    Gate().open()


TABLE = {
    # the first of the morning
    "day": run_the_day,
}
```
'''
SNAPSHOT = snapshot_of({"gate.md": GATE})


def code_of(query: str, **options: object) -> str:
    return pack(SNAPSHOT, query, **options).context.partition("## Code Relationships")[2]


def test_a_pack_shows_the_comments_beside_calls_and_what_calls_the_callers() -> None:
    assert code_of("what calls check_badge and why?") == (
        "\n\n### `check_badge` (function)"
        "\n- Defined in: `memory://gate.md#L16-L16~c6c7ffca`"
        "\n- Called by: `Gate.open` (memory://gate.md#L9, local: "
        '"Only the harbour master may"; its class: "Lets boats through. One at a time"), which '
        "`run_the_day` (memory://gate.md#L20), `run_the_night` (memory://gate.md#L24) call, "
        "`Gate.close` (memory://gate.md#L13, local: "
        '"\'again\', since [REDACTED:AWS_KEY] may have expired"; about: "Close it, and wait")\n'
    )


def test_a_class_shows_what_calls_the_callers_of_its_methods() -> None:
    text = code_of("what calls Gate and why?")
    assert "`run_the_day` calls `open` (memory://gate.md#L20, local)" in text


def test_a_hand_over_shows_its_comment() -> None:
    text = code_of("what calls run_the_day?")
    place = 'memory://gate.md#L29, outside of functions, local: "the first of the morning"'
    assert f"- Handed over in: `gate` ({place})" in text


def test_a_compact_pack_shows_neither_comments_nor_callers_of_callers() -> None:
    text = code_of("what calls check_badge and why?", template="compact")
    assert (
        "called by: `Gate.open` (memory://gate.md#L9), `Gate.close` (memory://gate.md#L13)" in text
    )


def test_briefer_forms_leave_out_callers_of_callers_then_all_but_comments_then_these() -> None:
    (insight,) = finished(code_insights(SNAPSHOT, "what calls check_badge"))
    forms = [code_block(form, "default") for form in (insight, *briefer_forms(insight))]
    assert ["run_the_day" in form for form in forms] == [True, False, False, False]
    assert ["Lets boats through" in form for form in forms] == [True, False, False, False]
    assert ["harbour master" in form for form in forms] == [True, True, False, False]


def test_a_class_that_calls_is_no_function_that_is_called() -> None:
    code = "def read_all(): ...\n\nclass Table:\n    rows = read_all()\n\ndef run(): Table()\n"
    text = pack(snapshot_of({"a.md": f"```py\n{code}```\n"}), "what calls read_all()?").context
    assert "- Called by: `Table` (memory://a.md#L5, local)\n" in text


def chain(*calls: tuple[str, str]) -> str:
    """Return a note with functions, each of which calls one; a caller without a name is none."""
    names = dict.fromkeys(name for pair in calls for name in pair if name)
    made = {
        name: "".join(f"    {other}()\n" for caller, other in calls if caller == name)
        for name in names
    }
    code = "".join(f"def {name}():\n{body or '    pass'}\n\n" for name, body in made.items())
    code += "".join(f"{other}()\n" for caller, other in calls if not caller)
    return f"# Chain\n\n```py\n{code}```\n"


@for_each_row(
    ("calls", "expected"),
    [
        ([("run_b", "run_a")], []),
        ([("run_b", "run_a"), ("run_c", "run_b")], ["which `run_c` (…) calls"]),
        ([("run_b", "run_a"), ("run_a", "run_b"), ("run_b", "run_b")], ["which `run_a` (…) calls"]),
        ([("run_b", "run_a"), ("", "run_b")], ["which `chain` (…, outside of functions) calls"]),
        ([("", "run_a"), ("run_c", "run_b")], []),
        (
            [("run_b", "run_a"), *((f"run_{each}", "run_b") for each in "cdefg")],
            ["which `run_c` (…), `run_d` (…), `run_e` (…) and 2 more call"],
        ),
        (
            [("run_b", "run_a"), ("run_c", "run_a"), ("run_d", "run_b"), ("run_e", "run_c")],
            ["which `run_d` (…) calls", "which `run_e` (…) calls"],
        ),
        ([(f"run_{each}", "run_a") for each in "bcd"] + [("run_e", "run_b")], []),
    ],
)
def test_callers_of_few_callers(calls: list[tuple[str, str]], expected: list[str]) -> None:
    text = pack(snapshot_of({"chain.md": chain(*calls)}), "what calls `run_a`?").context
    (row,) = (row for row in text.splitlines() if row.startswith("- Called by: "))
    shown = row.replace("memory://chain.md#L", "#L")
    for number in range(60, 0, -1):
        shown = shown.replace(f"(#L{number}", "(…")
    parts = shown.split("), which ")[1:]
    found = ["which " + part.partition(" calls")[0] + " calls" if " calls" in part
             else "which " + part.partition(" call")[0] + " call" for part in parts]  # fmt: skip
    assert found == expected


@for_each_row(
    ("callers", "is_shown"),
    [
        ({"a.py": "b"}, True),
        ({"a.py": "bc"}, True),
        ({"a.py": "b", "c.py": "c"}, False),
        ({"own.py": "b"}, False),
        ({"own.py": "b", "a.py": "c"}, False),
    ],
)
def test_the_one_file_of_the_callers_says_what_it_is_about(
    callers: dict[str, str], *, is_shown: bool
) -> None:
    own = "def read_it(): ...\n"
    files = {path: f'"""About {path}."""\n\nfrom own import read_it\n' for path in callers}
    files["own.py"] = f'"""About own.py."""\n\n{own}'
    for path, names in callers.items():
        files[path] += "".join(f"def call_{name}(): read_it()\n\n" for name in names)
    engine = engine_of({"a.md": "A note."})
    for path, code in files.items():
        file, _ = parse_code(path, code, BY_NAME["python"])
        engine.apply(Batch(code=(ReadCode(path, Stamp(1, 1, 1, 1), file),)))
    text = pack(engine.snapshot, "what calls read_it()?").context
    assert ("- The file of its callers: About a.py.\n" in text) == is_shown
    brief = pack(engine.snapshot, "what calls read_it()?", template="compact").context
    assert "its callers" not in brief


QUOTED = """# Code

```py
\"\"\"The file ``tides.toml`` and the method ``ebb``.\"\"\"

def read_it(path):
    \"\"\"Read ``path`` for ``waitFor``.\"\"\"
```
"""


MANY = "See `ebb`.\n" * 1_000


@for_each_row(
    ("text", "is_near"),
    [
        ("See `tides.toml`.", True),
        ("See `other/tides.toml`.", False),
        ("Waits as `waitFor` says.", True),
        ("The `path` of it.", False),  # of a function: a parameter
        ("See `ebb`.", True),
        (MANY, False),  # many passages quote it
        (f"## `ebb`\n\nComes down.\n\n## Flow\n\n{MANY}", True),
        ("The ebb comes.", False),
    ],
)
def test_passages_that_quote_what_the_source_quotes_are_near(text: str, is_near: bool) -> None:
    snapshot = snapshot_of({"code.md": QUOTED, "Ice.md": f"{text}\n"})
    insights = finished(code_insights(snapshot, "what calls read_it"))
    found = finished(explaining_slots(snapshot, insights))
    note_id = snapshot.graph.note_id("Ice.md")
    assert note_id is not None
    first = snapshot.passages.slots.slots_of(note_id).start + 1
    assert [slot for slot in found.near if slot >= first] == [first] * is_near
