"""Blocking conversations: the calling thread carries out each step at once."""

import socket
import time
from collections.abc import Generator
from contextlib import suppress
from typing import TypeVar

from clew.surface.client import Refused
from clew.surface.python.address import Address, check_user, has_ended, new_socket
from clew.surface.python.conversation import (
    LAST_REFUSALS,
    RECEIVED_BYTES_MAX,
    Conversation,
    Open,
    Pause,
    Receive,
    Send,
    Step,
    Steps,
    lost,
)

T = TypeVar("T")
E = TypeVar("E")


WAIT_S_MAX = 1.0  # the longest delay of Ctrl-C


class Connection:
    """A connection that is opened when a step needs it."""

    def __init__(self, address: Address) -> None:
        self.conversation = Conversation(time.monotonic)
        self._address = address
        self._path = ""
        self._peer: socket.socket | None = None

    def result(self, steps: Steps[T]) -> T:
        """Carry out all steps and return their result."""
        events: Generator[object, None, T] = self.events(steps)
        while True:
            try:
                next(events)
            except StopIteration as end:
                result: T = end.value
                return result

    def events(self, steps: Generator[Step | E, bytes, T]) -> Generator[E, None, T]:
        """Carry out the steps, and yield all other values of the generator; return its result."""
        try:
            step = next(steps)
            while True:
                if not isinstance(step, Step):
                    yield step
                    step = next(steps)
                    continue
                try:
                    data = self._carry_out(step)
                except OSError as error:
                    self.close()
                    step = steps.throw(lost(error, self._path))
                else:
                    step = steps.send(data)
        except StopIteration as end:
            result: T = end.value
            return result
        except Refused as refused:
            if refused.code in LAST_REFUSALS:
                self.close()
            raise  # after any other refusal the connection stays usable
        except BaseException:
            self.close()
            raise

    def _carry_out(self, step: Step) -> bytes:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
        elif isinstance(step, Open):
            self._open()
        elif isinstance(step, Send):
            with suppress(BrokenPipeError, ConnectionResetError):  # a reply may give the reason
                self._ready(step.until_s).sendall(step.data)
        else:
            return self._received(step)
        return b""

    def _open(self) -> None:
        if self._peer is not None and has_ended(self._peer):
            self.close()
        paths = [] if self._peer else list(self._address.paths())
        for path in paths:
            self._path, peer = path, new_socket()
            try:
                peer.connect(path)
                check_user(peer, path)
            except BaseException as error:
                peer.close()
                if path == paths[-1] or not isinstance(error, OSError):
                    raise
            else:
                self._peer = peer
                return

    def _received(self, step: Receive) -> bytes:
        """Wait for bytes and return them.

        Python handles a signal that comes just before a wait only after it, so each wait is short.
        """
        while True:
            peer = self._ready(step.until_s)
            peer.settimeout(min(peer.gettimeout() or WAIT_S_MAX, WAIT_S_MAX))
            with suppress(TimeoutError):
                data = peer.recv(RECEIVED_BYTES_MAX)
                break
        if not data:
            raise ConnectionResetError("the daemon closed the connection")
        return data

    def _ready(self, until_s: float | None) -> socket.socket:
        """Return the socket with a timeout at ``until_s``; raise ``TimeoutError`` if past."""
        if self._peer is None:
            raise ConnectionResetError("the connection is closed")
        left_s = None if until_s is None else until_s - time.monotonic()
        if left_s is not None and left_s <= 0:
            raise TimeoutError
        self._peer.settimeout(left_s)
        return self._peer

    def close(self) -> None:
        """Close the connection; the next step opens another."""
        if self._peer is not None:
            self._peer.close()
        self._peer = None
        self.conversation.forget()
