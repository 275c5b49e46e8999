"""The rows of long replies are encoded, and their secrets masked, in slices."""

import pytest
from msgspec.structs import replace

from clew.query.slices import SLICE_ROWS, finished
from clew.surface.server.answers import encoding, masking
from clew.surface.server.answers.encoding import RUN_CHARACTERS, encoded_reply
from clew.surface.server.answers.masking import masked_reply
from clew.text.masking.secrets import json_may_have_secrets
from clew.values.replies import ConceptRow, Concepts, Expand, GraphText
from clew.values.wire import Call, encode_result
from tests.counted import counted
from tests.tables import for_each_row

KEY = "AKIAIOSFODNN7EXAMPLE"


def concepts(count: int, secrets: tuple[int, ...] = (), cursor: str | None = None) -> Concepts:
    """Return a reply of many rows; those with these numbers have a secret."""
    rows = tuple(
        ConceptRow(
            name=f"n{number}",
            display_name=f'"{KEY if number in secrets else number}", é',
            note_count=number,
            mention_count=number,
            community_id=None,
            aliases=("a", "b"),
        )
        for number in range(count)
    )
    return Concepts(revision=1, concepts=rows, total=count, start=0, cursor=cursor)


def call(method: str, call_id: int | str = 1) -> Call:
    return Call(call_id, method, b"{}", expects_reply=True)


@for_each_row("count", [0, 1, SLICE_ROWS, SLICE_ROWS + 1, 2 * SLICE_ROWS, 3 * SLICE_ROWS + 7])
def test_a_reply_is_the_same_whether_its_rows_are_encoded_in_slices(count: int) -> None:
    secrets = (0, SLICE_ROWS - 1, SLICE_ROWS, count - 1)
    for reply in (concepts(count), concepts(count, secrets), concepts(count, cursor=KEY)):
        for method in ("concepts", "read"):
            whole = masked_reply(method, encode_result("a", reply))
            assert finished(encoded_reply(call(method, "a"), reply)) == whole


def test_a_long_line_is_joined_in_a_step_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the last step, the rows are freed and the line is written, which takes long too."""
    joined = counted(monkeypatch, encoding, "_with_values")
    steps = encoded_reply(call("concepts"), concepts(SLICE_ROWS + 1))
    assert [len(joined) for _ in steps] == [0, 0, 1]


def test_a_secret_after_a_tab_is_masked_though_json_writes_tabs_otherwise() -> None:
    reply = concepts(2 * SLICE_ROWS + 1)
    for text in ("token\t=\tabc123def456ghi789", "Bearer\tabc123def456ghi789jkl0Z9"):
        rows = (replace(reply.concepts[0], display_name=text), *reply.concepts[1:])
        line = finished(encoded_reply(call("concepts"), replace(reply, concepts=rows)))
        assert b"[REDACTED:" in line
        assert line == masked_reply("concepts", encode_result(1, replace(reply, concepts=rows)))


def graphml(edge_count: int, names: dict[int, str] | None = None) -> GraphText:
    """Return a drawing of so many edges, each of which has two values after a key."""
    lines = (
        f'<edge source="{(names or {}).get(number, "n1")}"><data key="count">12345678</data>'
        for number in range(edge_count)
    )
    text = "\n".join(lines) + "\n"
    return GraphText(
        revision=1,
        unknown=(),
        suggestions=(),
        display_suggestions=(),
        format="graphml",
        text=text,
    )


@for_each_row("count", [1, 300, 1_000])
def test_a_drawing_is_the_same_whether_its_lines_are_encoded_in_slices(count: int) -> None:
    in_all = dict.fromkeys(range(count), f'"é {KEY}')
    for reply in (graphml(count), graphml(count, {0: KEY, count - 1: KEY}), graphml(count, in_all)):
        for method in ("graph", "read"):
            whole = masked_reply(method, encode_result(1, reply))
            assert finished(encoded_reply(call(method), reply)) == whole


def test_a_key_over_many_lines_is_masked_whole_in_a_text_that_is_no_drawing() -> None:
    key = "\n".join(("-----BEGIN PRIVATE KEY-----", *["MIIE" * 16] * 300, ""))
    text = f"{key}-----END PRIVATE KEY-----\n"
    assert len(key) > RUN_CHARACTERS
    reply = Expand(revision=1, text=text, refs=(), tokens=1, more=0)
    line = finished(encoded_reply(call("expand"), reply))
    assert b"MIIE" not in line


def test_no_line_of_a_drawing_is_cut_within_a_secret() -> None:
    reply = graphml(3, {0: f"{KEY} " * (2 * RUN_CHARACTERS // len(KEY))})
    line = finished(encoded_reply(call("graph"), reply))
    assert line == masked_reply("graph", encode_result(1, reply))
    assert b"AKIA" not in line


def test_no_step_masks_more_than_a_run_of_the_lines_of_a_drawing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masked: list[int] = []

    def noted(data: bytes) -> bool:
        masked.append(len(data))
        return json_may_have_secrets(data)

    monkeypatch.setattr(masking, "json_may_have_secrets", noted)
    reply = graphml(2_000)
    steps = sum(1 for _ in encoded_reply(call("graph"), reply))
    assert max(masked) < 1.3 * RUN_CHARACTERS
    assert steps >= len(reply.text) // (1.1 * RUN_CHARACTERS)


def test_there_is_a_pause_after_each_run_of_rows_and_one_after_the_line() -> None:
    assert len(list(encoded_reply(call("concepts"), concepts(4 * SLICE_ROWS)))) == 4 + 1
    assert not list(encoded_reply(call("concepts"), concepts(SLICE_ROWS)))
