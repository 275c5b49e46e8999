"""Text that is made to be hard takes bounded work in each language, which is counted."""

import pytest

from clew.text.code import syntax
from clew.text.code.languages import BY_NAME
from clew.text.code.parse import parse_code

KIB = 1024
SIZE = 250 * KIB


def repeated(unit: str) -> str:
    """Return lines of ``unit`` again and again, none too long."""
    line = unit * (4_000 // len(unit)) + "\n"
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
}


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
    file, problem = parse_code("a", HOSTILE[name], BY_NAME[language])
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


def test_much_work_for_little_text_is_stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "Work", CountedWork)
    _, problem = parse_code("a", HOSTILE["quotes"], BY_NAME["rust"])
    assert problem is not None
    assert CountedWork.last.steps < 2_000  # of the 4,300 that its length allows
