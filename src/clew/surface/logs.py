"""Logging of the daemon's processes: one line for each event, on standard error.

A log may be read on a terminal and may name files, so control characters are replaced.
"""

import faulthandler
import logging
import sys

from clew.surface.cli.lines import harmless


class HarmlessFormatter(logging.Formatter):
    """Writes each message as one line, without characters that could control a terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line of a record."""
        return harmless(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record and those of its traceback."""
        return "\n".join(map(harmless, super().format(record).split("\n")))


def log_to_stderr(verbosity: int) -> None:
    """Log to stderr; a higher ``verbosity`` logs more events.

    The traceback of a crash in native code is written there too. One such crash is expected: a bus
    error, if another program truncates a file of the index while it is mapped.
    """
    faulthandler.enable(sys.stderr)
    level = logging.DEBUG if verbosity > 1 else logging.INFO
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(HarmlessFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    logging.getLogger("markdown_it").setLevel(logging.WARNING)
