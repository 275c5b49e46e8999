"""Code with comments in each language, and the comments of its calls by what they call."""

from typing import NamedTuple

from tests.text.code.commented_compiled import (
    C_EXPECTED,
    CPP_EXPECTED,
    CPP_MORE,
    GO,
    GO_EXPECTED,
    JAVA,
    JAVA_EXPECTED,
    RUST,
    RUST_EXPECTED,
    C,
)
from tests.text.code.commented_scripts import PYTHON, PYTHON_EXPECTED, SCRIPT, SCRIPT_EXPECTED


class Case(NamedTuple):
    path: str
    text: str
    expected: dict[str, str]


CASES = (
    Case("a.py", PYTHON, PYTHON_EXPECTED),
    Case("a.js", SCRIPT, SCRIPT_EXPECTED),
    Case("a.ts", SCRIPT, SCRIPT_EXPECTED),
    Case("a.tsx", SCRIPT, SCRIPT_EXPECTED),
    Case("a.go", GO, GO_EXPECTED),
    Case("a.rs", RUST, RUST_EXPECTED),
    Case("a.java", JAVA, JAVA_EXPECTED),
    Case("a.c", C, C_EXPECTED),
    Case("a.cpp", C + CPP_MORE, CPP_EXPECTED),
)
