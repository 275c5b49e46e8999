"""The graph method: which concepts and edges it returns, and in which formats."""

from typing import get_args, get_type_hints

import pytest

from clew.engine.snapshot import Snapshot
from clew.query.draw import drawing
from clew.query.slices import finished
from clew.values import replies, requests
from tests.vaults import NOW_S, snapshot_of


def draw(
    snapshot: Snapshot, request: requests.GraphRequest
) -> replies.GraphJson | replies.GraphText:
    return drawing.draw(
        finished(drawing.subgraph(snapshot, request, NOW_S)), request.format, "vault"
    )


def test_a_graph_holds_the_concept_and_its_edges() -> None:
    snapshot = snapshot_of({"1.md": "[[A]] [[B]]", "2.md": "[[B]] [[C]]", "3.md": "[[C]] [[D]]"})
    reply = draw(snapshot, requests.GraphRequest(concept_name="A", depth=2))
    assert isinstance(reply, replies.GraphJson)
    assert [node.name for node in reply.nodes] == ["a", "b", "c"]
    assert [(edge.a, edge.b) for edge in reply.edges] == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize("name", get_args(get_type_hints(requests.GraphRequest)["format"])[1:])
def test_a_graph_comes_in_every_format(name: str) -> None:
    snapshot = snapshot_of({"1.md": '[[a"; end<script>&#124;]] [[plain]]'})
    request = requests.GraphRequest(format=name)  # type: ignore[arg-type]
    reply = drawing.draw(finished(drawing.subgraph(snapshot, request, NOW_S)), name, "vault")
    assert isinstance(reply, replies.GraphText)
    assert reply.format == name
    assert "plain" in reply.text
    assert "<script>&#" not in reply.text
