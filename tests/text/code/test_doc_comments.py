"""What the source says of its entities: docstrings and comments."""

from hypothesis import given
from hypothesis import strategies as st

from clew.text.code.doc_comments import CHARACTERS_MAX, LINES_MAX, comment_lines, running_text
from tests.codes import code_file
from tests.tables import for_each_row
from tests.text.test_linear import NOTE_SIZE, assert_linear

PYTHON = '''# Copyright.
"""Reads sensors.

They answer late.
"""

class Store:
    r"""Keeps readings \\d.

    Args:
        path: where.
    """

    @property
    # noqa: this is for a tool
    def size(self): return 1

    # The lock is held, or two readers
    # would see half of a write.
    @cached
    def open(self, path):
        # a comment first
        "Opens it."

# -- reading ---------------------------

def read(): ...

def rows():
    """Return rows.

    >>> rows()
    """

def text(): f"{1}"
'''

TYPESCRIPT = """
/**
 * Keeps readings.
 *
 * @param path where
 */
@Injectable()
export class Store {
  /* Sums
     a * b of all */
  sum() {}

  // Opened late,
  // since most are never read.
  // eslint-disable-next-line no-empty
  open() {}

  x = 1; /* not of close */
  close() {}
}

/* One line. */
export const go = () => 1;

let y = 2;
// apart

export function apart() {}
"""

OTHERS = {
    "a.go": ("// Open opens it.\n//go:noinline\nfunc Open() {}\n", "Open opens it."),
    "a.rs": (
        "/// Opens `it`.\n///\n/// # Panics\n///\n/// Never.\n#[inline]\nfn open() {}\n",
        "Opens `it`.",
    ),
    "a.java": (
        "class A {\n  /** Opens it.\n   *  @return it */\n  int open() { return 1; }\n}\n",
        None,
    ),
    "a.c": (
        "/*\n * Opens it,\n * late.\n */\nstatic int\nopen(void) { return 1; }\n",
        "Opens it, late.",
    ),
    "a.cpp": ("//! Opens it.\ntemplate <class T>\nint open(T t) { return 1; }\n", "Opens it."),
}


def about(path: str, text: str) -> dict[str, str]:
    return {entity.qualified: entity.about for entity in code_file(path, text).entities}


def test_docstrings_and_comments_of_python() -> None:
    assert about("a.py", PYTHON) == {
        "a": "Reads sensors. They answer late.",
        "Store": "Keeps readings \\d.",
        "Store.size": "",
        "Store.open": "Opens it.",
        "read": "",
        "rows": "Return rows.",
        "text": "",
    }
    bare = about("a.py", PYTHON.replace('        "Opens it."', "        pass"))
    assert bare["Store.open"] == "The lock is held, or two readers would see half of a write."


def test_comments_of_typescript() -> None:
    assert about("a.ts", TYPESCRIPT) == {
        "a": "",
        "Store": "Keeps readings.",
        "Store.sum": "Sums a * b of all",
        "Store.open": "Opened late, since most are never read.",
        "Store.close": "",
        "go": "One line.",
        "apart": "",
    }


@for_each_row(("path", "text", "expected"), [(path, *row) for path, row in OTHERS.items()])
def test_comments_of_other_languages(path: str, text: str, expected: str | None) -> None:
    last = code_file(path, text).entities[-1]
    assert (last.name.lower(), last.about) == ("open", expected or "Opens it.")


@for_each_row(
    ("path", "text"),
    [
        ("a.c", '#include "util.h"\nstatic int open(void) { return 1; }\n'),
        ("a.ts", "class A {\n  #total = 0;\n  open() {}\n}\n"),
    ],
)
def test_a_line_with_a_hash_is_a_comment_in_python_alone(path: str, text: str) -> None:
    assert code_file(path, text).entities[-1].about == ""


def test_a_file_may_be_a_docstring_alone() -> None:
    assert about("a.py", '"""Of the file."""\n') == {"a": "Of the file."}
    assert about("a.py", "") == about("a.py", "# only a comment\n") == {"a": ""}


@given(st.lists(st.text(max_size=80), max_size=2 * LINES_MAX))
def test_text_is_one_bounded_line(lines: list[str]) -> None:
    text = running_text(lines)
    assert len(text) <= CHARACTERS_MAX + 2
    assert text == " ".join(text.split())


def test_long_text_is_cut_at_a_word() -> None:
    text = running_text(["word " * 400])
    assert text.endswith("word …")
    assert CHARACTERS_MAX - 10 < len(text) <= CHARACTERS_MAX + 2


@for_each_row("start", ["", "Args", ":x:", "#", "# noqa", "/*"])
def test_a_run_of_spaces_is_read_in_linear_time(start: str) -> None:
    """Spaces before what would end a pattern are not tried one by one."""
    assert_linear(lambda spaces: running_text([start + spaces + "x"]), " ", NOTE_SIZE, "")
    assert_linear(lambda spaces: comment_lines(start + spaces + "x"), " ", NOTE_SIZE, "")
