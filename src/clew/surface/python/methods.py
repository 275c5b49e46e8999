"""The methods of the daemon, as methods of a vault with typed parameters and replies.

There is one table, for blocking code and for asyncio. The parameters of a method are the fields of
its request in ``values/requests.py``, by keyword and in snake_case; its result is the reply.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from clew.values import daemon_replies, replies, requests, search_replies
from clew.values.code.replies import CodeReply
from clew.values.memory import replies as memory_replies
from clew.values.memory import requests as memory_requests
from clew.values.windows import assemble_replies

P = ParamSpec("P")
R = TypeVar("R")


class Blocking(Protocol):
    """Sends a request and blocks until the reply."""

    def ask(self, method: str, request: requests.Request, reply: type[R]) -> R:
        """Return the reply to a request."""


class Waiting(Protocol):
    """Sends a request, and lets other tasks run until the reply."""

    async def ask(self, method: str, request: requests.Request, reply: type[R]) -> R:
        """Return the reply to a request."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[R]):
    """The types of a method's replies, and the choice among them by the request."""

    kinds: tuple[type, ...]
    of: Callable[[Any], type[R]]


class Method(Generic[P, R]):
    """One method, as a descriptor: makes its request, and chooses the type of the reply."""

    def __init__(
        self, request: Callable[P, requests.Request], reply: Choice[R], name: str = ""
    ) -> None:
        self.request = request
        self.reply = reply
        self.name = name  # on the wire; by default the attribute's name in camelCase

    def __set_name__(self, _: type, name: str) -> None:
        first, *others = name.split("_")
        self.name = self.name or first + "".join(map(str.capitalize, others))

    @overload
    def __get__(self, vault: Waiting, owner: type) -> Callable[P, Awaitable[R]]: ...

    @overload
    def __get__(self, vault: Blocking, owner: type) -> Callable[P, R]: ...

    @overload
    def __get__(self, vault: None, owner: type) -> "Method[P, R]": ...

    def __get__(self, vault: Any, owner: type) -> Any:
        if vault is None:
            return self

        def ask(*args: P.args, **kwargs: P.kwargs) -> Any:
            request = self.request(*args, **kwargs)
            return vault.ask(self.name, request, self.reply.of(request))

        ask.__name__, ask.__doc__ = self.name, self.request.__doc__
        return ask


def _always(reply: type[R]) -> Choice[R]:
    return Choice((reply,), lambda _: reply)


def _graph(request: requests.GraphRequest) -> type[replies.GraphJson | replies.GraphText]:
    return replies.GraphJson if request.format == "json" else replies.GraphText


def _tags(request: requests.Tags) -> type[replies.Tags | replies.TaggedNotes]:
    return replies.Tags if request.tag is None else replies.TaggedNotes


def _of_session(name: str, request: Callable[P, requests.Request], reply: type[R]) -> Method[P, R]:
    return Method(request, _always(reply), f"session.{name}")


_GRAPH = Choice((replies.GraphJson, replies.GraphText), _graph)
_TAGS = Choice((replies.Tags, replies.TaggedNotes), _tags)


class Methods:
    """All methods but ``subscribe``."""

    assemble = Method(requests.Assemble, _always(assemble_replies.Assemble))
    backlinks = Method(requests.Backlinks, _always(replies.Backlinks))
    code = Method(requests.Code, _always(CodeReply))
    communities = Method(requests.CommunitiesRequest, _always(replies.CommunitiesReply))
    complete = Method(requests.Complete, _always(replies.Completions))
    concept = Method(requests.ConceptRequest, _always(replies.ConceptReply))
    concepts = Method(requests.Concepts, _always(replies.Concepts))
    context = Method(requests.Context, _always(search_replies.ContextReply))
    describe = Method(requests.Describe, _always(daemon_replies.Describe))
    doctor = Method(requests.Doctor, _always(daemon_replies.Doctor))
    expand = Method(requests.Expand, _always(replies.Expand))
    evaluate_rules = Method(requests.EvaluateRules, _always(search_replies.EvaluateRules))
    graph = Method(requests.GraphRequest, _GRAPH)
    hello = Method(requests.Hello, _always(daemon_replies.Hello))
    links = Method(requests.Links, _always(replies.Links))
    orphans = Method(requests.Orphans, _always(replies.Orphans))
    path = Method(requests.PathRequest, _always(replies.PathReply))
    rank = Method(requests.Rank, _always(search_replies.RankReply))
    read = Method(requests.Read, _always(replies.Read))
    recent = Method(requests.Recent, _always(replies.Recent))
    search = Method(requests.Search, _always(search_replies.SearchReply))
    session_append = _of_session("append", memory_requests.SessionAppend, memory_replies.Appended)
    session_delete = _of_session("delete", memory_requests.SessionDelete, memory_replies.Deleted)
    session_list = _of_session("list", memory_requests.SessionList, memory_replies.Sessions)
    session_recall = _of_session("recall", memory_requests.SessionRecall, memory_replies.Recalled)
    session_show = _of_session("show", memory_requests.SessionShow, memory_replies.ShownTurns)
    session_scratch_clear = _of_session(
        "scratch.clear", memory_requests.ScratchClear, memory_replies.ScratchCleared
    )
    session_scratch_get = _of_session(
        "scratch.get", memory_requests.ScratchGet, memory_replies.ScratchValue
    )
    session_scratch_list = _of_session(
        "scratch.list", memory_requests.ScratchList, memory_replies.ScratchKeys
    )
    session_scratch_set = _of_session(
        "scratch.set", memory_requests.ScratchSet, memory_replies.ScratchStored
    )
    shutdown = Method(requests.Shutdown, _always(daemon_replies.Stopping))
    similar = Method(requests.Similar, _always(search_replies.SimilarReply))
    status = Method(requests.Status, _always(daemon_replies.Status))
    sync = Method(requests.Sync, _always(daemon_replies.Sync))
    tags = Method(requests.Tags, _TAGS)
    trace = Method(requests.Trace, _always(assemble_replies.Trace))
    unresolved = Method(requests.Unresolved, _always(replies.Unresolved))
    validate = Method(requests.Validate, _always(assemble_replies.Validate))
    verify = Method(requests.Verify, _always(replies.Verify))
    why = Method(requests.Why, _always(replies.Why))
