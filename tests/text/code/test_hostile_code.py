"""Text that is made to be hard takes bounded work in each language, which is counted."""

import pytest

from clew.text.code import syntax
from clew.text.code.languages import BY_NAME, load
from clew.text.code.parse import parse_code
from tests.timed import check_within

KIB = 1024
SIZE = 250 * KIB


CPU_SECONDS_MAX = 1.0


def repeated(unit: str, width: int = 4_000) -> str:
    """Return lines of ``unit`` again and again, none too long."""
    line = unit * (width // len(unit)) + "\n"
    return line * (SIZE // len(line))


HOSTILE = {
    "brackets": repeated("("),
    "mixed brackets": repeated("([{"),
    "substitutions": repeated("${"),
    "nested templates": repeated("`${"),
    "shifts": repeated("<<<<"),
    "types": repeated("a<"),
    "nested types": repeated("A<B,"),
    "quotes": repeated('"'),
    "raw strings": repeated('r#"'),
    "comments": repeated("/*"),
    "line continuations": "\\\n" * (SIZE // 2),
    "macros": "#define A(x) \\\n" * (SIZE // 15),
    "conditions": "#if A\n" * (SIZE // 8),
    "template heads": repeated("template<"),
    "questions": repeated("a?b:"),
    "assignments": repeated("a="),
    "casts": repeated("(a)"),
    "wrong brackets": "(]{)[}\n" * (SIZE // 8),
    # Of code that parses, a query took up to four seconds before pairs of nodes had a limit.
    "chains of 300 calls": ("(a" + "\n.b()" * 300 + ")\n") * 25,
    "chains of 450 calls": ("(a" + "\n.b()" * 450 + ")\n") * 25,
    "chains of 990 calls": ("(a" + "\n.b()" * 990 + ")\n") * 25,
    "300 calls in calls": ("f(\n" * 300 + ")" * 300 + "\n") * 25,
    "990 calls in calls": ("f(\n" * 990 + ")" * 990 + "\n") * 25,
}

# Each of these took over .8 s in some language, up to 35, before errors and depth had limits.
UNITS = (
    *("a,", "a:", "@a", "if a ", "def a():", 'R"(', "void f(", "1,", "{1,2},", "f'{", "a.b."),
    *("template<", "a instanceof ", "a is ", "a:b:", "(]{)[}"),
)
HOSTILE |= {f"{unit!r} in short lines": repeated(unit, 200) for unit in UNITS}


class CountedWork(syntax.Work):
    """Keeps the work of the last text."""

    last: syntax.Work

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        CountedWork.last = self


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(BY_NAME))
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_bounded_work_or_is_a_problem(
    name: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syntax, "Work", CountedWork)
    load(BY_NAME[language])
    CountedWork.last = CountedWork(b"")
    file, problem = check_within(
        CPU_SECONDS_MAX, lambda: parse_code("a", HOSTILE[name], BY_NAME[language])
    )
    assert (file is None) == (problem is not None)
    assert problem is None or problem.code == "codeSkipped"
    work = CountedWork.last
    assert work.steps <= 2 + syntax.STEPS_MIN + len(HOSTILE[name]) // syntax.BYTES_PER_STEP
    assert CountedWork.last.reads < 10_000


def test_a_scanner_that_reads_to_the_end_again_and_again_is_stopped() -> None:
    for name, language in (("line continuations", "python"), ("raw strings", "rust")):
        file, problem = parse_code("a", HOSTILE[name], BY_NAME[language])
        assert file is None
        assert problem is not None
        assert "too much work" in problem.message


ENDLESS = {  # by name: the language and what is said of it
    "'a,' in short lines": ("rust", "takes too much work"),
    "'a is ' in short lines": ("typescript", "takes too much work"),
    "'(]{)[}' in short lines": ("go", "takes too much work"),
    "'template<' in short lines": ("java", "brackets in brackets"),
    "brackets": ("c", "brackets in brackets"),
    "'a instanceof ' in short lines": ("java", "pieces in pieces"),
    "chains of 990 calls": ("python", "pieces in pieces"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_errors_and_depth_have_limits(name: str) -> None:
    language, message = ENDLESS[name]
    file, problem = parse_code("a", HOSTILE[name], BY_NAME[language])
    assert file is None
    assert problem is not None
    assert message in problem.message


def test_text_full_of_errors_is_stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "Work", CountedWork)
    _, problem = parse_code("a", HOSTILE["'a,' in short lines"], BY_NAME["rust"])
    assert problem is not None
    assert CountedWork.last.steps < 400  # of the 3,800 that it would take


def test_closed_brackets_do_not_hide_open_ones() -> None:
    assert syntax.is_too_deep(b")" * 5_000 + b"(" * 1_001)
    assert not syntax.is_too_deep(b"()" * 5_000 + b"(" * 1_000)
    assert syntax.is_too_deep(b"a<" * 1_001)
    assert not syntax.is_too_deep(b"a<b;" * 5_000)
    assert not syntax.is_too_deep(b"<a>" * 5_000)


@pytest.mark.parametrize("row", ["  {1, 2, 0x3},", '  "ab\\n",', "  1,"])
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_table_of_data_is_read_or_refused_by_its_length(language: str, row: str) -> None:
    for count, is_read in ((9_000, True), (12_000, False)):
        rows = (row + "\n") * count
        text = f"static const struct row table[] = {{\n{rows}}};\nint f(void) {{ return g(); }}\n"
        file, problem = parse_code("a", text, BY_NAME[language])
        assert (file is not None) == is_read
        assert (problem is None) == is_read


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_long_sum_and_long_chains_are_read(language: str) -> None:
    long_sum = "text = (" + "\n + ".join(f"'part {number}'" for number in range(900)) + ")\n"
    chains = ("(a" + "\n.b()" * 100 + ")\n") * 50
    file, problem = parse_code("a", f"{long_sum};\n{chains};\ncheck()\n", BY_NAME[language])
    assert problem is None
    assert file is not None
    assert file.calls[-1].name == "check"


def test_a_header_full_of_macros_is_read() -> None:
    declaration = (
        "void APIENTRY gl{} (GLenum texture);\nGL_API int GL_ENTRY ff{} (int pname, int *p);\n"
    )
    text = "".join(declaration.format(number, number) for number in range(1_200))
    file, problem = parse_code("a", text, BY_NAME["c"])
    assert problem is None
    assert file is not None


def test_much_work_for_little_text_is_stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "Work", CountedWork)
    _, problem = parse_code("a", HOSTILE["quotes"], BY_NAME["rust"])
    assert problem is not None
    assert CountedWork.last.steps < 2_000  # of the 4,300 that its length allows
