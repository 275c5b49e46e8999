"""Report the shape of the code: lengths of function bodies and of files, against their bounds.

    python tools/shape.py [--worst N] [FOLDER...]       # exits 1 if a bound is exceeded

The length of a body is its lines of code: docstrings, comments, blank lines, and the bodies of
nested functions (which count as functions of their own) are left out.
"""

import argparse
import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

MEDIAN_LINES_MAX = 5
NINTH_DECILE_LINES_MAX = 15
BODY_LINES_MAX = 50
FILE_LINES_MAX = 400
MODULES_A_FOLDER_MAX = 13

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    """Print the figures; return 1 if one is over its bound, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--worst", type=int, default=5, help="how many of the longest to list")
    parser.add_argument("folders", nargs="*", type=Path, default=[Path("src")])
    words = parser.parse_args()
    paths = sorted(path for folder in words.folders for path in folder.rglob("*.py"))
    bodies = [(lines, f"{path}:{where}") for path in paths for where, lines in body_lengths(path)]
    files = [(len(path.read_text(encoding="utf-8").splitlines()), str(path)) for path in paths]
    folders: dict[Path, int] = {}
    for path in paths:
        folders[path.parent] = folders.get(path.parent, 0) + (path.name != "__init__.py")
    lengths = [lines for lines, _ in bodies]
    deciles = statistics.quantiles(lengths, n=10, method="inclusive")
    checks = [
        ("median body", statistics.median(lengths), MEDIAN_LINES_MAX),
        ("ninth decile of bodies", deciles[8], NINTH_DECILE_LINES_MAX),
        ("longest body", max(lengths), BODY_LINES_MAX),
        ("longest file", max(files)[0], FILE_LINES_MAX),
        ("most modules in a folder", max(folders.values()), MODULES_A_FOLDER_MAX),
    ]
    print(f"{len(lengths)} functions in {len(files)} files")
    for name, figure, bound in checks:
        print(f"{name}: {figure:g} (at most {bound}){'' if figure <= bound else '  OVER'}")
    for title, rows in (("longest bodies", bodies), ("longest files", files)):
        print(f"{title}:")
        for lines, where in sorted(rows, reverse=True)[: words.worst]:
            print(f"  {lines:4} {where}")
    return int(any(figure > bound for _, figure, bound in checks))


def body_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each function of a file as ``line name`` with the length of its body."""
    text = path.read_text(encoding="utf-8")
    rows = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            yield f"{node.lineno} {node.name}", len(_code_lines(node, rows))


def _code_lines(function: Function, rows: list[str]) -> set[int]:
    """Return the line numbers of a function's own code."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) else function.body
    if not body:
        return set()
    end = function.end_lineno or function.lineno
    lines = {
        number
        for number in range(body[0].lineno, end + 1)
        if (row := rows[number - 1].strip()) and not row.startswith("#")
    }
    for node in ast.walk(function):
        if isinstance(node, Function) and node is not function:
            inner = node.body[0].lineno
            lines -= set(range(inner, (node.end_lineno or inner) + 1))
    return lines


if __name__ == "__main__":
    sys.exit(main())
