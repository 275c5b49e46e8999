"""The errors that clew raises on purpose, one class for each way in which a caller may react.

An error *in a note* is not raised: it is a ``Problem`` of that note.
"""

ECHO_CHARACTERS_MAX = 200  # of the client's text that an error message repeats


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
    """``reference`` names no note; ``suggestions`` are the URIs of notes with similar names."""

    def __init__(self, reference: str, hint: str = "", suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(f"no note matches {reference[:ECHO_CHARACTERS_MAX]!r}", hint)
        self.reference = reference
        self.suggestions = suggestions


class Ambiguous(ClewError):
    """Several notes claim the name ``reference``; ``candidates`` are the URIs of the first few."""

    code = "ambiguous"

    def __init__(self, reference: str, count: int, candidates: tuple[str, ...]) -> None:
        shown = f", of which these are {len(candidates)}" if count > len(candidates) else ""
        message = f"{reference[:ECHO_CHARACTERS_MAX]!r} names {count} notes{shown}"
        super().__init__(message, "give one of them by its path")
        self.candidates = candidates


class InvalidParams(ClewError):
    """The field ``field`` of a request has a wrong value."""

    code = "invalidParams"

    def __init__(self, message: str, field: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.field = field


class NotReady(ClewError):
    """The first index is still being built."""

    code = "notReady"


class NotAllowed(ClewError):
    """The config of the daemon does not allow this."""

    code = "notAllowed"


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
