"""What a pack tells of the callers of code, and of where it is handed over as a value."""

from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

HANDED_OVER = """# Reading

```py
def read_all(x): ...

def start(): Thread(target=read_all)

TABLE = {"read": read_all, "again": read_all}
```
"""


def test_a_function_that_is_only_handed_over_says_where() -> None:
    text = pack(snapshot_of({"a.md": HANDED_OVER}), "what calls read_all()?").context
    assert "- Called by: nothing by its name, but it is handed over\n" in text
    places = (
        "`start` (memory://a.md#L6, local), to `Thread`, "
        "`a` (memory://a.md#L8, outside of functions, local)"
    )
    assert f"- Handed over in: {places}\n" in text


def test_places_that_hand_a_function_over_are_shown_in_brief_where_budgets_are_small() -> None:
    places = "".join(f"def place_{n}_of_them_somewhere(): on(read_all)\n\n" for n in range(12))
    snapshot = snapshot_of({"a.md": HANDED_OVER.replace("TABLE", f"{places}TABLE")})
    shown = []
    for budget in (300, 2_000):
        text = pack(snapshot, "what calls read_all()?", token_budget=budget).context
        (row,) = (row for row in text.splitlines() if row.startswith("- Handed over in: "))
        count = row.count("memory://")
        assert row.endswith(f" and {14 - count} more")
        shown.append(count)
    assert shown[0] < shown[1] == 8


METHODS_HANDED_OVER = '''# Watching

```py
class Watcher:
    def run(self): ...

    def _poll(self): ...

    def begin(self): Thread(target=self._poll)


def start(watcher: Watcher):
    """Start "watching" the folder. Ends with the process."""
    Thread(target=watcher.run)
    Watcher()
```
'''


def test_a_class_says_where_its_methods_are_handed_over() -> None:
    text = pack(snapshot_of({"a.md": METHODS_HANDED_OVER}), "what calls Watcher?").context
    places = (
        "`start` hands over `run` (memory://a.md#L14, local), to `Thread`, "
        "`Watcher.begin` hands over `_poll` (memory://a.md#L9, self), to `Thread`"
    )
    assert f"- Its methods are handed over in: {places}\n" in text


def callers_of_read(count: int, about: str) -> str:
    """Return the row of what calls a function that so many others with this docstring call."""
    callers = "".join(
        f'def caller_{n}():\n    """{about}"""\n    read_it()\n\n' for n in range(count)
    )
    text = f"```py\ndef read_it(): ...\n```\n\n```py\n{callers}```\n"
    pack_text = pack(snapshot_of({"a.md": text}), "what calls `read_it`?").context
    return next(row for row in pack_text.splitlines() if row.startswith("- Called by: "))


LONG = f'Reads the "next" one. It {"waits " * 14}for it.'


@for_each_row(
    ("count", "about", "expected"),
    [
        (1, "Reads it. And waits.", "Reads it. And waits"),
        (2, LONG, LONG.replace('"', "'").rstrip(".")),
        (3, LONG, "Reads the 'next' one"),
        (3, "Reads it. And waits.", "Reads it. And waits"),
        (1, f"Reads it. {'x ' * 300}.", "Reads it"),
    ],
)
def test_few_callers_are_shown_with_all_of_their_docstrings(
    count: int, about: str, expected: str
) -> None:
    assert callers_of_read(count, about).count(f', local: "{expected}")') == count


def test_a_compact_pack_says_nothing_of_callers() -> None:
    snapshot = snapshot_of({"a.md": METHODS_HANDED_OVER})
    brief = pack(snapshot, "what calls Watcher?", template="compact").context
    assert "Start" not in brief.partition("```")[0]
