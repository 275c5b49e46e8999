"""Where code hands an entity over as a value, and does not call it."""

import pytest

from clew.index.code.code_index import CodeIndex
from clew.text.code import parse
from tests.codes import code_file, index_of, shown_edges, shown_passed
from tests.tables import for_each_row
from tests.vaults import read_note

# Each line that has a comment hands over what the comment says, and no other line does.
FILES = {
    "py/lib.py": """
def parse(row): ...
def compare(a, b): ...
class Store:
    def load(self): ...
def made(): ...
made = wrapped(made)
""",
    "py/main.py": """
import threading
from dataclasses import field
from lib import Store as Shelf, parse, compare, made
import lib
class Pool(Shelf):
    shelf: Shelf = field(default_factory=Shelf)  # Store
    @property
    def size(self): ...
    def run(self, made):
        threading.Thread(target=self.run)  # Pool.run
        self.on_end = self.run  # Pool.run
        use(self.size, self.shelf, self.load)
        use(made, parse(1), Shelf().load)
        if isinstance(self, (Shelf, Pool)): ...
        if isinstance(use(isinstance(self, Pool), 1), Shelf): ...
        try: ...
        except (Shelf, Pool): map(parse, rows)  # parse
        except (Shelf, lib.Store) as error: ...
        try: ...
        except* (Shelf, Pool) as error: ...
Opens = Callable[[Shelf, Pool], None]
def opened(opens: Callable[[Shelf], None]): ...
def go(reader=parse):  # parse
    map(parse, rows)  # parse
    table = {"a": compare}  # compare
    checks = [lib.parse, 1]  # parse
    for parse_all in rows: map(parse_all, rows)
    return compare  # compare
def first(): return go, lambda: parse  # go parse
@parse  # parse
@lib.compare  # compare
def second(compare): map(compare, rows)
map(unknown, lib.unknown, "parse", parse.name)
go(parse)(compare)  # parse compare
""",
    "ts/lib.ts": "export function save() {}\nexport class Store { open() {} }\n",
    "ts/main.tsx": """
import { save as keep, Store, type Missing } from "./lib";
import * as lib from "./lib";
export class View {
  constructor(private store: Store) { button.onclick = this.go; }  // View.go
  go(keep) { on(keep); on(Missing); on(this.store); }
  stop() { setTimeout(keep, 1); return this.go; }  // save View.go
}
function run(first = keep) {  // save
  const table = { open: keep, View };  // save View
  const rows = [keep, lib.save];  // save
  const { stop } = table; on(stop);
  return <Button onClick={keep} title={"run"} />;  // save
}
const later = () => run;  // run
rows.map((row) => later(row));
new Pool(Store);  // Store
keep(); new View(); lib.save();
""",
    "js/main.js": """
const { save } = require("./lib");
function open() {}
function close() {}
module.exports = { open, close, save };
list.push(open, require("./lib").save);  // open
list.push(save);  // save
list.forEach((close) => on(close));
""",
    "js/lib.js": "function save() {}\nexports.save = save; // save\n",
    "go/a/main.go": """
package a
import ("net/http"; "example.com/go/b")
type Server struct { handler http.Handler }
func (s *Server) index(w int) {
	http.HandleFunc("/", s.index) // Server.index
	http.HandleFunc("/", other) // other
	s.handler = other // other
	use(s.handler, http.StatusOK)
}
func run(other int) { use(other); other := 1; use(other) }
var table = map[string]F{"a": other} // other
var list = []F{other, b.Do} // other Do
var one = Server{handler: other} // other
func made() F { return other } // other
""",
    "go/a/other.go": "package a\nfunc other() { other() }\n",
    "go/b/b.go": "package b\nfunc Do() {}\n",
    "go/go.mod.go": "package x\n",
    "rs/src/lib.rs": """
mod util;
use util::parse;
pub struct Page(u8);
impl Page {
    fn new(n: u8) -> Page { Page(n) }
    fn all(v: V) { v.map(Self::new).map(Page); } // Page.new Page
}
fn run(v: V, render: F) {
    v.map(parse); // parse
    v.map(Page::new).map(util::parse); // Page.new parse
    v.map(render).map(Some).map(Kind::A);
    let table = Table { read: parse, size: 1 }; // parse
    let list = [parse, render]; // parse
}
fn each(v: V) { for parse in v { use_it(parse); } }
fn render() {}
fn second() { let text = 1; use_it(&render, text); return parse; } // render parse
""",
    "rs/src/util.rs": "pub fn parse() {}\n",
    "j/A.java": """
class A {
  void save() {}
  void save(int n) {}
  void stop() {}
  static void open() {}
  void go(B b, A a) {
    use(this::stop, b::load); // A.stop B.load
    use(this::save, A::missing, String::new);
    use(A::open, B::new); // A.open B
    use(a::stop); // A.stop
  }
}
""",
    "j/B.java": "class B { void load() {} }\n",
    "c/main.c": """
#include "page.h"
static int compare(const void *a, const void *b) { return 0; }
static struct ops table = { .open = page_open, .close = &compare }; // page_open compare
static F list[] = { compare, missing }; // compare
int run(struct ops *ops, int length) {
    qsort(rows, length, sizeof(int), compare); // compare
    ops->open = page_open; // page_open
    use(length, ops, EINVAL);
    return compare(1, 2);
}
F made(int compare) { use(compare); return page_open; } // page_open
""",
    "c/page.h": "int page_open(int n);\n",
    "c/page.c": '#include "page.h"\nint page_open(int n) { return n; }\n',
    "cc/main.cpp": """
struct Store { void open() {} void two() {} void two(int n) {} };
void compare() {}
void run(int two) {
    bind(&Store::open, compare); // Store.open compare
    bind(&Store::two, two, std::move);
    Table table{compare}; // compare
}
""",
}


