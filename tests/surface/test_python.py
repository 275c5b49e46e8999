"""The Python API: typed replies, time limits, reconnecting and changes, also with asyncio."""

import _thread
import asyncio
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import clew
from clew.surface.client import NOT_REPEATED, call
from clew.surface.python.conversation import Conversation, Lost, Open, Pause, Receive, Send
from clew.surface.python.methods import Method, Methods
from clew.surface.server.answers.dispatch import METHODS
from clew.values import daemon_replies, replies, requests
from tests.daemons import Daemon, copy_sample, daemon
from tests.faults.vaults import write_at_once
from tests.pace import Stopwatch

INTERRUPTED_SECONDS_MAX = 10.0
PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
TABLE = {entry.name: entry for entry in vars(Methods).values() if isinstance(entry, Method)}
PARAMS: dict[str, dict[str, Any]] = {
    "assemble": {"task": requests.Task(text="why do clocks drift")},
    "backlinks": {"uri": "Residual"},
    "code": {"name": "despike"},
    "complete": {"kind": "tag"},
    "concept": {"concept_name": "Residual", "include_content": True},
    "context": {"query": "storm surge", "include_evidence": True, "exclude": ("Index",)},
    "expand": {"text": "[[Index]]"},
    "evaluate_rules": {"task": requests.Task(text="why")},
    "hello": {"protocol": 1},
    "links": {"uri": "Index"},
    "path": {"from_": "Residual", "to": "Clock drift"},
    "rank": {"query": "tide"},
    "read": {"uri": "Index"},
    "search": {"query": "tide", "explain": True, "filters": requests.Filters(folder="concepts")},
    "session_append": {"session_id": "s", "role": "user", "content": "The tide is late."},
    "session_delete": {"session_id": "t"},
    "session_recall": {"query": "tide"},
    "session_show": {"session_id": "s"},
    "session_scratch_get": {"key": "k"},
    "session_scratch_set": {"key": "k", "value": "v"},
    "similar": {"concept_name": "Residual"},
    "validate": {"task": requests.Task(text="why")},
    "verify": {"text": "memory://Index.md#L1"},
    "why": {"uri": "Index"},
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    home = tmp_path_factory.mktemp("python")
    with daemon(home, copy_sample(home / "v")) as started:
        started.until("status", lambda said: said["ready"], 60.0)
        yield started


def test_the_table_has_every_method_with_its_request() -> None:
    assert TABLE.keys() | {"subscribe"} == METHODS.keys()
    taken = {name: method.request_type for name, method in METHODS.items() if name in TABLE}
    assert {name: entry.request for name, entry in TABLE.items()} == taken


def types_in(hint: Any) -> Iterator[Any]:
    yield hint
    for part in get_args(hint):
        yield from types_in(part)


def test_the_types_of_groups_of_fields_are_part_of_the_package() -> None:
    requested = [METHODS[name].request_type for name in TABLE]
    fields = [each for request in requested for each in msgspec.structs.fields(request)]
    types = {part for each in fields for part in types_in(each.type) if isinstance(part, type)}
    groups = {part for part in types if issubclass(part, msgspec.Struct)}
    assert groups == {clew.Filters, clew.Item, clew.Named, clew.Session, clew.Task}


@pytest.mark.parametrize(
    "name", sorted(name for name, entry in vars(Methods).items() if isinstance(entry, Method))
)
def test_a_reply_has_all_fields_that_the_daemon_sends(running: Daemon, name: str) -> None:
    if name == "shutdown":
        return
    with clew.connect(socket=str(running.socket)) as vault:
        params = PARAMS.get(name, {})
        reply = getattr(vault, name)(**params)
        request = getattr(Methods, name).request(**params)
        fields = msgspec.to_builtins(request)
        plain = call(str(running.socket), getattr(Methods, name).name, fields, 60.0)
    assert msgspec.to_builtins(reply).keys() == plain.keys()
    assert isinstance(reply, replies.Reply)


def test_the_kind_of_a_reply_follows_from_the_request(running: Daemon) -> None:
    with clew.connect(socket=str(running.socket)) as vault:
        assert isinstance(vault.graph(max_nodes=2), replies.GraphJson)
        assert isinstance(vault.graph(max_nodes=2, format="dot"), replies.GraphText)
        assert isinstance(vault.tags(), replies.Tags)
        assert isinstance(vault.tags(tag="journal"), replies.TaggedNotes)


def test_an_error_of_the_daemon_leaves_the_connection_as_it_is(running: Daemon) -> None:
    with clew.connect(socket=str(running.socket)) as vault:
        with pytest.raises(clew.Refused) as refused:
            vault.read(uri="gauge")
        assert refused.value.code == "ambiguous"
        assert vault.read(uri="Index").title

    async def ask() -> None:
        async with await clew.aconnect(socket=str(running.socket)) as vault:
            with pytest.raises(clew.Refused):
                await vault.read(uri="gauge")
            titles = await asyncio.gather(*(vault.read(uri="Index") for _ in range(5)))
            assert len({reply.title for reply in titles}) == 1

    asyncio.run(ask())


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_page_run(running: Daemon, example: str) -> None:
    code = example.replace('"~/notes"', "").replace("connect()", "connect(socket=SOCKET)")
    code = f"SOCKET = {str(running.socket)!r}\n{code}"
    stop = threading.Event()

    def edit() -> None:
        count = 0
        while not stop.wait(0.1):
            (running.vault / "edited.md").write_text(f"{(count := count + 1)}\n")

    editing = threading.Thread(target=edit)
    editing.start()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
        )
    finally:
        stop.set()
        editing.join()
    assert done.returncode == 0, done.stderr
    assert done.stdout


