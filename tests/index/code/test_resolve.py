"""The ladder that decides which entity a call means."""

from clew.index.code.edges import calls_of, implementations_by_file, implements
from tests.codes import all_refs, callers_of, calls_to_all, index_of, shown_edges
from tests.tables import for_each_row
from tests.vaults import read_note

PROJECT = {
    "p/__init__.py": "from .store import Store as Shelf\n",
    "p/store.py": """
from p.base import Base
class Store(Base):
    def open(self) -> "Reader":
        return self.find_reader()
    def find_reader(self):
        super().prepare_all()
        return Reader()
class Reader:
    def read_page(self): ...
""",
    "p/base.py": "class Base:\n    def prepare_all(self): ...\n",
    "main.py": """
import json
import p.store
from p import Shelf
from p import store as s
def run(store: Shelf, helper, other):
    helper()
    store.open().read_page()
    s.Reader()
    p.store.Store()
    other.read_page()
    other.open()
    json.open()
def helper(): ...
""",
}

OWN = """
class Store:
    def __init__(self, path): ...
    @classmethod
    def empty(cls):
        store = cls("")
        store.fill_up()
        return store
    def fill_up(self): ...
    def register(self, cls):
        cls("")
        def made(cls): return cls("")
class Meta(type):
    def __call__(cls, *arguments): ...
def decorate(cls):
    return cls("")
"""


def test_each_step_of_the_ladder_is_named() -> None:
    assert shown_edges(index_of(PROJECT)) == [
        "main.py:10 p/store.py::Store::class import",
        "main.py:11 p/store.py::Reader.read_page::method unique",
        "main.py:8 p/store.py::Reader.read_page::method import",
        "main.py:8 p/store.py::Store.open::method import",
        "main.py:9 p/store.py::Reader::class import",
        "p/store.py:5 p/store.py::Store.find_reader::method self",
        "p/store.py:7 p/base.py::Base.prepare_all::method self",
        "p/store.py:8 p/store.py::Reader::class local",
    ]


def test_what_is_left_is_listed_as_unresolved() -> None:
    index = index_of(PROJECT)
    (run,) = index.named("run")
    assert calls_of(index, run).unresolved == ("helper", "open")


def test_a_method_name_of_two_classes_is_no_edge() -> None:
    two = PROJECT | {"q.py": "class Page:\n    def read_page(self): ...\n"}
    assert not [edge for edge in shown_edges(index_of(two)) if edge.endswith("unique")]


def test_classes_are_linked_to_what_implements_them() -> None:
    index = index_of(PROJECT | {"q.py": "import p\nclass Q(p.Shelf): ...\n"})
    (store,), (base,), (q,) = index.named("Store"), index.named("Base"), index.named("Q")
    assert implements(index, store) == (base,)
    assert [*implementations_by_file(index, store)] == [[q]]
    assert [*implementations_by_file(index, base)] == [[store]]


def test_callers_are_the_calls_seen_from_the_other_end() -> None:
    index = index_of(PROJECT | {"own.py": OWN})
    edges = {edge for ref in all_refs(index) for edge in calls_of(index, ref).edges}
    assert calls_to_all(index) == edges


def test_a_module_is_not_taken_from_inside_another_package() -> None:
    files = {
        "p/__init__.py": "",
        "p/json.py": "def load_all(): ...\n",
        "main.py": "import json\njson.load_all()\n",
    }
    assert shown_edges(index_of(files)) == []


def test_typescript_imports_fields_and_this() -> None:
    files = {
        "src/a.ts": """
import { Store } from "./lib/index.js";
import * as tools from "./tools";
class A {
  constructor(private store: Store) {}
  go(other: Unknown) { this.store.openAll(); tools.tidy(); this.stop(); other.openAll(); }
  stop() { const s = new Store(); s.openAll(); }
}
""",
        "src/lib/index.ts": "export { Store } from './store';\n",
        "src/lib/store.ts": "export class Store { openAll() {} }\n",
        "src/tools.ts": "export const tidy = () => 1;\n",
    }
    assert shown_edges(index_of(files)) == [
        "src/a.ts:6 src/a.ts::A.stop::method self",
        "src/a.ts:6 src/lib/store.ts::Store.openAll::method import",
        "src/a.ts:6 src/tools.ts::tidy::function import",
        "src/a.ts:7 src/lib/store.ts::Store.openAll::method import",
        "src/a.ts:7 src/lib/store.ts::Store::class import",
    ]


