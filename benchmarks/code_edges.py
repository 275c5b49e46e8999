"""Compare the edges of the code graph with those that jedi and TypeScript's checker find.

    pip install 'clew[judges]'
    (cd integrations/obsidian && npm ci --ignore-scripts)     # Node.js 18.18 or later
    python -m benchmarks.code_edges [--calls 200] [--show]

Of each project some calls are drawn at random, with a fixed seed. A judge that infers types says
where each leads: jedi for Python, ``tsc`` for TypeScript, whose calls are also judged all together.
An edge is right if the judge names the same definition. A call has a target if the judge names a
function or class inside the root. Beside ours stands matching by name alone, which takes any one
definition of the called name.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
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
PYTHON_PROJECTS = ("clew", "click", "markdown_it")
TYPESCRIPT_PROJECT = Path(__file__).parents[1] / "integrations/obsidian"

Place = tuple[str, int]  # a file below the root, and the line of a name
Calls = list[tuple[str, Call]]  # with the paths of their files


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
            self.wrong.append(f"{shown} ours {edge} judge {sorted(truth)}")

    def __str__(self) -> str:
        precision = self.right / max(1, self.edges)
        recall = self.reached / max(1, self.targets)
        return (
            f"precision {precision:.3f} ({self.right} of {self.edges}), "
            f"recall {recall:.3f} ({self.reached} of {self.targets})"
        )


@dataclass(frozen=True, slots=True)
class Project:
    """Code whose calls are judged."""

    name: str
    root: Path  # paths of files are relative to it
    files: list[Path]
    judge: Callable[[Path, Calls], list[set[Place]]]
    judges_all: bool = False  # all calls as well, since that is quick


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=200, help="how many calls of each project")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="list the calls that differ")
    words = parser.parse_args()
    for project in projects():
        index = read_project(project)
        calls = [(path, call) for path, file in sorted(index.files.items()) for call in file.calls]
        drawn = random.Random(words.seed).sample(calls, min(words.calls, len(calls)))  # noqa: S311
        print(f"{project.name}: {len(index.files)} files, {len(calls)} calls")
        for judged in (drawn, calls) if project.judges_all else (drawn,):
            ours, by_name = scores(index, judged, project.judge(project.root, judged))
            print(f"  {len(judged)} calls resolved   {ours}")
            print(f"  {len(judged)} calls name alone {by_name}", flush=True)
            if words.show:
                print(*(f"    {line}" for line in ours.wrong), sep="\n")


def projects() -> Iterable[Project]:
    """Yield the installed Python projects, and the TypeScript one if its packages are there."""
    for package in PYTHON_PROJECTS:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        files = sorted(folder.rglob("*.py"))
        yield Project(package, folder.parent, files, where_jedi_leads)
    if (TYPESCRIPT_PROJECT / "node_modules/typescript").is_dir():
        files = sorted(
            file
            for file in TYPESCRIPT_PROJECT.rglob("*.ts")
            if "node_modules" not in file.relative_to(TYPESCRIPT_PROJECT).parts
        )
        yield Project("obsidian", TYPESCRIPT_PROJECT, files, where_tsc_leads, judges_all=True)
    else:
        print("obsidian is left out: run npm ci there first", file=sys.stderr)


def read_project(project: Project) -> CodeIndex:
    """Return the index of the code of a project."""
    index = CodeIndex()
    for file in project.files:
        path = file.relative_to(project.root).as_posix()
        language = language_of_file(path)
        assert language is not None
        code, problem = parse_code(path, file.read_text("utf-8"), language)
        if code is None:
            print(f"  left out: {problem}")
        else:
            index.put(code)
    return index


def scores(index: CodeIndex, calls: Calls, truths: list[set[Place]]) -> tuple[Score, Score]:
    """Return the scores of our edges and of those by name alone."""
    ours, by_name = Score(), Score()
    for (path, call), truth in zip(calls, truths, strict=True):
        resolved = resolve_call(index, path, call)
        edge = _place(index, resolved.ref) if resolved is not None else None
        shown = f"{path}:{call.line} {call.receiver}.{call.name}"
        ours.add(edge, truth, f"{shown} {resolved.via if resolved else '-'}")
        named = index.named(call.name)
        by_name.add(_place(index, named[0]) if named else None, truth, shown)
    return ours, by_name


def where_jedi_leads(root: Path, calls: Calls) -> list[set[Place]]:
    """Return the functions and classes of its own package that each call may mean, by jedi."""
    import jedi  # noqa: PLC0415 - what runs without it does not need it

    project = jedi.Project(str(root), smart_sys_path=False, added_sys_path=[str(root)])
    return [
        _by_jedi(jedi.Script(path=root / path, project=project), root, path, call)
        for path, call in calls
    ]


def _by_jedi(script: Any, root: Path, path: str, call: Call) -> set[Place]:
    package = root / Path(path).parts[0]
    column = len(_before(root / path, call))
    places = set()
    for definition in script.goto(call.line, column, follow_imports=True):
        module = definition.module_path
        inside = module is not None and package in module.parents
        if inside and definition.type in ("function", "class", "property"):
            places.add((module.relative_to(root).as_posix(), definition.line))
    return places


def where_tsc_leads(root: Path, calls: Calls) -> list[set[Place]]:
    """Return the functions and classes of the project that each call may mean, by TypeScript."""
    script = Path(__file__).parent / "called_by_tsc.mjs"
    asked = [
        (path, call.line, len(_before(root / path, call).encode("utf-16-le")) // 2)
        for path, call in calls
    ]
    run = subprocess.run(
        ["node", script, root], input=json.dumps(asked), stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    return [{(path, line) for path, line in places} for places in json.loads(run.stdout)]


def _before(file: Path, call: Call) -> str:
    """Return what stands before the called name in its line."""
    line = file.read_bytes().split(b"\n")[call.line - 1]
    return line[: call.column].decode()


def _place(index: CodeIndex, ref: Ref) -> Place:
    return ref[0], index.entity(ref).first_line


if __name__ == "__main__":
    main()
