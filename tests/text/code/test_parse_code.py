"""What is read from code, and what is refused."""

import subprocess
import sys

import pytest

from clew.text.code.languages import BY_NAME, language_of_fence, language_of_file
from clew.text.code.parse import parse_code
from clew.values.code.code_file import Call, EntityKind, Import
from tests.codes import code_file
from tests.tables import for_each_row
from tests.timed import check_within

PYTHON = """
import a.b as c, d
from ..x import y as z

class Store(Base, m.Other[int]):
    names: Names

    def open(self, path: "Path | None" = None) -> Reader:
        self.reader = Reader(path)
        return self.reader.read().close()

    @property
    def size(self): ...

def run():
    def inner(): ...
    inner()

def run(): ...
"""

TYPESCRIPT = """
import def, { b as c, type D } from "./x";
export class Service extends Base<T> implements Runs, ns.Other {
  constructor(private readonly store: Store) { super(); }
  run = (): void => { this.store.open(); };
  async stop(): Promise<Reader> { return new Reader(); }
}
interface Runs { run(): void }
type Name = string;
export const go = async () => run();
"""


def test_python_entities_have_kinds_lines_and_ids() -> None:
    file = code_file("src/a.py", PYTHON)
    assert [
        (entity.symbol_id, entity.first_line, entity.last_line) for entity in file.entities
    ] == [
        ("src/a.py::a::module", 1, 19),
        ("src/a.py::Store::class", 5, 13),
        ("src/a.py::Store.open::method", 8, 10),
        ("src/a.py::Store.size::method", 12, 13),
        ("src/a.py::run::function", 15, 17),
        ("src/a.py::run.inner::function", 16, 16),
        ("src/a.py::run::function#2", 19, 19),
    ]
    assert [entity.returns for entity in file.entities if entity.returns] == ["Reader"]
    assert [entity.decorators for entity in file.entities if entity.decorators] == [("property",)]


@for_each_row(
    ["path", "text", "lines"],
    [
        ("a.py", "@one\n@two(\n  1\n)\ndef f(): ...\n", {"f": 1}),
        ("a.py", "@one\n\ndef f(): ...\n", {"f": 3}),
        ("a.rs", "#![all]\n#[one]\n#[two(\n  x\n)]\nstruct S;\n", {"S": 2}),
        ("a.rs", "#[one] fn f() {}\n#[two]\nfn g() {}\n", {"f": 1, "g": 2}),
        ("a.ts", "@One()\nexport class A {\n  @Two()\n  f() {}\n}\n", {"A": 1, "A.f": 3}),
        ("A.java", "@One\nclass A {\n  @Two\n  void f() {}\n}\n", {"A": 1, "A.f": 3}),
    ],
)
def test_an_entity_begins_with_its_decorators(path: str, text: str, lines: dict[str, int]) -> None:
    entities = code_file(path, text).entities[1:]
    assert {entity.qualified: entity.first_line for entity in entities} == lines


def test_python_calls_imports_bases_and_types() -> None:
    file = code_file("src/a.py", PYTHON)
    assert [(call.receiver, call.name, call.line) for call in file.calls] == [
        ("", "Reader", 9),
        ("self.reader", "read", 10),
        ("self.reader.read()", "close", 10),
        ("", "inner", 17),
    ]
    assert [(item.module, item.name, item.alias) for item in file.imports] == [
        ("a.b", "", "c"),
        ("d", "", "d"),
        ("..x", "y", "z"),
    ]
    assert [(base.entity, base.name) for base in file.bases] == [(1, "Base"), (1, "m.Other")]
    types = {(item.name, item.type, item.value) for item in file.bindings}
    assert {("names", "Names", ""), ("path", "Path", ""), ("reader", "", "Reader()")} <= types


CHOICES = """
def run():
    (a if x else m.b)(1)
    (m.c if x else d)()
    on(a if x else d)
    on(key=d if x else a)
    return a if x else d

def a(): ...
def d(): ...
"""
CHOICES_OF_SCRIPTS = """
function run() {
  (x ? a : m.b)(1);
  (x ? m.c : d)();
  on(x ? a : d);
  on(x ? d : a);
  return x ? a : d;
}
function a() {}
function d() {}
"""


@for_each_row(("path", "code"), [("a.py", CHOICES), ("a.ts", CHOICES_OF_SCRIPTS)])
def test_both_ends_of_a_choice_are_called_or_handed_over(path: str, code: str) -> None:
    file = code_file(path, code)
    calls = (f"{call.line}:{call.receiver}.{call.name}" for call in file.calls)
    called = ["3:a", "3:m.b", "4:m.c", "4:d", "5:on", "6:on"]
    assert [call.replace(":.", ":") for call in calls] == called
    passed = sorted((each.path, each.line) for each in file.passed)
    assert passed == [(name, line) for name in "ad" for line in (5, 6, 7)]


