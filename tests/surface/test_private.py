"""No reply shows anything of private notes, unless the request asks and the config allows it.

Two daemons serve the same notes, one of them with private notes among them. Every word that only
these have contains ``canary``. Without ``includePrivate`` both give the same replies.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from clew.query.doctor.kinds import KINDS
from clew.surface.client import Refused
from clew.surface.server.answers.dispatch import METHODS
from tests.daemons import Daemon, daemon
from tests.examples import examples

pytestmark = pytest.mark.slow

AS_OF = "2026-11-21"
OLD_S = 1_763_683_200
CONFIG = (
    '[vault]\nignore = ["canaryfolder/left out/"]\n'
    '[context]\nprivate = ["canaryfolder/"]\nallow_private = {allowed}\n'
)
PUBLIC = {
    "Moon.md": "---\ntags: [sky/night]\naliases: [Luna]\n---\n# Moon\nIt pulls the [[Tide]]. "
    "See [[Gauge]] and [[Seen]] and [[missing thing]].\n## Phases\nFull and new.\n",
    "Tide.md": "# Tide\nThe [[Moon]] makes it; a [[Gauge]] in [[Harbour]] measures it.\n#water\n",
    "Gauge.md": "---\ntype: tool\nimportance: 0.9\n---\n# Gauge\nAt each [[Tide]], [[Luna]].\n"
    "```py\nclass TideGauge:\n    def read_level(self): ...\n```\n\n"
    "```py\ndef poll(gauge): gauge.read_level()\n```\n",
    "harbours/Harbour.md": "# Harbour\nThe [[Tide]] fills it. Boats wait for high water.\n"
    "`TideGauge` is asked by poll(gauge).\n",
    "harbours/Shared name.md": "# Shared name\nA pier in the [[Harbour]].\n",
    "Lonely.md": "# Lonely\nNo link leads here. Words about boats and the pier.\n",
}
PRIVATE = {
    "Canary one.md": "---\nprivate: true\ntitle: The canary title\naliases: [canaryalias]\n"
    "supersedes: [Moon, Harbour]\n"
    "tags: [canarytag/sub]\ntype: canarytype\nsource: canarysource\ncreated: 1987-07-17\n"
    'canaryproperty: "canaryvalue"\nimportance: high canary\n---\n# Canaryheading\n'
    "canaryword [[Moon]] [[Harbour]] [[Shared name]] [[canaryconcept]] [[Seen]] ![[canary.png]] "
    "boats\n## The canarysection\nMoon canarymoon tide tide tide [[canary two|canaryshown]].\n"
    "`TideGauge` and `canary_read()`.\n```py\nclass CanaryGauge(TideGauge):\n"
    "    def canary_read(self, gauge): gauge.read_level()\n```\n",
    "canaryfolder/Canary two.md": "# Canary two\n[[canaryconcept]] [[Luna]] canaryword boats "
    "#canarytag\nUnlinked mention: Lonely and Shared name.\n",
    "canaryfolder/Shared name.md": "# Other\nThe same canaryname [[canary two]].\n",
    "canaryfolder/canarypicture.png": "no note",
    "canaryfolder/left out/canary.md": "canaryword",
    "canaryfolder/.canary.md": "canaryword",
    "Canary alone.md": "---\nprivate: true\n---\ncanary\n",
    "Canary talk.md": "---\nprivate: true\ntype: session\n---\n# Canary talk\n\n"
    "## user · 2026-01-01\n\ncanaryword boats\n",
    "Canary broken.md": "---\nprivate: true\ntags: [canarytag\n---\ncanaryword [[canaryconcept]]\n",
    "Seen.md": "---\nprivate: yes\naliases: [missing thing]\n---\n# Seen\n[[Moon]] canary\n",
}
WORDS = [
    "canaryword",
    "canaryalias",
    "canarywrod",
    "canary",
    "conary",
    "Moon",
    "tide",
    "boats",
    "seen",
]


QUERIES = (
    "moon boats",
    "canaryword",
    "canarywrod tide",
    "tag:canarytag",
    "path:canaryfolder",
    "1987",
)
NAMES = (
    "Moon",
    "canaryalias",
    "Canary one",
    "canaryconcept",
    "Seen",
    "Shared name",
    "missing thing",
)
URIS = (
    "Moon",
    "Canary one.md",
    "canaryfolder/Canary two",
    "memory://canaryfolder/Shared%20name.md",
)
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"filters": {"tags": ["canarytag"]}},
    {"filters": {"folder": "canaryfolder"}},
    {"filters": {"entity": ["canaryconcept"]}},
    {"filters": {"type": "canarytype"}},
    {"filters": {"source": ["canarysource"]}},
    {"filters": {"until": "1990-01-01"}},
)
REQUESTS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "backlinks": (
        {"uri": "Moon"},
        *({"conceptName": n} for n in NAMES),
        *({"uri": u} for u in URIS),
    ),
    "code": tuple(
        {"name": name}
        for name in (
            *("TideGauge", "read_level", "poll", "CanaryGauge", "canary_read", "canary_raed"),
            *("Canary one.md", "memory://Gauge.md", "Canary one.md::CanaryGauge::class"),
        )
    ),
    "communities": ({},),
    "complete": tuple(
        {"kind": kind, "prefix": prefix}
        for kind in ("concept", "note", "tag", "folder")
        for prefix in ("", "canary", "canaryfolder/", "s")
    ),
    "concept": tuple({"conceptName": n, "depth": 3, "includeContent": True} for n in NAMES),
    "concepts": ({}, {"prefix": "canary"}, {"sort": "recent"}, {"sort": "name"}),
    "context": tuple(
        {
            "query": query,
            "includeEvidence": True,
            "embedMetadata": True,
            "template": template,
            **more,
        }
        for query in QUERIES
        for template in ("detailed", "compact")
        for more in ({}, FILTERS[1])
    ),
    "describe": ({}, {"method": "canary"}),
    "doctor": ({}, {"deep": True}, *({"code": code} for code in KINDS)),
    "assemble": (
        {"task": {"text": "moon"}},
        *(
            {"task": {"text": query}, "mentions": NAMES, "format": form}
            for query in QUERIES[:3]
            for form in ("items", "text", "messages")
        ),
    ),
    "trace": ({"limit": 3},),
    "validate": ({"task": {"text": "x"}}, {"task": {"text": "x"}, "mentions": NAMES}),
    "evaluateRules": ({"task": {"text": "canary"}},),
    "expand": tuple(
        {"text": text}
        for text in ("[[canary one]] [[Luna]] Canary two [[canaryconcept]] canaryalias", "Moon")
    ),
    "graph": tuple(
        {"format": form, **focus}
        for form in ("json", "mermaid", "dot", "graphml", "html")
        for focus in ({}, *({"conceptName": n, "depth": 3} for n in NAMES[:4]))
    ),
    "hello": ({"protocol": 1},),
    "links": tuple({"uri": uri} for uri in URIS),
    "orphans": ({},),
    "path": tuple({"from": a, "to": b} for a in ("Moon", "Luna") for b in ("Harbour", *NAMES)),
    "rank": tuple(
        {"query": query, "format": form, "searchMode": mode}
        for query in QUERIES[:3]
        for form in ("rows", "map")
        for mode in ("fts", "legacy")
    ),
    "read": (*({"uri": uri} for uri in (*URIS, *NAMES)), {"title": "The canary title"}),
    "recent": (
        {},
        {"by": "created"},
        {"by": "read"},
        {"since": "1980-01-01"},
        {"until": "2100"},
    ),
    "search": tuple(
        {"query": query, "explain": True, "mode": mode, **more}
        for query in QUERIES
        for mode in ("hybrid", "keyword", "semantic", "graph")
        for more in FILTERS
    ),
    "session.append": (
        {"sessionId": "s", "role": "user", "content": "the moon", "asOf": "2026-01-01"},
    ),
    "session.delete": ({"sessionId": "t"},),
    "session.list": ({},),
    "session.recall": tuple({"query": query} for query in WORDS),
    "session.show": ({"sessionId": "s"}, {"sessionId": "memory://Canary%20talk.md"}),
    "session.scratch.clear": ({},),
    "session.scratch.get": ({"key": "k"},),
    "session.scratch.list": ({},),
    "session.scratch.set": ({"key": "k", "value": "v", "asOf": "2026-01-01"},),
    "shutdown": (),
    # Not of "missing thing", a concept only where the alias is not seen: its name has no vector.
    "similar": tuple(
        {"conceptName": name} for name in NAMES if name not in {"Seen", "missing thing"}
    ),
    "status": ({},),
    "subscribe": ({},),
    "sync": ({}, {"full": True}),
    "tags": ({}, {"prefix": "canary"}, {"tag": "canarytag"}, {"tag": "canary"}),
    "unresolved": ({},),
    "verify": (
        {"text": "memory://Moon.md#L1"},
        *({"text": f"memory://{path}#L1~00000000"} for path in PRIVATE),
        *({"text": name} for name in NAMES),
    ),
    "why": tuple({"uri": uri} for uri in (*URIS, *NAMES, *PRIVATE)),
}
# Their replies name no note.
SILENT = {
    *("describe", "evaluateRules", "hello", "shutdown", "status", "subscribe", "sync", "trace"),
    *(
        name
        for name in METHODS
        if name.startswith(("session.append", "session.delete", "session.scratch."))
    ),
}
# Fields of sums over all notes, of the partition, which is of all notes, and of the moment.
LOOSE = {
    *("revision", "communityId", "communityRevision", "communityIds", "communities", "modularity"),
    *(
        "communitySiblings",
        "at",
        "tookMs",
        "stageTimings",
        "lastRead",
        "vault",
        "cacheHit",
        "importanceRevision",
        "epoch",
    ),
}


def write(folder: Path, notes: Mapping[str, str]) -> Path:
    for name, text in notes.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (OLD_S, OLD_S))
    return folder


class Pair(NamedTuple):
    """A daemon with private notes, and one without."""

    mixed: Daemon
    plain: Daemon


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("private")
    config = folder / "config.toml"
    config.write_text(CONFIG.format(allowed="true"))
    # Both folders have the same name, which drawings show.
    mixed = write(folder / "m" / "vault", {**PUBLIC, **PRIVATE})
    plain = write(folder / "p" / "vault", PUBLIC)
    words = "--config", str(config)
    with daemon(folder / "a", mixed, *words) as one, daemon(folder / "b", plain, *words) as two:
        one.until_partitioned()
        two.until_partitioned()
        yield Pair(one, two)


def said(running: Daemon, method: str, params: Mapping[str, Any], **more: Any) -> Any:
    """Return the result of a request, or its error."""
    try:
        return running.ask(method, **{"asOf": AS_OF, **params, **more})
    except Refused as refused:
        return refused.error


def firm(reply: Any) -> Any:
    """Return a reply without what may differ."""
    if isinstance(reply, dict):
        return {name: firm(value) for name, value in reply.items() if name not in LOOSE}
    if isinstance(reply, str):
        lines = reply.replace("/m/vault", "/p/vault").split("\n")
        return "\n".join(line for line in lines if "ommunity" not in line)
    return [firm(each) for each in reply] if isinstance(reply, list) else reply


def has_canary(reply: Any) -> bool:
    text = json.dumps(reply, ensure_ascii=False).casefold()
    return "canary" in text or "1987-07-17" in text


def asks_for_canary(method: str, params: Mapping[str, Any]) -> bool:
    return has_canary(params) or method == "trace"  # which repeats earlier tasks


def test_every_method_is_asked() -> None:
    assert REQUESTS.keys() == METHODS.keys()


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {"shutdown"}))
def test_a_reply_is_that_of_a_vault_without_the_private_notes(pair: Pair, method: str) -> None:
    for params in REQUESTS[method]:
        reply = said(pair.mixed, method, params)
        assert asks_for_canary(method, params) or not has_canary(reply), (params, reply)
        is_coloured = method == "graph" and params["format"] != "json"  # by communities
        if method not in {"communities", "status", "sync"} and not is_coloured:
            assert firm(reply) == firm(said(pair.plain, method, params)), params


@pytest.mark.parametrize("method", sorted(METHODS.keys() - SILENT))
def test_private_notes_are_seen_where_that_is_asked_for(pair: Pair, method: str) -> None:
    replies = [said(pair.mixed, method, p, includePrivate=True) for p in REQUESTS[method]]
    assert any(has_canary(reply.get("result", reply)) for reply in replies)
    allowed = [
        said(pair.mixed, method, p, includePrivate="ifAllowed") for p in REQUESTS[method][:3]
    ]
    assert firm(allowed) == firm(replies[:3])


@given(
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    method=st.sampled_from(["search", "context", "rank"]),
)
@examples(40, long=1_000, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_tells_that_private_notes_exist(pair: Pair, query: str, method: str) -> None:
    # Insights name communities, which are of all notes, and so count their tokens.
    more = {"includeEvidence": True, "includeGraphRAG": False} if method == "context" else {}
    params = {"query": query, **more}
    assert firm(said(pair.mixed, method, params)) == firm(said(pair.plain, method, params))


def test_a_dump_has_private_notes_only_where_that_is_asked_for(pair: Pair) -> None:
    dumped = [
        Path(pair.mixed.ask("doctor", dump=True, includePrivate=seen)["dump"]).read_text()
        for seen in (False, True)
    ]
    assert ["canary" in text.casefold() for text in dumped] == [False, True]


def test_a_note_is_hidden_and_shown_by_an_edit(pair: Pair) -> None:
    file, text = pair.mixed.vault / "Canary one.md", PRIVATE["Canary one.md"]

    def sees(**more: Any) -> bool:
        reply = pair.mixed.ask("search", query="canarymoon", waitFor=["Canary one.md"], **more)
        return bool(reply["results"])

    for _ in range(3):
        file.write_text(text.replace("private: true", "private: false"))
        assert sees()
        assert has_canary(said(pair.mixed, "concepts", {"waitFresh": True}))
        file.write_text(text)
        os.utime(file, (OLD_S, OLD_S))
        assert not sees()
        assert sees(includePrivate=True)
        assert not has_canary(said(pair.mixed, "communities", {}))
        for params in REQUESTS["concepts"][:1] + REQUESTS["tags"][:1]:
            assert not has_canary(said(pair.mixed, "concepts", params))


def test_private_notes_are_refused_unless_the_config_allows_them(tmp_path: Path) -> None:
    vault, config = write(tmp_path / "vault", {**PUBLIC, **PRIVATE}), tmp_path / "config.toml"
    config.write_text(CONFIG.format(allowed="false"))
    with daemon(tmp_path / "home", vault, "--config", str(config)) as running:
        for method in sorted(METHODS.keys() - {"shutdown"}):
            params = dict(REQUESTS[method][0])
            error = running.refusal(method, **params, includePrivate=True)
            assert error["data"]["code"] == "notAllowed"
            assert "allow_private" in error["data"]["hint"]
            assert not has_canary(said(running, method, params, includePrivate="ifAllowed"))
