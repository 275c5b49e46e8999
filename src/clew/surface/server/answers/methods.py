"""The kinds of methods, which differ in how they are called and in their arguments."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from clew.engine.snapshot import Snapshot
from clew.query.slices import Slices
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.feed import Feed
from clew.surface.server.service import VaultService
from clew.values import replies, requests


@dataclass(frozen=True, slots=True)
class Method:
    """A method that answers without waiting: its request type and its function."""

    request_type: type[requests.Request]
    answer: Callable[[VaultService, Any, float], replies.Reply]


@dataclass(frozen=True, slots=True)
class WaitingMethod:
    """A method that runs in slices, or may wait for the indexer or a thread."""

    request_type: type[requests.Request]
    answer: Callable[[VaultService, Any], Awaitable[replies.Reply]]


@dataclass(frozen=True, slots=True)
class ClientMethod:
    """A method about the connection that the request came on."""

    request_type: type[requests.Request]
    answer: Callable[[VaultService, Any, Feed], replies.Reply]


AnyMethod = Method | WaitingMethod | ClientMethod


def query_method(
    request_type: type[requests.Request], query: Callable[[Snapshot, Any], replies.Reply]
) -> Method:
    """Return a method that reads the current revision and needs no clock."""
    return Method(
        request_type, lambda service, request, _: query(service.ready_snapshot(), request)
    )


def sliced_query(
    request_type: type[requests.Request],
    query: Callable[[Snapshot, Any], Slices[replies.Reply]],
    *,
    is_of_whole: bool = False,
) -> WaitingMethod:
    """Return a method that reads the current revision in slices, and needs no clock.

    ``is_of_whole``: whether it reports missing things, so that it needs a whole index.
    """

    async def answer(service: VaultService, request: requests.Request) -> replies.Reply:
        snapshot = service.whole_snapshot() if is_of_whole else service.ready_snapshot()
        return await in_turns(query(snapshot, request), service.tools.shared_work)

    return WaitingMethod(request_type, answer)
