"""Errors this program raises on purpose; one child for each thing a caller can do about it.

Trouble inside a *note* is never an exception: it is a ``Problem`` beside the note.
"""


class ClewError(Exception):
    """Root of every error raised on purpose.

    ``code`` is the stable name sent on the wire; ``hint`` says what the caller can do.
    """

    code = "internal"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotFound(ClewError):
    """Nothing in the vault has this name."""

    code = "notFound"


class InvalidParams(ClewError):
    """A request field has a wrong value; ``field`` names it."""

    code = "invalidParams"

    def __init__(self, message: str, field: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.field = field


class NotReady(ClewError):
    """The first index is still being built."""

    code = "notReady"


class TooLarge(ClewError):
    """A request or a reply is over its bound."""

    code = "tooLarge"


class Busy(ClewError):
    """The daemon has no room for another client."""

    code = "busy"


class TimedOut(ClewError):
    """The answer did not come within the time the request gave."""

    code = "timeout"


class VaultUnavailable(ClewError):
    """The vault's folder is gone or is another folder now."""

    code = "vaultUnavailable"


class ConfigError(ClewError):
    """The configuration cannot be used; the message names the file and the key."""

    code = "config"


class AlreadyRunning(ClewError):
    """Another daemon serves this vault."""

    code = "alreadyRunning"


class ModelUnavailable(ClewError):
    """The model for vectors is not there or cannot be used; the message names it and says why."""

    code = "modelUnavailable"