@for_each_row(
    "text",
    [
        "from .a import x\nx()\n",
        "from . import a\na.a.a()\n",
        "class A(A):\n    def f(self): self.g()\n",
        "class A(B): ...\nclass B(A): ...\nB().f()\n",
        "x = y\ny = x\nx()\n",
        "x: x\nx.f()\n",
        "from .a import *\nf()\n",
        "def f() -> f: ...\nf()()()()\n",
    ],
)
def test_circles_end(text: str) -> None:
    index = index_of({"p/a.py": text, "p/__init__.py": "from .a import *\n"})
    for ref in all_refs(index):
        calls_of(index, ref)
        callers_of(index, ref)
        list(implementations_by_file(index, ref))


def linked(notes: dict[str, str], files: dict[str, str] | None = None) -> list[str]:
    index = index_of(files or {})
    for path, text in notes.items():
        index.put_note(path, read_note(path, text).code)
    return shown_edges(index)


READER = "```py\nclass Reader:\n    def read_page(self): ...\n```\n"
READS = "```py\ndef go(page): page.read_page(); Reader(); helper()\n```\n"


def test_blocks_of_one_note_know_each_other() -> None:
    assert linked({"a.md": READER + READS}) == [
        "a.md#2:6 a.md::Reader.read_page::method unique",
        "a.md#2:6 a.md::Reader::class local",
    ]


def test_what_two_blocks_define_is_not_chosen_from() -> None:
    assert linked({"a.md": READER + READER + READS}) == []


def test_blocks_of_different_notes_share_only_method_names_of_one_class() -> None:
    notes = {"a.md": READER, "b.md": READS}
    assert linked(notes) == ["b.md#1:2 a.md::Reader.read_page::method unique"]
    assert linked(notes | {"c.md": READER}) == []


def test_a_note_that_quotes_a_file_takes_no_edge_from_it() -> None:
    files = {
        "p/reader.py": "class Reader:\n    def read_page(self): ...\n",
        "p/use.py": "def go(page): page.read_page()\n",
    }
    edge = "p/use.py:1 p/reader.py::Reader.read_page::method unique"
    assert linked({}, files) == [edge]
    assert linked({"a.md": READER}, files) == [edge]
    assert linked({"b.md": READS, "c.md": READER}, files) == [
        "b.md#1:2 p/reader.py::Reader.read_page::method unique",
        edge,
    ]


def test_a_block_imports_from_files_and_never_from_notes() -> None:
    block = "```py\nfrom p.store import Store\nfrom .b import f\nStore()\nf()\n```\n"
    files = {"p/store.py": "class Store: ...\n", "n/b.py": "def f(): ...\n"}
    assert linked({"n/a.md": block}, files) == ["n/a.md#1:4 p/store.py::Store::class import"]
    assert linked({"n/a.md": block, "p/store.md": "```py\nclass Store: ...\n```\n"}) == []


INNER_SCOPES = {
    "a class in each of two functions without a name": (
        "it(() => { class Foo {} new Foo(); });\nit(() => { class Foo {} });\n", []
    ),
    "an import that a function without a name hides": (
        "import test from 'ava';\nit(() => { const test = () => 1; test(); });\ntest();\n", []
    ),
    "a parameter of a function without a name": (
        "function next() {}\nrun((next) => next());\n", []
    ),
    "the method of an object, by its bare name": ("const o = { stopNow() {} };\nstopNow();\n", []),
    "the method of an object, by a value": (
        "const o = { stopNow() {} };\nfunction f(x) { x.stopNow(); }\n", []
    ),
    "an interface with the name of a class": (
        "interface Foo { a: string }\nclass Foo {}\nnew Foo();\n", ["a.ts:3 a.ts::Foo::class local"]
    ),
    "a method with several signatures": (
        "class A { f(a: string): void; f(a: number): void; f(a) {} g() { this.f(1); } }\n",
        ["a.ts:1 a.ts::A.f::method#3 self"],
    ),
}  # fmt: skip


@for_each_row(["text", "edges"], list(INNER_SCOPES.values()))
def test_names_of_inner_scopes_of_typescript(text: str, edges: list[str]) -> None:
    assert shown_edges(index_of({"a.ts": text})) == edges


READ_PAGE = "class Page { readPage() {} }\n"
LEADS_TO_PAGE = ["a.ts:2 a.ts::Page.readPage::method unique"]


@for_each_row(
    ["call", "edges"],
    [
        ("function f(x) { x.readPage(); }", LEADS_TO_PAGE),
        ("function f(x) { x.get(1).readPage(); }", LEADS_TO_PAGE),
        ("function f(x) { x.goToSite(1).readPage(); }", []),
        ("Browser.readPage();", []),
        ("browser.readPage();", []),
    ],
)
def test_a_method_of_a_library_is_not_the_only_one(call: str, edges: list[str]) -> None:
    assert shown_edges(index_of({"a.ts": READ_PAGE + call})) == edges


