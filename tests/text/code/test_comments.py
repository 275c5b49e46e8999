"""The comments that belong to calls, and to what is handed over."""

from clew.text.code.comments import CALLS_A_COMMENT_MAX, CHARACTERS_MAX, COMMENTS_MAX
from tests.codes import code_file
from tests.tables import for_each_row
from tests.text.code.commented_code import CASES


def comments(path: str, text: str) -> dict[str, str]:
    return {call.name: call.comment for call in code_file(path, text).calls}


@for_each_row(("path", "text", "expected"), CASES)
def test_comments_of_calls(path: str, text: str, expected: dict[str, str]) -> None:
    assert comments(path, text) == expected


@for_each_row(("path", "text"), [(case.path, case.text) for case in CASES])
def test_windows_line_ends_change_nothing(path: str, text: str) -> None:
    assert comments(path, text.replace("\n", "\r\n")) == comments(path, text)


@for_each_row("path", [case.path for case in CASES])
def test_code_without_comments_has_none(path: str) -> None:
    text = next(case.text for case in CASES if case.path == path)
    bare = "\n".join(line for line in text.split("\n") if not set(line) & set("#/*"))
    assert not any(comments(path, bare).values())


PASSED = """
def run(): ...

# of the table
TABLE = {
    # of the item
    "a": run,
    "b": run,  # beside
    "c": run,
}
start(
    run  # of the argument
)
"""


def test_comments_of_what_is_handed_over() -> None:
    shown = [(each.line, each.comment) for each in code_file("a.py", PASSED).passed]
    assert shown == [
        (7, "of the item"),
        (8, "beside"),
        (9, "of the table"),
        (12, "of the argument"),
    ]


LONG = "word " * 60


@for_each_row(
    ("comment", "expected"),
    [
        ("# " + LONG, ("word " * (CHARACTERS_MAX // 5)).strip() + " …"),
        ("# " + "x" * 200, ""),
        ("# " + "海" * 200, "海" * CHARACTERS_MAX + " …"),
        ("#", ""),
        ("#!", ""),
        ("# see #12", "see #12"),
        ("# a: b", "a: b"),
        ("# Returns:", ""),
    ],
)
def test_the_text_of_a_comment(comment: str, expected: str) -> None:
    assert comments("a.py", f"{comment}\nabove()\nbeside()  {comment}\n") == {
        "above": expected,
        "beside": expected,
    }


def test_a_comment_is_given_to_few_calls() -> None:
    names = [f"f{number}" for number in range(CALLS_A_COMMENT_MAX + 3)]
    calls = ", ".join(f"{name}()" for name in names)
    for text in (f"# why\n[{calls}]\n", f"[{calls}]  # why\n"):
        given = [name for name, comment in comments("a.py", text).items() if comment]
        assert given == names[:CALLS_A_COMMENT_MAX]


def test_only_the_first_comments_of_a_file_are_kept() -> None:
    text = "".join(f"# why\nf{number}()\n" for number in range(COMMENTS_MAX + 5))
    assert [name for name, comment in comments("a.py", text).items() if not comment] == [
        f"f{COMMENTS_MAX + number}" for number in range(5)
    ]


def test_a_file_may_be_comments_alone() -> None:
    assert comments("a.py", "# only\n# these") == {}
