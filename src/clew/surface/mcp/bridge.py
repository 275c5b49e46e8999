"""The bridge: one process between a client's pipes and the daemon's socket.

One thread polls all of them, so that a slow daemon delays neither a ping nor the end of the
process. The bridge ends when the client closes stdin or stops reading stdout, when the parent ends,
and after an hour in which the client sent nothing.
"""

from __future__ import annotations

import os
import select
import sys
import time

from clew.surface.client import NoDaemon, Refused
from clew.surface.mcp.conversation import Conversation
from clew.surface.mcp.exchange import Exchange
from clew.surface.mcp.parent import POLL_S, Parent
from clew.surface.mcp.streams import LINE_BYTES_MAX, UNWRITTEN_BYTES_MAX, Lines, Output, read_some
from clew.surface.mcp.tools.table import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.surface.mcp.conversation import Call
    from clew.surface.mcp.daemon import Daemon
    from clew.surface.mcp.tools.table import Tool
    from clew.surface.mcp.work import Question

IDLE_SECONDS_MAX = 3600.0
FIRST_WORD_SECONDS_MAX = 60.0  # to the first message, which a live client sends at once
DOUBTFUL_SECONDS_MAX = 2.0  # the same, if the parent seems not to be the client
LAST_SECONDS_MAX = 1.5  # for running calls after stdin closes; clients kill after two seconds
_RUNNING_MAX = 8  # exchanges at once; the daemon accepts 64 clients in all
_STDIN = 0


class Bridge:
    """The conversation with the client on stdin, and the running exchanges of its calls."""

    def __init__(
        self,
        daemon: Daemon,
        output: int,
        tools: Mapping[str, Tool] = TOOLS,
    ) -> None:
        self._daemon = daemon
        self._parent = Parent()
        self._output_descriptor = output
        self._output = Output(output)
        self._lines = Lines()
        self._conversation = Conversation(tools)
        self._running: dict[Call, Exchange] = {}
        is_doubtful = self._parent.may_be_another
        first_wait_s = DOUBTFUL_SECONDS_MAX if is_doubtful else FIRST_WORD_SECONDS_MAX
        self._ends_at_s = time.monotonic() + first_wait_s
        self._is_at_end = False  # whether stdin is closed

    def run(self) -> None:
        """Serve the client until it is gone."""
        while True:
            self._renew_idle_time()
            if self._is_over():
                return
            ready = self._wait()
            if self._parent.has_ended or self._parent.descriptor in ready:
                return
            try:
                self._write(ready.get(self._output_descriptor, 0))
            except OSError:
                return  # the client has stopped reading
            if ready.get(_STDIN):
                self._read()
            self._step(ready)

    def _renew_idle_time(self) -> None:
        """Restart the idle timer while a call waits for its reply."""
        if self._conversation.is_waiting and not self._is_at_end:
            self._ends_at_s = time.monotonic() + IDLE_SECONDS_MAX

    def _is_over(self) -> bool:
        if self._is_at_end and not self._conversation.is_waiting and not self._output:
            return True
        return time.monotonic() >= self._ends_at_s

    def _wait(self) -> dict[int, int]:
        """Wait until there is something to do; return the events by descriptor."""
        poll = select.poll()
        if not self._is_at_end and len(self._output) <= UNWRITTEN_BYTES_MAX:
            poll.register(_STDIN, select.POLLIN)
        # Even with an empty mask, ``poll`` reports that the other side was closed.
        poll.register(self._output_descriptor, select.POLLOUT if self._output else 0)
        if self._parent.descriptor is not None:
            poll.register(self._parent.descriptor, select.POLLIN)
        wake_at_s = self._ends_at_s
        for exchange in self._running.values():
            descriptor = exchange.fileno()
            if descriptor is not None:
                poll.register(descriptor, exchange.events)
            wake_at_s = min(wake_at_s, exchange.wake_at_s)
        wait_s = max(0.0, wake_at_s - time.monotonic())
        if self._parent.must_be_polled:
            wait_s = min(wait_s, POLL_S)
        return dict(poll.poll(int(wait_s * 1000) + 1))

    def _read(self) -> None:
        """Read bytes from the client, and handle their lines."""
        data = read_some(_STDIN)
        now_s = time.monotonic()
        if data:
            self._ends_at_s = now_s + IDLE_SECONDS_MAX
            for line in self._lines.feed(data):
                self._take(line)
        else:
            self._is_at_end = True
            self._ends_at_s = now_s + LAST_SECONDS_MAX
            self._take(self._lines.end())

    def _take(self, line: bytes | None) -> None:
        if line is None:
            self._conversation.refuse_line(LINE_BYTES_MAX)
        else:
            self._conversation.receive(line)

    def _step(self, ready: dict[int, int]) -> None:
        """Advance the calls whose connection is ready or whose timer is due, and start new ones."""
        now_s = time.monotonic()
        for call in self._conversation.dropped:
            self._stop(call)
        self._conversation.dropped.clear()
        for call, exchange in list(self._running.items()):
            if exchange.fileno() in ready or exchange.wake_at_s <= now_s:
                self._advance(call, exchange, now_s)
        starting = self._conversation.starting
        while starting and len(self._running) < _RUNNING_MAX:
            call = starting.pop(0)
            self._ask(call, self._conversation.advance(call, None), now_s)
        for line in self._conversation.outgoing:
            self._output.add(line)
        self._conversation.outgoing.clear()

    def _stop(self, call: Call) -> None:
        if call in self._conversation.starting:
            self._conversation.starting.remove(call)
        exchange = self._running.pop(call, None)
        if exchange is not None:
            exchange.close()

    def _advance(self, call: Call, exchange: Exchange, now_s: float) -> None:
        reply: dict[str, object] | Exception | None
        try:
            reply = exchange.step(now_s)
        except (NoDaemon, Refused) as error:
            reply = error
        if reply is None:
            return
        exchange.close()
        del self._running[call]
        self._ask(call, self._conversation.advance(call, reply), now_s)

    def _ask(self, call: Call, question: Question | None, now_s: float) -> None:
        if question is None:
            return
        exchange = self._running[call] = Exchange(self._daemon, question, now_s)
        self._advance(call, exchange, now_s)

    def _write(self, events: int) -> None:
        if events & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
            raise BrokenPipeError
        if events & select.POLLOUT:
            self._output.write()


def serve(daemon: Daemon, tools: Mapping[str, Tool] = TOOLS) -> None:
    """Serve these tools to the client on stdin and stdout until it is gone."""
    # Only the bridge may write to the client, so other output of this process goes to stderr.
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        Bridge(daemon, output, tools).run()
    except KeyboardInterrupt:
        print("clew mcp: interrupted", file=sys.stderr)  # noqa: T201
