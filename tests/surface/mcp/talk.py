"""Conversations without a daemon: requests in, replies out, with results made up for questions."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from clew.surface.mcp.conversation import Conversation
from clew.surface.mcp.tools.table import tools_of
from clew.surface.mcp.versions import CAPABILITIES_KEY, ENVELOPE, VERSION_KEY
from clew.surface.mcp.work import Question

Answer = dict[str, Any] | Exception
META = {VERSION_KEY: ENVELOPE[-1], CAPABILITIES_KEY: {}}


def no_daemon(question: Question) -> Answer:
    raise AssertionError(f"{question.method} was asked")


class Talk:
    """One conversation; ``daemon`` answers its questions, at once or when told to."""

    def __init__(
        self, daemon: Callable[[Question], Answer] = no_daemon, groups: Sequence[str] = ()
    ) -> None:
        self.conversation = Conversation(tools_of(groups))
        self.daemon = daemon

    def handshake(self, version: str = "2025-11-25") -> dict[str, Any]:
        reply = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        result: dict[str, Any] = reply["result"]
        return result

    def ask(self, method: str, request_id: int | str = 1, **params: Any) -> dict[str, Any]:
        """Return the reply to one request."""
        [reply] = self.say(request(method, request_id, **params))
        assert reply["id"] == request_id
        assert isinstance(reply, dict)
        return reply

    def text(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's reply, which must be no error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        return str(result["content"][0]["text"])

    def trouble(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's reply, which must be an error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"], result
        return str(result["content"][0]["text"])

    def say(self, *values: Any) -> list[Any]:
        """Send values as lines of JSON; return the lines that answer them."""
        return self.send(b"".join(json.dumps(value).encode() + b"\n" for value in values))

    def send(self, data: bytes, *, run: bool = True) -> list[Any]:
        """Send lines; run the calls, if told to; return the lines of the replies."""
        for line in data.split(b"\n"):
            self.conversation.receive(line)
        if run:
            self.run()
        return self.replies()

    def run(self) -> None:
        """Answer all questions of the calls."""
        while self.conversation.starting:
            call = self.conversation.starting.pop(0)
            question = self.conversation.advance(call, None)
            while question is not None:
                question = self.conversation.advance(call, self.daemon(question))

    def replies(self) -> list[Any]:
        """Return the lines that were not taken yet."""
        lines, self.conversation.outgoing = self.conversation.outgoing, []
        assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
        return [json.loads(line) for line in lines]


def request(method: str, request_id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def enveloped(method: str, request_id: Any = 1, **params: Any) -> dict[str, Any]:
    return request(method, request_id, _meta=META, **params)


def called(tool: str, request_id: Any = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", request_id, name=tool, arguments=arguments)


def made_up(**result: Any) -> Talk:
    """Return a conversation whose daemon always gives this result."""
    return Talk(lambda _: result)


def note_of(content: str, lines: list[int], citation: dict[str, Any] | None) -> dict[str, Any]:
    """Return the result of a ``read``."""
    metadata = {"type": "note", "tags": [], "aliases": [], "created": "", "modified": ""}
    note = {"uri": "memory://a.md", "title": "A", "totalLines": 9, "checksum": "0" * 64}
    return {**note, "content": content, "lines": lines, "metadata": metadata, "citation": citation}