@for_each_row(
    ["call", "edges"],
    [
        ("page.read_page()", ["a.md#2:6 a.md::Reader.read_page::method unique"]),
        ("Reader.read_page()", ["a.md#2:6 a.md::Reader.read_page::method local"]),
        ("Browser.read_page()", []),
    ],
)
def test_a_block_names_what_its_text_explains(call: str, edges: list[str]) -> None:
    shown = linked({"a.md": READER + f"```py\n{call}\n```\n"})
    assert shown == edges


PARAMETERS = """
from typing import Callable
class Store:
    def load_all(self): ...
def waited(): ...
class Named:
    def __init__(self, waited): self._w = waited
    def go(self): return self._w()
class Called:
    def __init__(self, waited: Callable[[], float] = waited): self._w = waited
    def go(self): return self._w()
class Nested:
    def __init__(self, waited):
        def later(): self._w = waited
    def go(self): return self._w()
class Typed:
    def __init__(self, store: Store): self._store = store
    def go(self): return self._store.load_all()
class Free:
    def __init__(self): self._w = waited
    def go(self): return self._w()
"""


def test_a_field_has_the_type_of_the_parameter_that_it_is_given() -> None:
    assert shown_edges(index_of({"a.py": PARAMETERS})) == [
        "a.py:18 a.py::Store.load_all::method local",
        "a.py:21 a.py::waited::function self",
    ]


SIDE_BY_SIDE = """
class Store:
    def load_all(self): ...
class Other:
    def load_all(self): ...
class Pair:
    def __init__(self, store: Store, other: Other, more):
        self.a, self.b, self.c = store, 1, other
        *self.d, self.e = more, other, store
        self.f, self.g = *more, store
        self.h, self.i = *more.items, store
    def go(self):
        self.a.load_all()
        self.b.load_all()
        self.c.load_all()
        self.d.load_all()
        self.e.load_all()
        self.f.load_all()
        self.g.load_all()
        self.i.load_all()
"""


def test_fields_that_are_assigned_side_by_side_have_the_types_of_their_values() -> None:
    """Where one of them may take or give several values, none is known."""
    assert shown_edges(index_of({"a.py": SIDE_BY_SIDE})) == [
        "a.py:13 a.py::Store.load_all::method local",
        "a.py:15 a.py::Other.load_all::method local",
    ]


NAMES_SIDE_BY_SIDE = """
class Store:
    def load_all(self): ...
class Other:
    def load_all(self): ...
def made() -> Other: ...
def go(given, more):
    a, b, c = Store(), 1, made()
    a.load_all()
    b.load_all()
    c.load_all()
    *d, e = Store(), Other()
    d.load_all()
    e.load_all()
    f, g = *more, Store()
    g.load_all()
    h, given = given, Store()
    h.load_all()
    given.load_all()
    i, j = Store(), Other()
    i, j = j, i
    i.load_all()
"""


def test_names_that_are_assigned_side_by_side_have_the_types_of_their_values() -> None:
    """Where one may be several values, or a name is bound twice, none is known."""
    calls = [edge for edge in shown_edges(index_of({"a.py": NAMES_SIDE_BY_SIDE})) if "load" in edge]
    assert calls == [
        "a.py:11 a.py::Other.load_all::method local",
        "a.py:9 a.py::Store.load_all::method local",
    ]


MAY_BE_NONE = """
class Store:
    def load_all(self): ...
class Other:
    def load_all(self): ...
class Pair:
    def __init__(self, size):
        self.a = Store() if size else None
        self.b = None if size else Other()
        self.c = Store() if size else Other()
        self.d: Other = Store() if size else None
    def go(self):
        e = Store() if self.a else None
        self.a.load_all()
        self.b.load_all()
        self.c.load_all()
        self.d.load_all()
        e.load_all()
"""


def test_what_may_be_none_has_the_type_of_what_it_is_else() -> None:
    """An annotation says more, and of two values none is sure."""
    calls = [edge for edge in shown_edges(index_of({"a.py": MAY_BE_NONE})) if "load" in edge]
    assert calls == [
        "a.py:14 a.py::Store.load_all::method local",
        "a.py:15 a.py::Other.load_all::method local",
        "a.py:17 a.py::Other.load_all::method local",
        "a.py:18 a.py::Store.load_all::method local",
    ]


def test_a_class_is_made_by_its_own_class_methods() -> None:
    """``cls`` is no class of its own where a method has ``self``, or a function takes it."""
    assert shown_edges(index_of({"store.py": OWN})) == [
        "store.py:6 store.py::Store::class self",
        "store.py:7 store.py::Store.fill_up::method local",
    ]
