"""Code that does not fit into a pack is cut between functions, and each part says what it is in."""

import re

import pytest

from clew.query.context.shown.code_lines import enclosing_lines, line_cuts
from clew.text.regions.fenced_code import code_at
from tests.pace import slowness
from tests.query.context.packs import pack
from tests.tables import for_each_row
from tests.timed import least_s
from tests.vaults import snapshot_of

RUST = """use std::collections::HashMap;

pub struct Cache {
    pages: HashMap<u64, Page>,
    order: Vec<u64>,
}

impl Cache {
    pub fn get(&mut self, key: u64) -> Option<&Page> {
        self.touch(key);
        self.pages.get(&key)
    }

    // Evicts before it inserts.
    pub fn put(&mut self, key: u64, page: Page) {
        while self.pages.len() >= CAPACITY {
            let oldest = self.order.remove(0);
            self.pages.remove(&oldest);
            self.evict();
        }
        self.order.push(key);
        self.pages.insert(key, page);
    }

    fn evict(&mut self) {
        for key in self.order.iter() {
            if self.is_stale(*key) {
                self.pages.remove(key);
            }
        }
    }
}
"""
PYTHON = '''import os

class Store:
    """Keeps notes."""

    def __init__(self, path):
        self.path = path
        self.notes = {}

    @property
    def size(self):
        return len(self.notes)

    def put(
        self,
        name,
        text,
    ):
        if name in self.notes:
            self.evict_old(name)
        for old in list(self.notes):
            if old.startswith(name):
                del self.notes[old]
        self.notes[name] = text
        self.write_journal(name, text)
        return self.notes[name]

    def evict_old(self, name):
        journal = self.open_journal()
        journal.write(name)
        journal.close()


def main():
    store = Store(".")
    store.put("a", "b")
'''
# What is in a function, and the head of that.
USES = {
    "rust": {"self.evict();": "pub fn put", "is_stale": "fn evict", "pages.get": "pub fn get"},
    "python": {"self.evict_old(": "def put", "del self": "def put", "journal.close": "def evict_"},
}
CODE = {"rust": RUST, "python": PYTHON}


def first_lines(code: str) -> list[str]:
    cuts = [0, *line_cuts(code, 0, len(code), 100)]
    return [code[cut:].partition("\n")[0].strip() for cut in cuts]


@for_each_row(
    ["code", "lines"],
    [
        (
            RUST,
            ["use std::collections::HashMap;", "impl Cache {", "// Evicts before it inserts.",
             "self.order.push(key);", "fn evict(&mut self) {"],
        ),
        (
            PYTHON,
            ["import os", "@property", "def put(", "for old in list(self.notes):",
             "def evict_old(self, name):", "def main():"],
        ),
        (f"```py\n{PYTHON}```"[:160], ["```py", "@property"]),
        ("x = 1\n" * 40, ["x = 1"] * 3),
        ("x", ["x"]),
        ("", [""]),
    ],
)  # fmt: skip
def test_code_is_cut_before_lines_that_are_indented_least(code: str, lines: list[str]) -> None:
    assert first_lines(code) == lines


@for_each_row(
    ["language", "line", "heads"],
    [
        ("rust", "if self.is_stale", ["impl Cache {", "    fn evict(&mut self) {"]),
        ("rust", "pages: HashMap", ["pub struct Cache {"]),
        ("rust", "impl Cache", []),
        ("python", "del self.notes", ["class Store:", "    def put("]),
        ("python", "name,", ["class Store:", "    def put("]),
    ],
)  # fmt: skip
def test_lines_of_code_are_in_functions_and_classes(
    language: str, line: str, heads: list[str]
) -> None:
    text = f"Text.\n\n```{language}\n{CODE[language]}```\n"
    at = text.rindex("\n", 0, text.index(line)) + 1
    code = code_at(text, at)
    assert code is not None
    assert [text[start:end] for start, end in enclosing_lines(text, code, at)] == heads


def test_braces_on_lines_of_their_own_and_labels_are_no_heads() -> None:
    text = "```cpp\nclass A\n{\npublic:\n  int f()\n  {\n    return 1;\n```\n"
    code, at = code_at(text, 10), text.index("    return")
    assert code is not None
    heads = [text[start:end] for start, end in enclosing_lines(text, code, at)]
    assert heads == ["class A", "  int f()"]


@pytest.mark.parametrize("template", ["default", "compact"])
@pytest.mark.parametrize("language", CODE)
def test_code_in_a_pack_says_which_function_it_is_in(language: str, template: str) -> None:
    note = f"# Cache\n\nIt keeps pages.\n\n```{language}\n{CODE[language]}```\n\nAfter it.\n"
    snapshot = snapshot_of({"Cache.md": note})
    for query in ("what evicts old pages in put?", "open_journal write"):
        for budget in range(60, 300, 12):
            text = pack(snapshot, query, token_budget=budget, template=template).context
            for shown in re.findall(r"```\w*\n(.*?)\n```", text, re.DOTALL):
                assert re.search(r"\w", shown), text
                for use, head in USES[language].items():
                    assert head in shown or use not in shown, text


def test_what_is_left_out_below_the_head_of_a_function_is_marked_in_its_code() -> None:
    snapshot = snapshot_of({"Cache.md": f"# Cache\n\n```rust\n{RUST}```\n"})
    text = pack(snapshot, "self.order.push page insert", token_budget=110).context
    assert "```rust\nimpl Cache {\n    […]\n    pub fn put(" in text
    assert "{\n        […]\n        self.order.push(key);" in text


@for_each_row("budget", [60, 80, 110, 150, 200, 400])
def test_code_in_part_has_its_fence_and_a_reference_without_the_heads_above_it(budget: int) -> None:
    methods = "".join(
        f"    def kraken{n}(self):\n        return {n} * self.size\n\n" for n in range(24)
    )
    code = f"class Store:\n{methods}    def omega(self):\n        return self.tides\n"
    for text in (f"# Store\n\n```python\n{code}```\n", f"```python\n{code[-600:]}```\n"):
        snapshot = snapshot_of({"Store.md": text})
        context = pack(snapshot, "omega of the tides", token_budget=budget).context
        parts = context.split("```")
        shown = "".join(parts[1::2])
        assert len(parts) % 2 == 1
        assert "def omega" in shown
        assert not any("def " in prose for prose in parts[::2])
        reference = re.search(r"Store\.md#L(\d+)-L(\d+)~", context)
        assert reference is not None
        first, last = (int(number) for number in reference.groups())
        lines = text.split("\n")
        cited = "\n".join(lines[first - 1 : last])
        assert ("kraken0(" in cited) == ("kraken0(" in shown)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["x\n", "  }\n", "\n", "f(\n", "> > x\n", "\t" * 90 + "x\n"])
def test_code_is_cut_in_linear_time(line: str) -> None:
    def seconds(size: int) -> float:
        text = line * (size // len(line))
        return least_s(lambda: list(line_cuts(text, 0, len(text), 100)), times=3)

    large_s = seconds(200_000)
    assert large_s < 0.5 or large_s < max(0.5 * slowness(), 20 * seconds(20_000))