def test_typescript_is_read_whole() -> None:
    file = code_file("a.ts", TYPESCRIPT.replace("def,", "standard,"))
    assert [(entity.qualified, entity.kind) for entity in file.entities[1:]] == [
        ("Service", EntityKind.CLASS),
        ("Service.constructor", EntityKind.METHOD),
        ("Service.run", EntityKind.METHOD),
        ("Service.stop", EntityKind.METHOD),
        ("Runs", EntityKind.INTERFACE),
        ("Runs.run", EntityKind.METHOD),
        ("Name", EntityKind.TYPE),
        ("go", EntityKind.FUNCTION),
    ]
    assert [(call.receiver, call.name) for call in file.calls] == [
        ("", "super"),
        ("this.store", "open"),
        ("", "Reader"),
        ("", "run"),
    ]
    assert [base.name for base in file.bases] == ["Base", "Runs", "ns.Other"]
    assert {item.alias: item.name for item in file.imports} == {
        "standard": "default",
        "c": "b",
        "D": "D",
    }
    assert file.entities[4].returns == "Reader"


def test_javascript_reads_require_and_classes() -> None:
    text = "const s = require('./s');\nclass A extends B { go(x) { s.run(x); } }\n"
    file = code_file("a.js", text)
    assert file.imports == (Import("./s", "", "s", 0, 1),)
    assert [(base.entity, base.name) for base in file.bases] == [(1, "B")]
    assert file.calls == (
        Call("require", "", 0, 1, 10),
        Call("run", "s", 2, 2, 30),
    )


def test_code_that_does_not_parse_gives_what_can_be_read() -> None:
    file = code_file("a.py", "def f(:\n  g()\n\nclass (:\n\ndef h():\n  return f()\n\x00\udc80")
    assert "h" in {entity.name for entity in file.entities}


CPU_SECONDS_MAX = 2.0  # on a usual machine, whatever else it does
HOSTILE = {
    "long": "x = 1\n" * 60_000,
    "minified": "x;" * 2_501,
    "brackets": "\n".join("(" * 4_000 for _ in range(20)),
    "substitutions": "\n".join("${" * 2_000 for _ in range(40)),
    "nested": "\n".join("[a," * 1_000 for _ in range(30)),
    "types": "\n".join("a<" * 2_000 for _ in range(40)),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["python", "javascript", "typescript"])
def test_hostile_text_is_refused_soon(name: str, language: str) -> None:
    file, problem = check_within(
        CPU_SECONDS_MAX, lambda: parse_code("a", HOSTILE[name], BY_NAME[language]), times=3
    )
    assert (file is None) == (problem is not None)
    assert problem is None or problem.code == "codeSkipped"
    if name in ("long", "minified", "brackets"):
        assert problem is not None


def test_a_language_is_known_by_file_and_fence() -> None:
    assert language_of_file("a/b.py") is BY_NAME["python"]
    assert language_of_file("a.py/b") is None
    assert language_of_file("x.zig") is None
    assert language_of_fence("{.python .numberLines}") is BY_NAME["python"]
    assert language_of_fence("ts twoslash") is BY_NAME["typescript"]
    assert language_of_fence("brainfuck") is None
    for name in ("mjs", "cjs"):
        assert language_of_fence(name) is BY_NAME["javascript"]
    for name in ("mts", "cts"):
        assert language_of_fence(name) is BY_NAME["typescript"]
    fences = {"go": "go", "golang": "go", "rust": "rust", "rs": "rust", "java": "java", "c": "c"}
    for name, language in (fences | {"C++": "cpp", "cpp": "cpp", "h": "c", "hpp": "cpp"}).items():
        assert language_of_fence(name) is BY_NAME[language]
    files = {"a.go": "go", "a.rs": "rust", "A.java": "java", "a.c": "c", "a.h": "c", "a.CC": "cpp"}
    for name, language in files.items():
        assert language_of_file(name) is BY_NAME[language]


def test_a_header_is_of_the_language_of_its_lines() -> None:
    assert code_file("a.h", "struct a { int b; };\nint f(void); /* a::b */\n").language == "c"
    for text in ("namespace a {}\n", "class A : B {};\n", "template <class T> T f();\n"):
        assert code_file("a.h", text).language == "cpp"
    hidden = code_file("a.hpp", "class ACME_EXPORT Store final : public Base {};\n")
    assert [entity.name for entity in hidden.entities[1:]] == ["Store"]


def test_only_the_grammars_of_languages_in_use_are_loaded() -> None:
    script = (
        "import sys\n"
        "from tests.codes import code_file\n"
        "code_file('a.go', 'package a')\n"
        "loaded = {name for name in sys.modules if name.startswith('tree_sitter_')}\n"
        "assert loaded == {'tree_sitter_go', 'tree_sitter_go._binding'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)

    assert language_of_fence("") is None


@pytest.mark.slow
def test_grammars_are_loaded_only_when_code_is_parsed() -> None:
    script = (
        "import sys, clew.surface.indexer.worker, clew.index.code.edges\n"
        "from tests.vaults import read_note\n"
        "read_note('a.md', '```\\nx\\n```\\n\\n```sh\\nx\\n```\\n')\n"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter')]\n"
        "assert 'clew.text.code.parse' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_server_loads_what_resolves_code_only_where_there_is_some() -> None:
    script = (
        "import sys, clew.surface.server.daemon\n"
        "loaded = [n for n in sys.modules if n.startswith(('clew.query.code', 'tree_sitter'))]\n"
        "assert not loaded, loaded\n"
        "assert 'clew.index.code.resolve' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("process", ["surface.server.daemon", "surface.indexer.process"])
def test_processes_begin_without_what_only_folders_of_code_need(process: str) -> None:
    script = (
        f"import sys, clew.{process}\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'tree_sitter', 'pathspec'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
