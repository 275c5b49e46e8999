"""What a pack tells of code that nothing calls by its name, but that is handed over."""

import pytest

from clew.engine.apply import Engine
from clew.query.code.explanations import explaining_slots
from clew.query.code.related import code_insights
from clew.query.slices import finished
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code
from clew.values.vault import Batch, ReadCode, Stamp
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import engine_of, snapshot_of

FILES = {
    "shoals/first.py": '''"""Keeps what comes first."""

def keep_first(rows, key):
    """Keep the first row of each key, since a later one may be a copy."""
''',
    "boats/dedupe.py": '''"""Boats."""

from first import keep_first

def drop_copies(boats):
    """Drop copies of boats. Boats are told apart by ``key_of``, as names change."""
    def key_of(boat): ...
    # the oldest is the real one
    return keep_first(boats, key_of)

def tidy(boats):
    return drop_copies(boats)

JOBS = {"daily": tidy}

def tidy_all(harbours):
    tidy(harbours)
    tidy(list(harbours))
''',
}
NOTES = {
    "First.md": "We use `keep_first`, as sorting lost the order of arrival.\n",
    "Drop.md": "In `drop_copies`, the oldest boat is the real one.\n",
    "Shoals.md": "What is in `shoals/first.py` was asked for by the harbour.\n",
    "Other.md": "Nothing of it.\n",
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = engine_of(NOTES)
    for path, code in FILES.items():
        file, _ = parse_code(path, code, BY_NAME["python"])
        engine.apply(Batch(code=(ReadCode(path, Stamp(1, 1, 1, 1), file),)))
    return engine


def test_a_pack_tells_what_it_is_handed_to_and_what_both_say(engine: Engine) -> None:
    text = pack(engine.snapshot, "what calls `key_of`, and why?").context
    assert (
        "- Called by: nothing by its name, but it is handed over\n"
        "- Handed over in: `drop_copies` (boats/dedupe.py#L9, local: "
        '"the oldest is the real one"; about: '
        '"Drop copies of boats. Boats are told apart by ``key_of``, as names change"), '
        "to `keep_first` (shoals/first.py#L3-L4: "
        '"Keep the first row of each key, since a later one may be a copy"), '
        "which `tidy` (boats/dedupe.py#L12) calls\n"
    ) in text


def test_a_compact_pack_names_it_only(engine: Engine) -> None:
    text = pack(engine.snapshot, "what calls `key_of`?", template="compact").context
    assert "handed over in: `drop_copies` to `keep_first` (boats/dedupe.py#L9)" in text


def test_what_calls_a_caller_or_hands_it_over_is_told(engine: Engine) -> None:
    text = pack(engine.snapshot, "what calls `drop_copies`?").context
    places = (
        "`tidy_all` (boats/dedupe.py#L17, #L18) calls "
        "and `dedupe` (boats/dedupe.py#L14, outside of functions) hands over"
    )
    assert f"- Called by: `tidy` (boats/dedupe.py#L12, local), which {places}\n" in text


@for_each_row(
    ("path", "is_near"), [("First.md", True), ("Drop.md", True), ("Shoals.md", True),
                          ("Other.md", False)]
)  # fmt: skip
def test_notes_that_speak_of_both_ends_or_their_files_are_near(
    engine: Engine, path: str, *, is_near: bool
) -> None:
    snapshot = engine.snapshot
    insights = finished(code_insights(snapshot, "what calls `key_of`"))
    found = finished(explaining_slots(snapshot, insights))
    note_id = snapshot.graph.note_id(path)
    assert note_id is not None
    first = snapshot.passages.slots.slots_of(note_id).start + 1
    assert (first in found.near) == is_near


def docstring(*sentences: str) -> str:
    body = f'    """{" ".join(sentences)}"""\n    the_target()\n'
    return f"def use_it():\n{body}\ndef the_target(): ...\n"


LONG = f"{'It is long and says little ' * 20}."


@for_each_row(
    ("sentences", "shown"),
    [
        (("First.", "Calls ``the_target`` next.", LONG), "First. Calls ``the_target`` next. It is"),
        (("First.", "Second.", "Calls ``the_target``.", LONG), "First. … Calls ``the_target``. It"),
        (("Calls ``the_target`` first.", LONG), "Calls ``the_target`` first"),
        (("First.", LONG), "First"),
        ((LONG, "Calls ``the_target``."), "It is long and says little"),
    ],
)
def test_a_long_docstring_keeps_the_sentence_with_the_name(
    sentences: tuple[str, ...], shown: str
) -> None:
    note = f"```py\n{docstring(*sentences)}```\n"
    text = pack(snapshot_of({"a.md": note}), "what calls `the_target`?").context
    (row,) = (line for line in text.splitlines() if line.startswith("- Called by: "))
    assert row.partition('local: "')[2].startswith(shown)


USES = {
    "made.py": "class Made:\n    def run(self): ...\n"
    "    @classmethod\n    def new(cls): return cls()\n",
    "calls.py": '"""Runs it."""\n\nfrom made import Made\ndef go(made: Made): made.run()\n',
    "passes.py": '"""Keeps it."""\n\nfrom made import Made\nTABLE = [Made]\n',
}


@for_each_row(
    ("files", "row"),
    [
        (("made.py", "calls.py"), "- The file of its callers: Runs it."),
        (("made.py", "passes.py"), "- The file that hands it over: Keeps it."),
    ],
)
def test_the_file_of_the_users_says_how_they_use_it(files: tuple[str, ...], row: str) -> None:
    engine = engine_of({"a.md": "A note.\n"})
    for path in files:
        file, _ = parse_code(path, USES[path], BY_NAME["python"])
        engine.apply(Batch(code=(ReadCode(path, Stamp(1, 1, 1, 1), file),)))
    assert row in pack(engine.snapshot, "what calls `Made`?").context


def test_users_of_users_are_counted_by_what_they_do() -> None:
    code = "def target(): ...\n\ndef middle(): target()\n\n"
    code += "".join(f"def call_{n}(): middle()\n\n" for n in range(3))
    code += "".join(f"def pass_{n}(): on(middle)\n\n" for n in range(2))
    code += "def both():\n    middle()\n    on(middle)\n"
    text = pack(snapshot_of({"a.md": f"```py\n{code}```\n"}), "what calls `target`?").context
    (row,) = (line for line in text.splitlines() if line.startswith("- Called by: "))
    assert row.endswith(" and 1 more call and 2 more hand over")


def test_code_without_a_docstring_is_told_by_what_it_calls() -> None:
    code = (
        'def bare():\n    one()\n    two()\n\ndef one():\n    """Open it. Late."""\n\n'
        'def two():\n    """Close it."""\n'
    )
    snapshot = snapshot_of({"a.md": f"```py\n{code}```\n"})
    (insight,) = finished(code_insights(snapshot, "what calls `bare`"))
    assert insight.calls_about == "Open it. Close it"
