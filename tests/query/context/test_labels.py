"""A note that has the lines of a pack word for word writes none of them in another pack."""

from collections.abc import Iterator
from typing import Any

from clew.engine.snapshot import Snapshot
from clew.query.quoting.labels import Remark
from clew.query.quoting.note_text import quoted
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.vaults import snapshot_of

CODE = '''# Auth

```py
class Service: ...

class AuthService(Service):
    """Hands out tokens."""

    def login(self, user):
        return read_token(user)

class Other(AuthService): ...

def read_token(user):
    """Read the token of a user."""

def handle(request):
    AuthService().login(request.user)
```
'''
NOTES = {
    "Auth.md": CODE,
    "Why.md": "# Why\n`AuthService` hands out tokens, as `code/auth.py` does.\n",
    "Tide.md": "---\ntags: [sea]\nimportance: 0.9\ncreated: 2026-11-17\nsuperseded_by: Moon\n---\n"
    "The [[moon]] moves the [[tide]] with the [[sun]]. See [[tide.py]].\n",
    "Moon.md": "The [[moon]] and the [[sun]] make the [[spring tide]].\n" + "Sand.\n\n" * 300,
    "Neap.md": "The [[neap tide]] comes with the half [[moon]], and a [[tide]] is low.\n",
}


def packs(snapshot: Snapshot) -> Iterator[str]:
    for template in ("default", "detailed", "compact"):
        for query, fields in (
            ("tide and moon last summer", {"embed_metadata": True}),
            ("how does the tide follow the moon since 2026", {"token_budget": 300}),
            ("what did I write in March 1987 about the tide", {}),
            ("notes on the tide from 2026", {}),
            ("what calls AuthService", {}),
            ("what calls read_token", {}),
            ("what implements Service", {}),
            ("half of the money", {}),
            ("zebra", {}),
            ("sand of the moon", {"exclude": tuple(NOTES), "include_graph_rag": False}),
        ):
            given: dict[str, Any] = {"template": template, **fields}
            yield pack(snapshot, query, **given).context


SNAPSHOT = snapshot_of(NOTES)


def test_no_line_of_a_pack_is_shown_as_it_is() -> None:
    """Rows of lists are, since they stand below a heading that no note can forge."""
    texts = list(packs(SNAPSHOT))
    of_notes = {line for text in NOTES.values() for line in text.split("\n")}
    lines = {line for text in texts for line in text.split("\n") if line.strip()}
    own = {line for line in lines - of_notes if not line.startswith(("```", "- "))}
    assert not {line for line in own if quoted(line) == line}


def test_the_packs_of_this_test_have_all_remarks() -> None:
    text = "\n".join(packs(SNAPSHOT))
    assert not [label for label in Remark if f"*{label}" not in text and f"| {label}" not in text]


@for_each_row(
    ("line", "shown"),
    [
        *((f"*{label} x*", f"\\*{label} x*") for label in Remark),
        ("> - 1. *Period: x*", "> - 1. \\*Period: x*"),
        ("- Notes: x", "- Notes: x"),
        ("*2026-11-17, not of the period*", "\\*2026-11-17, not of the period*"),
        ("*2026-11-17*", "\\*2026-11-17*"),
        ("*2026-11-17* was stormy", "*2026-11-17* was stormy"),
    ],
)
def test_a_label_begins_with_a_backslash(line: str, shown: str) -> None:
    assert quoted(line) == shown