@contextmanager
def answering(path: Path, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """Listen at ``path`` and let ``answer`` handle each connection, in turn."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        ending = threading.Event()

        def serve() -> None:
            while True:
                peer, _ = listener.accept()
                with peer:
                    if ending.is_set():
                        return
                    answer(peer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(str(path))
            thread.join()


def test_a_daemon_that_does_not_answer_is_a_timeout(tmp_path: Path) -> None:
    def be_silent(peer: socket.socket) -> None:
        while peer.recv(4_096):
            pass

    async def ask() -> None:
        await clew.aconnect(socket=str(path), timeout_s=0.1)

    path = tmp_path / "s"
    with answering(path, be_silent):
        with pytest.raises(TimeoutError, match="did not answer"):
            clew.connect(socket=str(path), timeout_s=0.1)
        with pytest.raises(TimeoutError, match="did not answer"):
            asyncio.run(ask())


def test_no_daemon_is_told_at_once(tmp_path: Path) -> None:
    began_s = time.monotonic()
    with pytest.raises(clew.NoDaemon, match="no daemon at"):
        clew.connect(socket=str(tmp_path / "none"))
    with pytest.raises(clew.NoDaemon, match="no daemon at"):
        asyncio.run(clew.aconnect(socket=str(tmp_path / "none")))
    assert time.monotonic() - began_s < 20.0


@pytest.mark.slow
def test_requests_and_changes_go_on_when_the_daemon_was_restarted(tmp_path: Path) -> None:
    with (
        daemon(tmp_path / "h", copy_sample(tmp_path / "v")) as one,
        clew.connect(socket=str(one.socket)) as vault,
        vault.subscribe() as changes,
    ):
        before = vault.status().epoch
        write_at_once(one.vault / "new.md", "new\n")
        assert next(changes).added == ("memory://new.md",)
        one.stop()
        one.start()
        assert vault.status().epoch != before
        told = next(changes)
        assert told.overflow
        assert told.epoch != before
        (one.vault / "newer.md").write_text("new\n")
        while "memory://newer.md" not in (told := next(changes)).added:
            assert told.overflow


@pytest.mark.slow
def test_a_turn_is_kept_over_a_restart_that_nobody_noticed(tmp_path: Path) -> None:
    """The connection had ended before the turn was sent, so it is sent on another."""
    turn: dict[str, Any] = {"session_id": "s", "role": "user", "content": "The tide is late."}

    async def appended_later(one: Daemon) -> int:
        async with await clew.aconnect(socket=str(one.socket)) as vault:
            one.stop()
            one.start()
            return (await vault.session_append(**turn)).turn

    with daemon(tmp_path / "h", copy_sample(tmp_path / "v")) as one:
        with clew.connect(socket=str(one.socket)) as vault:
            one.stop()
            one.start()
            assert vault.session_append(**turn).turn == 1
        assert asyncio.run(appended_later(one)) == 2


class Script:
    """Plays the daemon's side of a conversation, step by step; its clock moves by pauses."""

    def __init__(self, *outcomes: bytes | Lost) -> None:
        self._outcomes = list(outcomes)
        self.now_s = 0.0
        self.sent: list[bytes] = []
        self.pauses_s: list[float] = []

    def play(self, steps: Any) -> Any:
        try:
            step = next(steps)
            while True:
                outcome: bytes | Lost = b""
                if isinstance(step, Send):
                    self.sent.append(step.data)
                elif isinstance(step, Pause):
                    self.now_s += step.seconds
                    self.pauses_s.append(step.seconds)
                elif isinstance(step, Receive) or self._loses(step):
                    outcome = self._outcomes.pop(0)
                step = steps.throw(outcome) if isinstance(outcome, Lost) else steps.send(outcome)
        except StopIteration as end:
            return end.value

    def _loses(self, step: object) -> bool:
        is_lost = bool(self._outcomes) and isinstance(self._outcomes[0], Lost)
        return isinstance(step, Open) and is_lost


def replied(number: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"result":{"revision":%d,"stopping":true}}\n' % (
        number,
        number,
    )


