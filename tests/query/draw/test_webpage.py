"""The web page: its JSON holds exactly the graph, and the page loads and runs nothing else."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clew.query.draw.page_notes import PageNote
from clew.query.draw.webpage import SCRIPTS, Page, PageCommunity, Totals, page
from clew.query.slices import SLICE_ROWS
from clew.values.replies import GraphEdge, GraphNode
from tests.tables import for_each_row
from tests.webpages import HOSTILE, drawing, edge, large, node, note

DATA = ("script", {"type": "application/json", "id": "graph"})

# Random text seldom contains markup, so it is mixed with pieces of markup.
names = st.lists(
    st.one_of(
        st.text(max_size=3),
        st.characters(codec=None, exclude_categories=()),
        st.sampled_from(("<!--", "-->", "<script", "</script>", "]]>", "{{data}}", "{{script}}")),
        st.sampled_from((*HOSTILE, "\u2028", "\u2029", "\x00", "\r", "\\u003c", "&lt;")),
    ),
    max_size=4,
).map("".join)


class Reader(HTMLParser):
    """Keeps every element's attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.within = False  # whether the text is inside an element
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        self.within = True

    def handle_endtag(self, _tag: str) -> None:
        self.within = False

    def handle_data(self, data: str) -> None:
        if self.within:
            self.elements[-1][2].append(data)

    def texts(self, tag: str, attributes: dict[str, str]) -> list[str]:
        return [
            "".join(t) for name, found, t in self.elements if (name, found) == (tag, attributes)
        ]


def data_of(text: str) -> Any:
    (found,) = Reader(text).texts(*DATA)
    return json.loads(found)


def test_equal_contents_give_equal_bytes() -> None:
    assert page(large(50, 120)).encode() == page(large(50, 120)).encode()


def test_no_line_of_the_json_is_long() -> None:
    (found,) = Reader(page(large(2_000, 3_000))).texts(*DATA)
    assert max(map(len, found.splitlines())) < len(found) / 8


def test_the_json_holds_every_row_of_long_lists() -> None:
    drawn = large(2 * SLICE_ROWS + 1, SLICE_ROWS)
    data = data_of(page(drawn))
    assert [row[0] for row in data["nodes"]] == [each.name for each in drawn.nodes]
    assert [row[2] for row in data["edges"]] == [each.co_occurrence_count for each in drawn.edges]
    assert [row[0] for row in data["notes"]] == [each.path for each in drawn.notes]


def test_the_json_holds_the_content() -> None:
    shown = drawing(
        nodes=(node("tide-gauge", "Tide gauge", 3, 7), node("datum", "datum", None, 1)),
        edges=(edge("datum", "tide-gauge", 2, 1.5),),
        communities=(PageCommunity(3, "sea level, tides"),),
        note_paths={"tide-gauge": "concepts/Tide gauge.md"},
        focus="datum",
        notes=(note("a.md", "2026-01-02", (0, 1), "y", "x"), note("b.md", "2025-01-02", (1,))),
        totals=Totals(9, 8, 7),
    )
    assert data_of(page(shown)) == {
        "title": "map",
        "vault": "notes",
        "focus": 1,
        "communities": ["sea level, tides"],
        "nodes": [
            ["tide-gauge", "Tide gauge", 0, 7, "concepts/Tide gauge.md"],
            ["datum", None, None, 1, None],
        ],
        "edges": [[1, 0, 2, 1.5]],
        "tags": ["x", "y"],
        "notes": [["a.md", "2026-01-02", [1, 0], [0, 1]], ["b.md", "2025-01-02", [], [1]]],
        "totals": {"concepts": 9, "edges": 8, "notes": 7},
    }


def test_a_community_or_focus_that_is_not_in_the_page_is_none() -> None:
    data = data_of(page(drawing(nodes=(node("a", "A", 9, 1),), focus="gone")))
    assert (data["nodes"][0][2], data["focus"]) == (None, None)


