"""Which words of a note are names of code."""

import time

import pytest

from clew.query.context.shown.code import code_blocks
from clew.text.markdown.code_names import code_names, name_parts
from tests.pace import slowness


def names(text: str) -> list[str]:
    fences = [(block.start, block.end) for block in code_blocks(text)]
    return [".".join(name.parts) for name in code_names(text, fences)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "The AuthService asks validateToken and check_user.",
            "AuthService validateToken check_user",
        ),
        ("An HTTPServer, not an HTTP server or a Server.", "HTTPServer"),
        ("It calls open() and load(path), not the note(s) or class(es).", "open load"),
        ("`open` and `Store.open()` and `Store::open(path, 3);`", "open Store.open Store.open"),
        ("`run the tests` and `run_tests now`", "run_tests"),
        ("``open`` and `` Store#close ``", "open Store.close"),
        ("see store.open_all. Then stop.", "store.open_all"),
        ("a well-known word, a #tag/nested and 3rd_party", ""),
        ("```py\nopen(x)\nAuthService(1)\n```\nopen(y)", "AuthService open"),
        ("naïve `größe` and größe_ändern", "größe größe_ändern"),
        ("", ""),
        ("`", ""),
    ],
)
def test_names_of_code_are_found(text: str, found: str) -> None:
    assert names(text) == found.split()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Store.open", ("Store", "open")),
        (" `Store::open()` ", ("Store", "open")),
        ("Store#open", ("Store", "open")),
        ("open(path, 3)", ("open",)),
        ("two words", ()),
        ("", ()),
        ("a.md", ("a", "md")),
    ],
)
def test_a_name_is_read_as_people_write_it(text: str, parts: tuple[str, ...]) -> None:
    assert name_parts(text) == parts


HOSTILE = (
    "`",
    "`a",
    "``a`",
    "a.",
    "a_",
    "aA",
    "(",
    "a(",
    "::",
    "a::",
    "x`y`",
    "_a_",
    "A",
    "Aa",
    "`a(",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_names_are_found_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text, took_s = piece * (size // len(piece)), []
        for _ in range(3):  # other programs slow down some
            began = time.process_time()
            names(text)
            took_s.append((time.process_time() - began) / slowness())
        return min(took_s)

    assert seconds(200_000) < max(0.5, 20 * seconds(20_000))