def asked(script: Script, conversation: Conversation, method: str = "status") -> Any:
    return script.play(conversation.ask(method, requests.Status(), daemon_replies.Stopping, 30.0))


def test_a_reply_may_come_in_pieces_and_after_a_late_one() -> None:
    whole = replied(7) + replied(1)
    script = Script(*(whole[i : i + 1] for i in range(len(whole))))
    assert asked(script, Conversation(lambda: script.now_s)).revision == 1


def test_what_came_before_a_loss_is_no_part_of_a_reply() -> None:
    script = Script(replied(1)[:20], Lost("gone"), replied(1))
    conversation = Conversation(lambda: script.now_s)
    assert asked(script, conversation).revision == 1
    assert len(script.sent) == 2


def test_a_lost_daemon_is_waited_for_but_not_for_ever() -> None:
    script = Script(replied(1), *[Lost("gone")] * 1_000)
    conversation = Conversation(lambda: script.now_s)
    asked(script, conversation)
    with pytest.raises(clew.NoDaemon, match="gone"):
        asked(script, conversation)
    assert 30.0 <= script.now_s < 32.0
    assert max(script.pauses_s) == 1.0


@pytest.mark.slow
def test_an_interrupt_just_before_a_wait_ends_it(running: Daemon) -> None:
    """``interrupt_main`` is heeded like a signal, but wakes no system call."""
    watch = Stopwatch()
    with clew.connect(socket=str(running.socket)) as vault, vault.subscribe() as changes:
        timer = threading.Timer(0.2, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            next(changes)
        timer.join()
    assert not watch.is_over(INTERRUPTED_SECONDS_MAX)


@pytest.mark.parametrize("method", sorted(NOT_REPEATED))
def test_what_would_do_more_the_second_time_is_never_sent_twice(method: str) -> None:
    script = Script(replied(1), Lost("gone"), replied(2))
    conversation = Conversation(lambda: script.now_s)
    asked(script, conversation)
    with pytest.raises(clew.NoDaemon):
        asked(script, conversation, method)


def test_importing_clew_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import clew; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["clew"]
    assert all(getattr(clew, name).__name__ == name for name in clew.__all__)
    with pytest.raises(AttributeError, match="no attribute"):
        getattr(clew, "nothing")  # noqa: B009 - no checker knows it
