"""Compare the edges of the code graph with those that jedi finds.

    pip install 'clew[judges]'
    python -m benchmarks.code_edges [--calls 200] [--show]

For each project some calls are drawn at random, with a fixed seed. jedi, which infers types, says
where each leads. An edge is right if jedi names the same definition. A call has a target if jedi
names a function or class inside the root. Beside ours stands matching by name alone, which takes
any one definition of the called name.
"""

import argparse
import random
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clew.index.code.code_index import CodeIndex, Ref
from clew.index.code.resolve import resolve_call
from clew.text.code.languages import language_of_file
from clew.text.code.parse import parse_code
from clew.values.code.code_file import Call

SEED = 18
PROJECTS = ("clew", "click", "markdown_it")

Place = tuple[str, int]  # a file below the root, and the line of a name


@dataclass(slots=True)
class Score:
    """How many edges are right, and how many calls with a target have theirs."""

    edges: int = 0
    right: int = 0
    targets: int = 0
    reached: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, edge: Place | None, truth: set[Place], shown: str) -> None:
        self.edges += edge is not None
        self.right += edge in truth
        self.targets += bool(truth)
        self.reached += edge in truth
        if edge not in truth and (edge is not None or truth):
            self.wrong.append(f"{shown} ours {edge} jedi {sorted(truth)}")

    def __str__(self) -> str:
        precision = self.right / max(1, self.edges)
        recall = self.reached / max(1, self.targets)
        return (
            f"precision {precision:.3f} ({self.right} of {self.edges}), "
            f"recall {recall:.3f} ({self.reached} of {self.targets})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=200, help="how many calls of each project")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="list the calls that differ")
    words = parser.parse_args()
    for project in PROJECTS:
        root = project_root(project)
        index = read_project(root)
        calls = [(path, call) for path, file in sorted(index.files.items()) for call in file.calls]
        drawn = random.Random(words.seed).sample(calls, min(words.calls, len(calls)))  # noqa: S311
        ours, by_name = judge(root, index, drawn)
        print(f"{project}: {len(index.files)} files, {len(calls)} calls, {len(drawn)} drawn")
        print(f"  resolved   {ours}")
        print(f"  name alone {by_name}", flush=True)
        if words.show:
            print(*(f"    {line}" for line in ours.wrong), sep="\n")


def project_root(package: str) -> Path:
    """Return the folder of an installed package."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def read_project(root: Path) -> CodeIndex:
    """Return the index of all code below ``root``; paths begin with the root's name."""
    index = CodeIndex()
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root.parent).as_posix()
        language = language_of_file(path)
        assert language is not None
        code, problem = parse_code(path, file.read_text("utf-8"), language)
        if code is None:
            print(f"  left out: {problem}")
        else:
            index.put(code)
    return index


def judge(root: Path, index: CodeIndex, drawn: list[tuple[str, Call]]) -> tuple[Score, Score]:
    """Return the scores of our edges and of those by name alone."""
    import jedi  # noqa: PLC0415 - what runs without it does not need it

    project = jedi.Project(
        str(root.parent), smart_sys_path=False, added_sys_path=[str(root.parent)]
    )
    ours, by_name = Score(), Score()
    for path, call in drawn:
        file = root.parent / path
        truth = _truth(jedi.Script(path=file, project=project), file, call, root)
        resolved = resolve_call(index, path, call)
        edge = _place(index, resolved.ref) if resolved is not None else None
        shown = f"{path}:{call.line} {call.receiver}.{call.name}"
        ours.add(edge, truth, f"{shown} {resolved.via if resolved else '-'}")
        named = index.named(call.name)
        by_name.add(_place(index, named[0]) if named else None, truth, shown)
    return ours, by_name


def _truth(script: Any, file: Path, call: Call, root: Path) -> set[Place]:
    line = file.read_bytes().split(b"\n")[call.line - 1]
    column = len(line[: call.column].decode())
    places = set()
    for definition in script.goto(call.line, column, follow_imports=True):
        path = definition.module_path
        inside = path is not None and root in path.parents
        if inside and definition.type in ("function", "class", "property"):
            places.add((path.relative_to(root.parent).as_posix(), definition.line))
    return places


def _place(index: CodeIndex, ref: Ref) -> Place:
    return ref[0], index.entity(ref).first_line


if __name__ == "__main__":
    main()
