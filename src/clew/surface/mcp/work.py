"""Work on a request: a generator that yields questions for the daemon and returns the result.

It does no I/O itself, so that the bridge can run many at once, and a test can run it without one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any, TypeVar

    T = TypeVar("T")
    Work = Generator["Question", dict[str, Any], T]


class Question:
    """A request for the daemon, without fields that are ``None``; its ``yield`` returns the result.

    Raises, where it is yielded:
        Refused: the daemon answered with an error.
        NoDaemon: no daemon answers.
    """

    __slots__ = ("method", "params")

    def __init__(self, method: str, **params: Any) -> None:
        self.method = method
        self.params = {name: value for name, value in params.items() if value is not None}
