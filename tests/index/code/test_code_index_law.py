"""Any sequence of changes leaves the same graph as building it anew."""

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from clew.index.code.code_index import CodeIndex
from clew.index.code.edges import calls_of, implementations_by_file, implements
from tests.codes import all_refs, callers_of, calls_to_all, code_file, passed_of, shown_edges
from tests.examples import examples
from tests.stored import written
from tests.vaults import read_note

PATHS = st.sampled_from(["p/__init__.py", "p/a.py", "p/b.py", "c.py", "p/a.ts", "p/b.ts"])
COMPILED = st.sampled_from(
    [*("g/p/a.go", "g/p/b.go", "g/c.go", "r/src/lib.rs", "r/src/f.rs", "r/src/g.rs"),
     *("j/Aa.java", "j/Bb.java", "c/a.h", "c/f.c", "c/g.cpp")]
)  # fmt: skip
NOTES = st.sampled_from(["p/n.md", "m.md"])
NAMES = st.sampled_from(["f", "g", "Aa", "Bb", "go_on"])
MODULES = st.sampled_from([".a", ".b", ".", "p", "p.a", "c"])
PYTHON = st.one_of(
    st.builds("def {}():\n    return {}()\n".format, NAMES, NAMES),
    st.builds(
        "class {}({}):\n    def {}(self, x: {}): x.{}(); self.{}()\n".format,
        NAMES, NAMES, NAMES, NAMES, NAMES, NAMES,
    ),
    st.builds("from {} import {} as {}\n".format, MODULES, NAMES, NAMES),
    st.builds("from {} import *\n".format, MODULES),
    st.builds("{} = {}\n".format, NAMES, NAMES),
    st.builds("{}().{}()\n".format, NAMES, NAMES),
    st.builds("{}({}, {}.{})\n".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("# why {}\n{}({}())  # as {} is\n".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("# why {}\n{}({})\n".format, NAMES, NAMES, NAMES),
)  # fmt: skip
SCRIPT = st.one_of(
    st.builds("export function {}() {{ {}(); }}\n".format, NAMES, NAMES),
    st.builds(
        "class {} extends {} {{ {}() {{ this.{}(); }} }}\n".format, NAMES, NAMES, NAMES, NAMES
    ),
    st.builds('import {{ {} as {} }} from "./{}";\n'.format, NAMES, NAMES, st.sampled_from("ab")),
    st.builds('import {} from "./{}";\n'.format, NAMES, st.sampled_from("ab")),
    st.builds("export default {};\n".format, NAMES),
    st.builds("export {{ {} as {} }};\n".format, NAMES, NAMES),
    st.just("export default () => f();\n"),
    st.builds("const {} = new {}();\n".format, NAMES, NAMES),
    st.builds("{}.{}();\n".format, NAMES, NAMES),
    st.builds("{}({}, {}.{});\n".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("/* why {} */\n{}({}()); // as {} is\n".format, NAMES, NAMES, NAMES, NAMES),
)


GO = st.one_of(
    st.builds("func {}() {{ {}() }}\n".format, NAMES, NAMES),
    st.builds("type {} struct {{ {} }}\n".format, NAMES, NAMES),
    st.builds("func (x *{}) {}(y {}) {{ x.{}(); y.{}() }}\n".format, *[NAMES] * 5),
    st.builds('import {} "g/p"\n'.format, NAMES),
    st.builds("var {} = {}({}, {}.{})\n".format, *[NAMES] * 5),
    st.builds("var {} = {}.{}()\n".format, NAMES, NAMES, NAMES),
)
RUST = st.one_of(
    st.builds("fn {}() {{ {}(); }}\n".format, NAMES, NAMES),
    st.builds("struct {};\n".format, NAMES),
    st.builds("fn {}() {{ {}({}, {}::{}); }}\n".format, *[NAMES] * 5),
    st.builds("impl {} for {} {{ fn {}(&self) {{ self.{}(); }} }}\n".format, *[NAMES] * 4),
    st.builds("impl {} {{ fn {}(x: {}) {{ x.{}(); {}::{}(); }} }}\n".format, *[NAMES] * 6),
    st.builds("mod {} {{ use super::*; fn {}() {{ super::{}(); }} }}\n".format, *[NAMES] * 3),
    st.builds("pub use {}::{} as {};\n".format, st.sampled_from(["crate", "f", "r"]), NAMES, NAMES),
    st.builds("pub use {}::*;\n".format, st.sampled_from(["super", "crate::f", "crate::g"])),
)
JAVA = st.one_of(
    st.builds(
        "class {} extends {} {{ {} {}; void {}() {{ {}(); {}.{}(); new {}(); }} }}\n".format,
        *[NAMES] * 9,
    ),
    st.builds("import j.{};\n".format, NAMES),
    st.builds("import static j.{}.{};\n".format, NAMES, NAMES),
    st.builds("class {} {{ void {}({} x) {{ {}({}::{}, x::{}); }} }}\n".format, *[NAMES] * 7),
)
C = st.one_of(
    st.builds("void {}(int n) {{ {}(n); }}\n".format, NAMES, NAMES),
    st.builds("void {}(int n);\n".format, NAMES),
    st.builds("void {}(int n) {{ {}({}, &{}); }}\n".format, *[NAMES] * 4),
    st.just('#include "a.h"\n'),
    st.builds("struct {} {{ int n; }};\n".format, NAMES),
)
CPP = st.one_of(
    C,
    st.builds("class {} : {} {{ void {}() {{ {}(); }} {} x; }};\n".format, *[NAMES] * 5),
    st.builds("void {}::{}() {{ {}(); x.{}(); {}::{}(); }}\n".format, *[NAMES] * 6),
    st.builds("namespace {} {{ void {}() {{ }} }}\n".format, NAMES, NAMES),
)
LINES = {
    ".py": PYTHON,
    ".ts": SCRIPT,
    ".go": GO,
    ".rs": RUST,
    "java": JAVA,
    "a.h": CPP,
    "f.c": C,
    ".cpp": CPP,
}


def lines_of(path: str) -> st.SearchStrategy[str]:
    return next(lines for end, lines in LINES.items() if path.endswith(end))


def everything(index: CodeIndex) -> list[object]:
    return [
        (
            ref,
            index.entity(ref),
            calls_of(index, ref),
            callers_of(index, ref),
            passed_of(index, ref),
            implements(index, ref),
            list(implementations_by_file(index, ref)),
            index.named(index.entity(ref).name),
        )
        for ref in all_refs(index)
    ]


class CodeMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.index = CodeIndex()
        self.held: list[tuple[CodeIndex, list[object]]] = []

    @rule(path=PATHS, data=st.data())
    def save(self, path: str, data: st.DataObject) -> None:
        lines = data.draw(st.lists(lines_of(path), max_size=5))
        self.texts[path] = "".join(lines)
        self.index.put(code_file(path, self.texts[path]))

    @rule(path=COMPILED, data=st.data())
    def save_compiled(self, path: str, data: st.DataObject) -> None:
        lines = data.draw(st.lists(lines_of(path), max_size=4))
        self.texts[path] = "".join(lines)
        self.index.put(code_file(path, self.texts[path]))

    @rule(path=COMPILED)
    def delete_compiled(self, path: str) -> None:
        self.texts.pop(path, None)
        self.index.drop(path)

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """Move a file to another folder or name, over the file that is there."""
        old = data.draw(st.sampled_from(sorted(self.texts)))
        ending = "." + old.rpartition(".")[2]
        new = data.draw(st.one_of(PATHS, COMPILED).filter(lambda path: path.endswith(ending)))
        text = self.texts.pop(old)
        self.index.drop(old)
        self.texts[new] = text
        self.index.put(code_file(new, text))

    @rule(path=NOTES, data=st.data())
    def write_note(self, path: str, data: st.DataObject) -> None:
        blocks = data.draw(
            st.lists(
                st.one_of(
                    st.builds("```python\n{}```\n".format, PYTHON),
                    st.builds("```ts\n{}```\n".format, SCRIPT),
                    st.builds("```go\n{}```\n".format, GO),
                    st.builds("```rust\n{}```\n".format, RUST),
                    st.builds("```c++\n{}```\n".format, CPP),
                    st.builds("```java\n{}```\n".format, JAVA),
                ),
                max_size=3,
            )
        )
        self.notes[path] = "\n".join(blocks)
        self.index.put_note(path, read_note(path, self.notes[path]).code)

    @rule(path=NOTES)
    def delete_note(self, path: str) -> None:
        self.notes.pop(path, None)
        self.index.drop_note(path)

    @rule()
    def store(self) -> None:
        """Store the index, and go on with what was stored."""
        self.index = CodeIndex.read(written(self.index.columns()))

    @rule()
    def hold(self) -> None:
        """Keep a copy, which later changes must not reach."""
        copied = self.index.copy()
        self.held = [*self.held[-2:], (copied, everything(copied))]

    def teardown(self) -> None:
        for copied, before in self.held:
            assert everything(copied) == before

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        self.texts.pop(path, None)
        self.index.drop(path)

    @rule(old=PATHS, new=PATHS)
    def rename(self, old: str, new: str) -> None:
        if old in self.texts and old[-3:] == new[-3:]:
            text = self.texts.pop(old)
            self.index.drop(old)
            self.texts[new] = text
            self.index.put(code_file(new, text))

    @invariant()
    def equals_rebuild(self) -> None:
        anew = CodeIndex()
        for path in sorted(self.texts, reverse=True):
            anew.put(code_file(path, self.texts[path]))
        for note in sorted(self.notes, reverse=True):
            anew.put_note(note, read_note(note, self.notes[note]).code)
        assert everything(self.index) == everything(anew)

    @invariant()
    def callers_are_calls_from_the_other_end(self) -> None:
        refs = all_refs(self.index)
        calls = {edge for ref in refs for edge in calls_of(self.index, ref).edges}
        assert calls_to_all(self.index) == calls


def test_an_include_is_followed_as_its_files_change() -> None:
    index = CodeIndex()
    main = '#include "a.h"\nint main(void) { return f(); }\n'
    for path, text in {"c/main.c": main, "c/a.h": "", "c/b.h": "static int f(void) {}\n"}.items():
        index.put(code_file(path, text))
    assert shown_edges(index) == []
    index.put(code_file("c/a.h", '#include "b.h"\n'))
    assert shown_edges(index) == ["c/main.c:2 c/b.h::f::function import"]
    index.drop("c/a.h")
    assert shown_edges(index) == []


TestCodeIndex = CodeMachine.TestCase
TestCodeIndex.settings = examples(60, long=1_000, stateful_step_count=12)
