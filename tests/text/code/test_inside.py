"""What is said inside of functions: what they raise, and the comments in their bodies."""

from clew.text.code.parse import INSIDE_CHARACTERS_MAX
from clew.text.masking.secrets import masked
from tests.codes import code_file
from tests.tables import for_each_row

# Its orders to tools, such as to ignore a type, belong to the sample: they are no running text.
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


APART = """
function f() {
  // one
  function g() {
    y();
    /* in g */ }
  // of f
  x();
}
"""


def test_comments_with_code_between_them_are_apart() -> None:
    assert insides("a.js", APART) == {"f": "one; of f", "f.g": "in g"}
    python = "def f():\n    # one\n    def g():\n        # in g\n        y()\n    # of f\n    x()\n"
    assert insides("a.py", python) == {"f": "one; of f", "f.g": "in g"}
    rust = "fn f() {\n    //! goes on\n    //! here\n    x();\n    // plain\n}\n"
    assert insides("a.rs", rust) == {"f": "goes on here; plain"}


def test_a_class_raises_nothing() -> None:
    text = 'class A:\n    """A.\n\n    Raises:\n        OSError: always.\n    """\n'
    assert insides("a.py", text) == {}


def test_a_key_in_comments_is_masked() -> None:
    key = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA0Z3V",
        "ApEIIM",
        "-----END RSA PRIVATE KEY-----",
    ]
    lines = "".join(f"    # {line}\n" for line in key)
    (said,) = insides("a.py", f"def f():\n{lines}    go()\n").values()
    assert masked(said)[0] == "[REDACTED:PRIVATE_KEY]"
    above = "".join(f"# {line}\n" for line in key)
    assert masked(code_file("a.py", f"{above}def f(): ...\n").entities[1].about)[0] == (
        "[REDACTED:PRIVATE_KEY]"
    )
