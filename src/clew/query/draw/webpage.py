"""A subgraph as one self-contained web page that makes no network request.

The page holds the graph as JSON, escaped so that no text can end the element it is in, and the
styles, the scripts and the layout library. Its content security policy forbids loading anything and
running any script but these, which it lists by sha256. ``assets/main.js`` draws the JSON.

A live page may also ask the server that it came from; ``assets/live.js`` says for what.
"""

import base64
import hashlib
import json
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from clew.query.draw.page_notes import PageNote
from clew.query.slices import SLICE_ROWS
from clew.text.unicode import json_escape
from clew.values.replies import GraphEdge, GraphNode

SCRIPTS = (
    "data.js",
    "notes.js",
    "palette.js",
    "colours.js",
    "layout.js",
    "camera.js",
    "pace.js",
    "labels.js",
    "draw.js",
    "panel.js",
    "slips.js",
    "search.js",
    "filters.js",
    "main.js",
)
LIVE_SCRIPT = "live.js"  # uses what main.js defines


@dataclass(frozen=True, slots=True)
class PageCommunity:
    """A community and the label that the page shows for it."""

    id: int
    label: str


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of all that there is to draw; the page may show only a part."""

    concepts: int  # that any note mentions
    edges: int  # between the concepts of the page
    notes: int  # that mention a concept of the page


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page; each edge joins two of ``nodes``."""

    title: str
    vault: str  # the vault's name in Obsidian: that of its folder
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]  # strongest first
    communities: tuple[PageCommunity, ...]
    note_paths: Mapping[str, str]  # by concept name: the note that a click opens
    focus: str | None  # the name of the concept asked for, if any
    notes: tuple[PageNote, ...]  # newest first
    totals: Totals
    live: bool = False  # whether it asks the server that it came from for newer versions of itself


def page(content: Page) -> str:
    """Return the HTML of a page; equal contents give equal text."""
    parts = {**_fixed_parts(live=content.live), "data": _data(content)}
    return _PLACEHOLDER.sub(lambda match: parts[match[1]], _asset("map.html"))


_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def _asset(name: str) -> str:
    data = pkgutil.get_data(__name__, f"assets/{name}")
    assert data is not None
    return data.decode("utf-8")


@cache
def _fixed_parts(*, live: bool) -> dict[str, str]:
    """Return the parts that are the same in every page, live or not, by placeholder."""
    style = _asset("map.css")
    library = _asset("d3-force.min.js")
    names = (*SCRIPTS, LIVE_SCRIPT) if live else SCRIPTS
    script = _in_function("".join(map(_asset, names)))
    return {
        "style": style,
        "library": library,
        "script": script,
        "policy": _policy((library, script), style, live=live),
    }


def _in_function(script: str) -> str:
    """Wrap a script in a function, so that it defines no global names."""
    return f'(() => {{\n"use strict";\n{script}}})();\n'


def _policy(scripts: Sequence[str], style: str, *, live: bool) -> str:
    """Return a content security policy that loads nothing and runs only ``scripts``.

    The scripts of a live page may send requests to its own origin.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(_hash(script) for script in scripts)}",
            f"style-src {_hash(style)}",
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _data(content: Page) -> str:
    """Return the content as JSON, compact: rows as arrays, names and tags as indexes."""
    index_by_name = {node.name: index for index, node in enumerate(content.nodes)}
    index_by_community = {row.id: index for index, row in enumerate(content.communities)}
    tags = sorted({tag for note in content.notes for tag in note.tags})
    index_by_tag = {tag: index for index, tag in enumerate(tags)}
    return _embeddable_json(
        {
            "title": content.title,
            "vault": content.vault,
            "focus": None if content.focus is None else index_by_name.get(content.focus),
            "communities": [community.label for community in content.communities],
            "nodes": [
                _node(node, index_by_community, content.note_paths) for node in content.nodes
            ],
            "edges": [
                [
                    index_by_name[edge.a],
                    index_by_name[edge.b],
                    edge.co_occurrence_count,
                    edge.weighted_score,
                ]
                for edge in content.edges
            ],
            "tags": tags,
            "notes": [
                [note.path, note.day, [index_by_tag[tag] for tag in note.tags], note.concepts]
                for note in content.notes
            ],
            "totals": asdict(content.totals),
        }
    )


def _node(
    node: GraphNode, index_by_community: Mapping[int, int], note_paths: Mapping[str, str]
) -> list[Any]:
    """Return a node as an array: name, display name if it differs, community, notes, path."""
    display_name = None if node.display_name == node.name else node.display_name
    community = None if node.community_id is None else index_by_community.get(node.community_id)
    path = _linkable(note_paths.get(node.name))
    return [node.name, display_name, community, node.note_count, path]


def _linkable(path: str | None) -> str | None:
    """Return ``path`` unless it has undecodable bytes, which no link can express."""
    if path is None or _SURROGATE.search(path):
        return None
    return path


_SURROGATE = re.compile(r"[\ud800-\udfff]")  # Python's form of an undecodable byte in a path
# Characters that could end the JSON, that UTF-8 cannot encode, or that steer a terminal which shows
# the page: C1 and bidirectional controls, line separators, tag characters.
_UNSAFE = re.compile(
    r"[<>&\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff\U000e0000-\U000e007f]"
)


def _embeddable_json(data: Mapping[str, object]) -> str:
    """Return an object as JSON that cannot end its HTML element and always encodes as UTF-8.

    Long lists are on several lines: an encoder holds Python's lock until it returns, 20 ms for all
    of a large page, and secrets are searched for line by line.
    """
    members = (f"{_json(key)}:{_list(value)}" for key, value in data.items())
    return "{" + ",\n".join(members) + "}"


def _list(value: object) -> str:
    if not isinstance(value, list):
        return _json(value)
    runs = (_json(value[at : at + SLICE_ROWS])[1:-1] for at in range(0, len(value), SLICE_ROWS))
    return "[" + ",\n".join(runs) + "]"


def _json(data: object) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: json_escape(match[0]), text)
