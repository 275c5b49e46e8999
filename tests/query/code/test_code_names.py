"""Which words of a note are names of code."""

import pytest

from clew.text.markdown.code_names import code_names, name_parts
from clew.text.regions.fenced_code import code_blocks
from tests.pace import slowness
from tests.tables import for_each_row
from tests.timed import check_within, least_s


def names(text: str) -> list[str]:
    fences = [(block.start, block.end) for block in code_blocks(text)]
    return [".".join(parts) for parts in code_names(text, fences)]


@for_each_row(
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


@for_each_row(
    ("text", "parts"),
    [
        ("Store.open", ("Store", "open")),
        (" `Store::open()` ", ("Store", "open")),
        ("Store#open", ("Store", "open")),
        ("open(path, 3)", ("open",)),
        ("two words", ()),
        ("", ()),
        ("a.md", ("a", "md")),
        ("my_vec!", ("my_vec!",)),
        ("my_vec!(1, 2)", ("my_vec!",)),
        ("it is done!", ()),
        ("Vector::operator+", ("Vector", "operator+")),
        ("`operator ==`", ("operator==",)),
        ("Call.operator()(int)", ("Call", "operator()")),
        ("Pointer->operator->()", ("Pointer", "operator->")),
        ("operator  new[]", ("operator new[]",)),
        ("operator.add", ("operator", "add")),
        ("Vector::~ Vector()", ("Vector", "~Vector")),
        ("#own", ("#own",)),
        ("Store.#own", ("Store", "#own")),
    ],
)
def test_a_name_is_read_as_people_write_it(text: str, parts: tuple[str, ...]) -> None:
    assert name_parts(text) == parts


@for_each_row("step", ["operator->::", "operator!::", "operator-->->", "~operator<=>"])
def test_a_name_that_can_be_read_in_many_ways_is_read_soon(step: str) -> None:
    check_within(0.1, lambda: name_parts(f"{step * (300 // len(step))}?"))


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


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_names_are_found_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        return least_s(lambda: names(text), times=3)  # other programs slow down some

    large_s = seconds(200_000)
    assert large_s < 0.5 or large_s < max(0.5 * slowness(), 20 * seconds(20_000))
