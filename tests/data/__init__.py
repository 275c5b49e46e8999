"""Test cases as data files: Markdown fixtures and tables."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

_HERE = os.path.dirname(__file__)


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a fixture: the input, and the expected lines."""

    title: str
    text: str
    expected: list[str]


def cases(name: str) -> list[object]:
    """Return the cases of a fixture, as parameters named by their titles.

    As in markdown-it-py's fixtures a case is a title line, then the text and the expected lines,
    between lines of a single dot. ``→`` stands for a tab; lines that begin with ``//`` between
    cases are remarks.
    """
    parameters: list[object] = []
    lines = iter(_read(name).split("\n"))
    for title in lines:
        if title and not title.startswith("//"):
            opening = next(lines)
            assert opening == ".", f"{name}: {title!r} is followed by {opening!r}"
            text = "\n".join(_until_dot(lines)).replace("→", "\t")
            case = Case(title, text, _until_dot(lines))
            parameters.append(pytest.param(case, id=title))
    return parameters


def rows(name: str) -> list[object]:
    r"""Return the rows of a table, as parameters; ``\uXXXX`` in a cell stands for a character.

    The last column gives the reason, and names the test case.
    """
    parameters: list[object] = []
    for line in _read(name).splitlines():
        if line and not line.startswith("//"):
            *cells, why = (json.loads(f'"{cell}"') for cell in line.split("\t"))
            parameters.append(pytest.param(*cells, id=why))
    return parameters


def lists(name: str) -> list[list[Any]]:
    """Return the lines of a file of JSON lists."""
    return [json.loads(line) for line in _read(name).splitlines()]


def _until_dot(lines: Iterator[str]) -> list[str]:
    return list(iter(lambda: next(lines), "."))


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8", newline="\n") as file:
        return file.read()
