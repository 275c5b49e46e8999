"""What is called with a value that code hands over."""

from clew.index.code.code_index import CodeIndex
from tests.codes import all_refs, index_of, passed_of
from tests.tables import for_each_row

# The comment of a line says what it hands over and to what; "-" is no call.
FILES = {
    "py/lib.py": "def take(*rows): ...\nclass Pool:\n    def run(self, task): ...\n",
    "py/main.py": """
from lib import Pool, take
import lib
def f(): ...
def g(): ...
take(f)  # f>lib.take
lib.take(key=f)  # f>lib.take
Pool().run(f)  # f>lib.Pool.run
sorted(rows, key=f)  # f>?sorted
rows.then(f)  # f>?rows.then
take([f, (g, 1)], {"a": g})  # f>lib.take g>lib.take
take(Pool().run(f), g)  # f>lib.Pool.run g>lib.take
take(rows[0](f))  # f>-
take(Pool()(f))  # f>-
take(lambda: f)  # f>-
take(f if rows else g)  # f>lib.take g>lib.take
(take if rows else g)(f)  # f>-
table = {"a": f}  # f>-
@lib.take(f)  # f>lib.take
@g  # g>-
def made(): return f  # f>-
def last():
    rows.begin(f).end(g)  # f>?rows.begin g>?rows.begin().end
""",
    "ts/lib.tsx": "export function take() {}\nexport class Pool { run() {} }\n",
    "ts/main.tsx": """
import { Pool, take as taken } from "./lib";
function f() {} function g() {}
taken(f, { key: g }, [g]);  // f>lib.take g>lib.take
new Pool(f).run(g);  // f>lib.Pool g>lib.Pool.run
taken(() => f);  // f>-
taken(function () { return g; });  // g>-
taken(taken(f)(g));  // f>lib.take g>-
taken(rows[0](f));  // f>-
taken(<Pool onClick={f} />);  // f>lib.Pool
taken(<div onClick={f}>{f}</div>);  // f>-
class Other extends Pool { constructor() { super(f); } }  // f>lib.Pool
await Promise.all([f(), rows.map(g)]);  // g>?rows.map
taken(class { h = [f]; });  // f>-
""",
    "go/main.go": """
package main
func f() {}
func take(t F) {}
func run() {
	take(f) // f>main.take
	sort.Slice(rows, f) // f>?sort.Slice
	take(func() F { return f }) // f>-
	rows[0](f) // f>-
	take(table()(f)) // f>-
}
""",
    "rs/lib.rs": """
fn f() {}
fn take(t: F) {}
fn run(rows: R) {
    take(f); // f>lib.take
    rows.map(f); // f>?rows.map
    take(|| { return f; }); // f>-
    take(rows.get()(f)); // f>-
    other::take(f); // f>?other::take
}
""",
    "j/A.java": """
class A {
  void f() {}
  void take(F f) {}
  A(int a) { this(A::f); } // A.f>A.A
  void run() {
    take(A::f); // A.f>A.A.take
    rows.map(A::f); // A.f>?rows.map
    take(() -> use(A::f)); // A.f>?use
  }
}
""",
    "cc/main.cpp": """
void f() {}
void take(F f) {}
void run(F *p) {
    take(f); // f>main.take
    std::sort(rows, f); // f>?std::sort
    take([&] { return f; }); // f>-
    (*p)(f); // f>-
}
""",
}


def expected_rows(language: str) -> list[str]:
    return sorted(
        f"{path}:{number} {name}"
        for path, text in FILES.items()
        if path.startswith(f"{language}/")
        for number, line in enumerate(text.split("\n"), start=1)
        for name in line.partition("# " if path.endswith(".py") else "// ")[2].split()
    )


def found_rows(index: CodeIndex) -> list[str]:
    rows = []
    for ref in all_refs(index):
        for edge in passed_of(index, ref):
            receiver = "-"
            if edge.receiver is not None:
                meant = edge.receiver.ref
                receiver = f"?{edge.receiver.name}"
                if meant is not None:
                    module = index.entity((meant[0], 0)).name
                    receiver = f"{module}.{index.entity(meant).qualified}"
            name = index.entity(ref).qualified
            rows.append(f"{edge.source[0]}:{edge.line} {name}>{receiver}")
    return sorted(rows)


@for_each_row("language", ["py", "ts", "go", "rs", "j", "cc"])
def test_what_is_handed_over_goes_to_the_call_around_it(language: str) -> None:
    files = {path: text for path, text in FILES.items() if path.startswith(f"{language}/")}
    assert found_rows(index_of(files)) == expected_rows(language)


def test_calls_in_calls_are_told_apart_and_each_place_is_told_once() -> None:
    depth = 400
    nested = "take(" * depth + "f" + ", f)" * depth
    lines = "\n".join(f"take_{number}(f)" for number in range(5_000))
    index = index_of({"a.py": f"def f(): ...\n{nested}\n{lines}\n"})
    edges = passed_of(index, ("a.py", 1))
    names = [edge.receiver.name for edge in edges if edge.receiver]
    assert names == ["take", *(f"take_{number}" for number in range(5_000))]
    assert len(set(edges)) == len(edges)
