"""The concept graph as one web page that holds all it needs and asks the network for nothing.

What is drawn goes in as JSON, in a place of the page where no text can end it; the styles, the
scripts and the layout library stand beside it. The page's policy forbids to load anything, and to
run anything but those scripts, which it names by their sha256. What becomes of the JSON is told in
``assets/main.js``.
"""

import base64
import hashlib
import json
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from clew.values.replies import GraphEdge, GraphNode

SCRIPTS = (
    "data.js",
    "palette.js",
    "layout.js",
    "camera.js",
    "pace.js",
    "labels.js",
    "draw.js",
    "panel.js",
    "search.js",
    "main.js",
)


@dataclass(frozen=True, slots=True)
class PageCommunity:
    """A community and the words a reader knows it by."""

    id: int
    label: str


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn; every edge is between two of ``nodes``."""

    title: str
    vault: str  # as Obsidian knows it: the name of its folder
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]  # the strongest first
    communities: tuple[PageCommunity, ...]
    files: Mapping[str, str]  # the note to open for a concept's name, as a path in the vault
    focus: str | None  # the name of the concept asked for


def page(drawing: Page) -> str:
    """Return the page; the same drawing gives the same text."""
    fixed = _fixed()
    parts = {**fixed, "data": _data(drawing)}
    return _PLACE.sub(lambda match: parts[match[1]], _asset("map.html"))


_PLACE = re.compile(r"\{\{(\w+)\}\}")


def _asset(name: str) -> str:
    data = pkgutil.get_data(__name__, f"assets/{name}")
    assert data is not None
    return data.decode("utf-8")


@cache
def _fixed() -> dict[str, str]:
    """Return what is the same in every page."""
    style = _asset("map.css")
    library = _asset("d3-force.min.js")
    script = _closed("".join(_asset(name) for name in SCRIPTS))
    return {
        "style": style,
        "library": library,
        "script": script,
        "policy": _policy(scripts=(library, script), style=style),
    }


def _closed(script: str) -> str:
    """Keep the names of a script to itself."""
    return f'(() => {{\n"use strict";\n{script}}})();\n'


def _policy(scripts: Sequence[str], style: str) -> str:
    """Return a policy under which nothing is loaded and only these texts run."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(_hash(script) for script in scripts)}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _data(drawing: Page) -> str:
    """Return the drawing as JSON: rows instead of objects, places instead of names."""
    places = {node.name: place for place, node in enumerate(drawing.nodes)}
    groups = {community.id: place for place, community in enumerate(drawing.communities)}
    return _embedded(
        {
            "title": drawing.title,
            "vault": drawing.vault,
            "focus": None if drawing.focus is None else places.get(drawing.focus),
            "communities": [community.label for community in drawing.communities],
            "nodes": [_node(node, groups, drawing.files) for node in drawing.nodes],
            "edges": [
                [places[edge.a], places[edge.b], edge.co_occurrence_count, edge.weighted_score]
                for edge in drawing.edges
            ],
        }
    )


def _node(node: GraphNode, groups: Mapping[int, int], files: Mapping[str, str]) -> list[Any]:
    """Return a row; a display name that says no more than the name is left out."""
    shown = None if node.display_name == node.name else node.display_name
    group = None if node.community_id is None else groups.get(node.community_id)
    return [node.name, shown, group, node.note_count, _openable(files.get(node.name))]


def _openable(path: str | None) -> str | None:
    """Return the path if a link can hold it: one with undecodable bytes has no form in a link."""
    if path is None or _LONE.search(path):
        return None
    return path


_LONE = re.compile(r"[\ud800-\udfff]")  # half a character: UTF-8 has no form for it
# Characters that could end the JSON, that UTF-8 cannot hold, or that steer a terminal which shows
# the page: C1 and bidirectional controls, line separators, tag characters.
_UNSAFE = re.compile(
    r"[<>&\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff\U000e0000-\U000e007f]"
)


def _embedded(data: object) -> str:
    """Return JSON that no text in it can end, and that can be encoded whatever it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