@given(names, names, names, names, names)
def test_any_text_is_kept_exactly(
    name: str, shown: str, label: str, title: str, vault: str
) -> None:
    text = page(
        Page(
            title=title,
            vault=vault,
            nodes=(GraphNode(name=name, display_name=shown, community_id=0, note_count=1),),
            edges=(),
            communities=(PageCommunity(0, label),),
            note_paths={},
            focus=name,
            notes=(PageNote(name, "2026-01-02", (shown,), (0,)),),
            totals=Totals(1, 0, 1),
        )
    )
    text.encode("utf-8")
    data = data_of(text)
    found = (data["title"], data["vault"], data["communities"][0], data["nodes"][0][0])
    assert found == (title, vault, label, name)
    assert data["nodes"][0][1] in (shown, None)
    assert (data["notes"][0][0], data["tags"]) == (name, [shown])


@given(names)
def test_no_text_adds_to_the_page(name: str) -> None:
    plain, odd = (page(drawing(nodes=(node(n, n, None, 1),), title=n)) for n in ("x", name))
    assert [e[:2] for e in Reader(odd).elements] == [e[:2] for e in Reader(plain).elements]


@for_each_row(
    "odd", [*"<>&\u2028\u2029", *"\x7f\x80\x9b\u061c\u200e\u202e\u2066\u206f\U000e0041\U000e007f"]
)
def test_what_could_end_the_data_or_steer_a_terminal_is_escaped(odd: str) -> None:
    text = page(drawing(nodes=(node(f"a{odd}b", "x", None, 1),)))
    start = text.index('id="graph">') + len('id="graph">')
    assert odd not in text[start : text.index("</script>", start)]
    assert data_of(text)["nodes"][0][0] == f"a{odd}b"


def test_a_path_that_no_link_can_hold_is_left_out() -> None:
    shown = drawing(nodes=(node("a", "A", None, 1),), note_paths={"a": "a\udcff.md"})
    assert data_of(page(shown))["nodes"][0][4] is None


def policy_of(reader: Reader) -> dict[str, list[str]]:
    (content,) = (
        found["content"]
        for tag, found, _ in reader.elements
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    )
    assert content is not None
    return {part.split()[0]: part.split()[1:] for part in content.split("; ")}


def test_the_policy_names_what_the_page_holds_and_nothing_else() -> None:
    reader = Reader(page(large(10, 20)))
    policy = policy_of(reader)
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == [hashed(text) for text in reader.texts("script", {})]
    assert policy["style-src"] == [hashed(text) for text in reader.texts("style", {})]
    assert set(policy) == {
        "default-src",
        "script-src",
        "style-src",
        "base-uri",
        "form-action",
        "require-trusted-types-for",
        "trusted-types",
    }


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_no_element_loads_or_runs_by_attribute() -> None:
    for tag, attributes, _ in Reader(page(large(10, 20))).elements:
        assert not {"src", "href", "style", "srcset"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}


def test_our_scripts_never_read_text_as_markup() -> None:
    text = page(drawing())
    ours = text[text.index('"use strict";\n/**') :]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", ours)
    assert not re.search(r"\bfetch\b|XMLHttpRequest|WebSocket|import\(|sendBeacon", ours)


def test_the_library_brings_its_licence_along() -> None:
    assert "Permission to use, copy, modify, and/or distribute" in page(drawing())


def test_a_page_of_two_thousand_concepts_stays_small() -> None:
    size = len(page(large(2000, 6000)).encode())
    assert size < 1_200_000, size


def test_a_page_without_concepts_is_a_page() -> None:
    assert data_of(page(drawing()))["nodes"] == []


def test_every_script_is_in_the_page_once() -> None:
    ours = Reader(page(drawing())).texts("script", {})[1]
    assert ours.count('"use strict"') == 1
    assert len(set(SCRIPTS)) == len(SCRIPTS)


def test_edges_lead_to_the_places_of_their_concepts() -> None:
    shown = large(40, 90)
    data = data_of(page(shown))
    ends = [(data["nodes"][a][0], data["nodes"][b][0]) for a, b, _, _ in data["edges"]]
    assert ends == [(found.a, found.b) for found in shown.edges]
    assert isinstance(shown.edges[0], GraphEdge)
