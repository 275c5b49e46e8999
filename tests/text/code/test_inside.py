"""What is said inside of functions: what they raise, and the comments in their bodies."""

from clew.text.code.parse import INSIDE_CHARACTERS_MAX
from tests.codes import code_file
from tests.tables import for_each_row

PYTHON = '''# of the module
import os  # noqa: F401

class Store:
    # of the class
    size = 1

    # above the method
    def open(self, path):
        """Open it.

        Args:
            path: where.

        Raises:
            OSError: it is gone,
                or in use.
            ValueError: never.

        Returns:
            Nothing.
        """
        # the lock
        # is held
        os.open(path)  # type: ignore

        def inner():
            # in the inner one
            return 1

        return inner  # which is late

def bare():
    """Raises: nothing."""

def empty(): ...
'''
TYPESCRIPT = """
// above
function open() {
  /* one
   * two */
  const rows = [
    // three
    1,
  ];
  // ----------
  return rows.map((row) => row); // four
}
"""


def insides(path: str, text: str) -> dict[str, str]:
    return {each.qualified: each.inside for each in code_file(path, text).entities if each.inside}


def test_what_python_says_inside() -> None:
    assert insides("a.py", PYTHON) == {
        "Store.open": "OSError: it is gone, or in use. ValueError: never; the lock is held; "
        "which is late",
        "Store.open.inner": "in the inner one",
    }


def test_what_typescript_says_inside() -> None:
    assert insides("a.ts", TYPESCRIPT) == {"open": "one two; three; four"}


@for_each_row("language", ["py", "js"])
def test_what_is_said_inside_has_a_bound(language: str) -> None:
    mark, head, end = {"py": ("#", "def f():", ""), "js": ("//", "function f() {", "}")}[language]
    body = "".join(f"    go({number})  {mark} word {number}\n" for number in range(500))
    (said,) = insides(f"a.{language}", f"{head}\n{body}{end}\n").values()
    assert said.startswith("word 0; word 1; ")
    assert INSIDE_CHARACTERS_MAX - 20 < len(said) <= INSIDE_CHARACTERS_MAX + 2
