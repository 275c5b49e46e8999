"""The errors that clew raises on purpose, one class for each way in which a caller may react.

An error *in a note* is not raised: it is a ``Problem`` of that note.
"""


class ClewError(Exception):
    """Root of every error raised on purpose.

    ``code`` is its stable name in replies; ``hint`` tells the caller what to do.
    """

    code = "internal"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotFound(ClewError):
    """Nothing in the vault has this name."""

    code = "notFound"


class UnknownNote(NotFound):
    """``reference`` names no note; the hint lists similar names once they were searched for."""

    def __init__(self, reference: str, hint: str = "") -> None:
        super().__init__(f"no note matches {reference!r}", hint)
        self.reference = reference


class UnknownConcept(NotFound):
    """No note mentions the concept ``name``; the hint is as for ``UnknownNote``."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__(f"no note mentions {name!r}", hint)
        self.name = name


class InvalidParams(ClewError):
    """The field ``field`` of a request has a wrong value."""

    code = "invalidParams"

    def __init__(self, message: str, field: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.field = field


class NotReady(ClewError):
    """The first index is still being built."""

    code = "notReady"


class TooLarge(ClewError):
    """A request or a reply is larger than allowed."""

    code = "tooLarge"


class Busy(ClewError):
    """The daemon has reached its largest number of clients."""

    code = "busy"


class TimedOut(ClewError):
    """The request took longer than the time it allowed."""

    code = "timeout"


class VaultUnavailable(ClewError):
    """The vault's folder was deleted, unmounted or replaced."""

    code = "vaultUnavailable"


class ConfigError(ClewError):
    """The configuration is invalid; the message names the file and the key."""

    code = "config"


class AlreadyRunning(ClewError):
    """Another daemon serves this vault."""

    code = "alreadyRunning"


class ModelUnavailable(ClewError):
    """The embedding model is missing or invalid; the message names it and gives the reason."""

    code = "modelUnavailable"
