"""Which fenced blocks of a note are read as code, and what is said of those that are not."""

import pytest

from clew.text.code.fences import BLOCKS_MAX
from clew.values.vault import ReadNote
from tests.vaults import read_note

NOTE = """---
title: Store
---
# Store

```python
class Store:
    def open(self):
        return read()
```

- In a list:

  ```py title="more"
  def read():
      return Store().open()
  ```

> ```ts
> function read() { go(); }
> ```

```brainfuck
+++
```

    def indented(): ...

```
def plain(): ...
```
"""


def symbols(read: ReadNote) -> list[tuple[str, str, int, int]]:
    return [
        (file.path, entity.symbol_id, entity.first_line, entity.last_line)
        for file in read.code
        for entity in file.entities
    ]


def test_blocks_of_known_languages_are_read_with_the_lines_of_the_note() -> None:
    read = read_note("n/a.md", NOTE)
    assert symbols(read) == [
        ("n/a.md#1", "n/a.md::a::module", 7, 9),
        ("n/a.md#1", "n/a.md::Store::class", 7, 9),
        ("n/a.md#1", "n/a.md::Store.open::method", 8, 9),
        ("n/a.md#2", "n/a.md::a::module#2", 15, 16),
        ("n/a.md#2", "n/a.md::read::function", 15, 16),
        ("n/a.md#3", "n/a.md::a::module#3", 20, 20),
        ("n/a.md#3", "n/a.md::read::function#2", 20, 20),
    ]
    calls = [(call.name, call.line) for file in read.code for call in file.calls]
    assert calls == [("read", 9), ("Store", 16), ("open", 16), ("go", 20)]
    assert read.note.problems == ()


def test_lines_are_those_of_the_note_itself() -> None:
    lines = NOTE.split("\n")
    for file in read_note("a.md", NOTE).code:
        for entity in file.entities[1:]:
            assert entity.name in lines[entity.first_line - 1]


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("```py\n" + "x;" * 2_501 + "\n```\n", 1),
        ("text\n\n```js\n" + "x = 1\n" * 60_000 + "```\n", 3),
        ("```ts\n" + "\n".join("(" * 4_000 for _ in range(20)) + "\n```\n", 1),
    ],
)
def test_a_block_that_is_too_much_is_a_problem_and_the_others_are_read(
    block: str, line: int
) -> None:
    read = read_note("a.md", block + "\n```py\ndef f(): ...\n```\n")
    assert [(problem.code, problem.line) for problem in read.note.problems] == [
        ("codeSkipped", line)
    ]
    assert [file.entities[-1].name for file in read.code] == ["f"]


def test_the_code_of_one_note_is_bounded() -> None:
    many = read_note("a.md", "```py\nf()\n```\n\n" * (BLOCKS_MAX + 5))
    assert len(many.code) == BLOCKS_MAX
    assert [problem.code for problem in many.note.problems] == ["codeSkipped"]
    large = read_note(
        "a.md",
        (
            "```py\n"
            + "def f():\n    return some_name(argument_one, argument_two)\n" * 2_000
            + "```\n\n"
        )
        * 3,
    )
    assert len(large.code) == 2
    assert [problem.code for problem in large.note.problems] == ["codeSkipped"]


HOSTILE_BLOCK = "```rust\n" + ("a," * 100 + "\n") * 250 + "```\n\n"


@pytest.mark.slow
@pytest.mark.parametrize(("hostile", "is_read"), [(1, True), (2, False)])
def test_a_block_full_of_errors_is_lost_alone(hostile: int, is_read: bool) -> None:
    read = read_note("a.md", HOSTILE_BLOCK * hostile + "```python\ndef f(): ...\n```\n")
    assert len(read.code) == is_read
    assert {problem.code for problem in read.note.problems} == {"codeSkipped"}
    assert len(read.note.problems) == hostile + (not is_read)
