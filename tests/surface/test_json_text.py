"""JSON without the module ``json``: the same values, and the same errors."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surface import json_text
from clew.surface.json_text import decoded, encoded
from tests.examples import examples
from tests.tables import for_each_row

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(PLAIN)
@examples(200)
def test_values_come_back_and_are_written_as_by_the_module(value: Any) -> None:
    assert encoded(value) == json.dumps(value, ensure_ascii=False).encode()
    assert decoded(encoded(value)) == value
    assert decoded(json.dumps(value, ensure_ascii=False, indent=1)) == value


@pytest.mark.parametrize("text", ["\ud800", "a\udfffé"])
@pytest.mark.parametrize("has_functions_of_c", [True, False])
def test_a_lone_surrogate_is_escaped(
    monkeypatch: pytest.MonkeyPatch, text: str, *, has_functions_of_c: bool
) -> None:
    if not has_functions_of_c:
        monkeypatch.setattr(json_text, "make_scanner", None)
    assert encoded({text: [text]}) == json.dumps({text: [text]}).encode()
    assert decoded(encoded(text)) == text


@for_each_row("text", [b"", b"{", b"[1,]", b"{} {}", b"nul", b'"\n"', b"\xff", b"1 x"])
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decoded(text)


@pytest.mark.parametrize("text", [b" [1] \n", b"\t7\r\n", b'"\\ud800"', b"[NaN, -Infinity]"])
def test_what_the_module_reads_is_read(text: bytes) -> None:
    assert repr(decoded(text)) == repr(json.loads(text))


def test_without_the_functions_of_c_the_module_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "make_scanner", None)
    assert decoded(encoded({"a": [1, "é"]})) == {"a": [1, "é"]}


def test_a_command_loads_neither_json_nor_regular_expressions() -> None:
    program = (
        "import sys; from clew.surface.cli.run import run; from clew.surface.cli.fast_path import"
        " parse; run(*parse(['context', 'x', '--socket', '/nowhere/x.sock']));"
        " print(*sorted({'json', 're', 'typing', 'dataclasses', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert done.stdout == "\n"