def expected_rows() -> list[str]:
    return sorted(
        f"{path}:{number} {name}"
        for path, text in FILES.items()
        for number, line in enumerate(text.split("\n"), start=1)
        for mark in ("  # ", "// ")
        if mark in line and ("#" in mark) == path.endswith(".py")
        for name in line.partition(mark)[2].split()
    )


def found_rows(files: dict[str, str]) -> list[str]:
    rows = set()
    for row in shown_passed(index_of(files)):
        place, rest = row.split(" ", 1)
        rows.add(f"{place} {rest.split('::')[1]}")
    return sorted(rows)


@for_each_row("language", ["py", "ts", "js", "go", "rs", "j", "c", "cc"])
def test_only_what_is_handed_over_is_found(language: str) -> None:
    files = {path: text for path, text in FILES.items() if path.startswith(f"{language}/")}
    expected = [row for row in expected_rows() if row.startswith(f"{language}/")]
    assert found_rows(files) == expected


def test_what_is_handed_over_is_no_call() -> None:
    text = "def run(): ...\nstart(run)\n"
    assert shown_edges(index_of({"a.py": text})) == []
    assert shown_passed(index_of({"a.py": text})) == ["a.py:2 a a.py::run::function local"]


def test_how_it_was_resolved_is_told() -> None:
    files = {path: text for path, text in FILES.items() if path.startswith("py/")}
    vias = {row.rpartition(" ")[2] for row in shown_passed(index_of(files))}
    assert vias == {"local", "import", "self"}


def test_a_name_that_only_one_file_has_is_not_guessed() -> None:
    files = {"a.py": "class A:\n    def only_here(self): ...\n", "b.py": "on(x.only_here)\n"}
    assert shown_passed(index_of(files)) == []


def test_blocks_of_one_note_hand_over_what_another_defines() -> None:
    note = "```go\nfunc onOpen() {}\n```\n\n```go\nvar t = list(onOpen)\n```\n"
    index = CodeIndex()
    index.put_note("a.md", read_note("a.md", note).code)
    assert shown_passed(index) == ["a.md#2:6 a a.md::onOpen::function local"]


def test_what_a_file_hands_over_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "PASSED_MAX", 3)
    assert len(code_file("a.py", "def run(): ...\n" + "on(run)\n" * 4).passed) == 3


def test_a_value_stands_once_for_a_line() -> None:
    assert len(code_file("a.py", "def run(): ...\non(run, run)\n").passed) == 1
