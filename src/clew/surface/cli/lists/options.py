"""The options that print the rows of a reply for another program. Every request command has them.

A command whose rows cannot be printed so refuses them (``printing.py``), and its help omits them.
"""

from __future__ import annotations

from clew.surface.cli.table import COMMON, FLAG, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would cost a tenth of the whole command
    from typing import Any

FILES = Option(
    ("-l", "--files"),
    "files",
    FLAG,
    "Print only the paths of the notes, one a line, to be opened from the current folder.",
)
NAMES = Option(("--names",), "names", FLAG, "Print only the names, one a line.")
GREP = Option(
    ("--grep",), "grep", FLAG, "Print PATH:LINE:TEXT, which editors and grep's readers take."
)
CSV = Option(("--csv",), "csv", FLAG, "Print CSV (RFC 4180) with a header; no value is cut.")
NULL = Option(
    ("-0", "--null"),
    "null",
    FLAG,
    "End each path (with --names, each name) with a null byte, for xargs -0.",
)

FORMATS = (FILES, NAMES, GREP, CSV)  # at most one of them in a command line
LIST_OPTIONS = (*FORMATS, NULL)
LIST_FIELDS = frozenset(option.field for option in LIST_OPTIONS)
CLIENT_FIELDS = frozenset(("vault", "socket", "json")) | LIST_FIELDS  # not sent to the daemon


class Unusable(Exception):
    """Options contradict each other, or one cannot be used here, as the message says."""


def is_json(fields: dict[str, Any]) -> bool:
    """Return whether the reply is to be printed unchanged, by ``--json`` or ``graph -f json``."""
    return bool(fields.get("json")) or fields.get("format") == "json"


def options_of(command: Command) -> tuple[Option, ...]:
    """Return all options that a command of the table takes."""
    return (*command.options, *LIST_OPTIONS, *COMMON)
