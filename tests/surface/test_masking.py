"""No reply but that of ``read`` shows a secret of a note."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from clew.query.doctor.kinds import SUGGESTIONS
from clew.surface.server.answers.dispatch import METHODS
from clew.surface.server.answers.masking import masked_reply
from clew.surface.server.answers.memory.sessions import TEXT_CHARACTERS_MAX
from clew.text.masking.secrets import is_masking
from tests.daemons import Daemon, daemon
from tests.tables import for_each_row

pytestmark = pytest.mark.slow  # starts daemons of its own

KEY = "AKIAIOSFODNN7EXAMPLE"
LINE = "MIIEpAIBAAKCAQEAcanary"
BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\nMIIEogIBAAKCAQEA\n{LINE}\n-----END RSA PRIVATE KEY-----"
NOTES = {
    "Keys.md": f"""---
title: Keys {KEY}
aliases: [Ring {KEY}]
type: key {KEY}
importance: {KEY}
owner: zephyr {KEY}
created: {KEY}
---
The keys of the zephyr {KEY} are in the [[Vault]], see [[Missing {KEY}]] and [[Vault|the {KEY}]].

## Rotation of {KEY}

{BLOCK}
of the zephyr [[Vault]] in [[Lock]]

```py
def zephyr_read(): return zephyr_{KEY}()
def zephyr_{KEY}(): ...
```
""",
    "Vault.md": f"{KEY} [[Keys]] at the zephyr {BLOCK} [[Lock]]\n\nthe Keys {KEY} are unlinked",
    "Lock.md": f"# Lock\n\n[[Keys|Missing {KEY}]] [[Missing {KEY}]] Keys {KEY} #{KEY}\n\n"
    f"It calls `zephyr_read()`, see {KEY}.",
}
_ASKED: dict[str, list[dict[str, Any]]] = {
    "backlinks": [{"uri": "Keys.md"}, {"uri": "Vault.md"}, {"conceptName": f"Missing {KEY}"}],
    "code": [{"name": "zephyr_read"}, {"name": "Keys.md"}],
    "communities": [{}],
    "complete": [{"kind": "concept"}, {"kind": "note"}, {"kind": "tag"}, {"kind": "folder"}],
    "concept": [{"conceptName": name, "includeContent": True} for name in ("Vault", "Lock", "x")],
    "concepts": [{}],
    "context": [
        {"query": query, "template": template, "includeEvidence": True, "includeMemories": has_text}
        for query in ("zephyr", f"Keys {KEY}", "vault lock missing", "quark")
        for template in ("default", "compact", "detailed")
        for has_text in (True, False)
    ],
    "doctor": [{}, {"deep": True}, *({"code": code} for code in SUGGESTIONS)],
    "assemble": [
        {
            "task": {"text": f"Keys zephyr {KEY}"},
            "mentions": list(NOTES),
            "state": [{"text": KEY, "source": KEY, "ref": KEY}],
            "format": kind,
        }
        for kind in ("items", "text", "messages")
    ],
    "trace": [{}],
    "validate": [{"task": {"text": "x"}, "mentions": [*NOTES, f"@{KEY}"]}],
    "evaluateRules": [{"task": {"text": f"Keys {KEY}"}}],
    "graph": [{"format": kind} for kind in ("json", "mermaid", "dot", "graphml", "html")],
    "hello": [{"protocol": 1}],
    "links": [{"uri": path} for path in NOTES],
    "orphans": [{}],
    "path": [{"from": "Vault", "to": f"Missing {KEY}"}, {"from": "Vault", "to": "nothing"}],
    "rank": [
        {"query": query, "format": kind}
        for query in ("zephyr keys", "rotation missing")
        for kind in ("rows", "map")
    ],
    "recent": [{}],
    "search": [
        {"query": query, "mode": mode, "explain": True}
        for query in ("zephyr", "ring keys", "owner zephyr", "vault MIIEogIBAAKCAQEA", "quark")
        for mode in ("hybrid", "keyword")
    ],
    "session.append": [{"sessionId": "s", "role": "user", "content": f"zephyr keys {KEY}"}],
    "session.delete": [{"sessionId": KEY}],
    "session.list": [{}],
    "session.recall": [{"query": "zephyr keys"}],
    "session.scratch.clear": [{"key": KEY}],
    "session.scratch.list": [{}],
    "session.scratch.set": [{"key": "k", "value": KEY}],
    "session.show": [{"sessionId": "s"}],
    "similar": [{"conceptName": "Keys"}],
    "status": [{}],
    "describe": [{}],
    "expand": [{"text": " ".join(f"[[{path}]]" for path in NOTES), "tokenBudget": 4000}],
    "subscribe": [{}],
    "sync": [{}],
    "tags": [{}],
    "unresolved": [{}],
    "verify": [{"text": " ".join(f"memory://{path}#L1" for path in NOTES)}],
    "why": [{"uri": path} for path in NOTES],
}
_WITHOUT_SECRETS = {
    "describe",
    "communities",
    "evaluateRules",
    "hello",
    "orphans",
    "session.append",
    "session.delete",
    "session.list",
    "session.scratch.clear",
    "session.scratch.list",
    "session.scratch.set",
    "similar",
    "status",
    "subscribe",
    "sync",
    "tags",
    "verify",
}
_NOT_ASKED = {"read", "session.scratch.get", "shutdown"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("masking")
    vault = home / "vault"
    vault.mkdir()
    for path, text in NOTES.items():
        (vault / path).write_text(text)
    with daemon(home, vault) as started:
        yield started


def test_every_method_is_asked() -> None:
    assert _ASKED.keys() | _NOT_ASKED == METHODS.keys()


@pytest.mark.parametrize("method", _ASKED)
def test_no_reply_has_a_secret_of_a_note(running: Daemon, method: str) -> None:
    masks = 0
    for fields in _ASKED[method]:
        reply = {**running.ask(method, **fields), "query": ""}  # which the caller sent
        if isinstance(reply.get("context"), str):
            reply["context"] = reply["context"].partition("\n")[2]
        text = json.encode(reply).decode()
        assert KEY not in text, text
        assert LINE not in text, text
        masks += text.count("[REDACTED:")
    assert masks or method in _WITHOUT_SECRETS


def test_read_shows_a_note_as_it_is(running: Daemon) -> None:
    assert running.ask("read", uri="Keys.md")["content"] == NOTES["Keys.md"]


def test_a_scratch_value_is_given_back_as_it_was_set(running: Daemon) -> None:
    running.ask("session.scratch.set", key="k", value=KEY)
    assert running.ask("session.scratch.get", key="k")["value"] == KEY


@pytest.mark.parametrize("shown", range(1, len(KEY)))
def test_a_turn_is_not_cut_within_a_secret(running: Daemon, shown: int) -> None:
    text = "numbat ".ljust(TEXT_CHARACTERS_MAX - shown - 1, "x") + f" {KEY}"
    running.ask("session.append", sessionId=f"cut {shown}", role="user", content=f"{text} end")
    (turn,) = running.ask("session.show", sessionId=f"cut {shown}")["turns"]
    recalled = running.ask("session.recall", query="numbat", sessionId=f"cut {shown}")["turns"]
    for row in (turn, *recalled):
        assert row["truncated"]
        assert KEY[:1] not in row["text"], row["text"][-30:]


def test_the_config_can_turn_masking_off(tmp_path: Path) -> None:
    config, vault = tmp_path / "config.toml", tmp_path / "vault"
    config.write_text("[context]\nmask_secrets = false\n")
    vault.mkdir()
    (vault / "a.md").write_text(f"# The {KEY}\n\nthe zephyr {KEY}")
    with daemon(tmp_path / "home", vault, "--config", str(config)) as running:
        (row,) = running.ask("search", query="zephyr", mode="keyword")["results"]
        assert (KEY in row["title"], KEY in row["snippet"]) == (True, True)
        pack = running.ask("context", query="zephyr")
        assert pack["metadata"]["masked"] == 0
        assert pack["context"].count(KEY) == 2
        (vault / f"{KEY}.md").write_text("[[a]]")
        running.ask("sync")
        drawn = running.ask("graph", format="html")["text"]  # on another thread
        assert f'"{KEY}.md"' in drawn


def test_ids_and_uris_of_a_reply_stay_as_they_are() -> None:
    reply = b'{"jsonrpc":"2.0","id":"%b","result":{"uri":"memory://%b.md","title":"%b"}}'
    key = KEY.encode()
    masked = masked_reply("recent", reply % (key, key, key))
    assert masked == reply % (key, key, b"[REDACTED:AWS_KEY]")


@for_each_row(
    "secret",
    [
        f"ghp_{'a1' * 18}",
        "xoxb-123456789012-abcdef",
        f"AIza{'a1-' * 12}"[:39],
        "sk_live_0123456789abcdef",
        "sk-ant-0123456789abcdefghij",
        "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK",
        "-----BEGIN PRIVATE KEY-----\nMIIE",
        "api_key = 's3cr3tvalue1234'",
        '"password": "s3cr3tvalue1234"',
    ],
)
def test_secrets_of_all_kinds_are_masked_in_a_reply(secret: str) -> None:
    reply = json.encode({"id": 1, "result": {"titles": [f"is {secret}"]}})
    assert b"[REDACTED:" in masked_reply("recent", reply)


def test_nothing_is_masked_if_the_config_says_so() -> None:
    token = is_masking.set(False)
    try:
        reply = b'{"id":1,"result":{"title":"%b"}}' % KEY.encode()
        assert masked_reply("recent", reply) == reply
    finally:
        is_masking.reset(token)


def test_a_reply_without_secrets_is_sent_as_it_is() -> None:
    reply = b'{"result":"%b"}' % (b"task-key: token = " * 100_000)
    assert masked_reply("graph", reply) is reply
