"""An indexer that dies on purpose: at a change of the state, or while it parses a certain note.

Run as ``python -m tests.faults.deadly`` instead of the indexer: ``--at N`` dies right before the
Nth call that changes the state, ``--on TEXT`` whenever a note that contains TEXT is parsed. With
``--in-parsers TEXT`` it uses parsers for small rounds too, and they die on such a note as well;
they are run as ``python -m tests.faults.deadly --parser TEXT PID``.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clew.disk.durable import RealDisk
from clew.engine.reading import file_slices
from clew.surface.indexer import process
from clew.surface.indexer.parsing import __main__ as parser_process
from clew.surface.indexer.parsing import pool
from clew.text.dates.date_keys import DateKeys
from clew.values.note import Note
from clew.values.vault import ReadNote
from clew.vault import read
from clew.vault.read import Unparsed

CALLS = (
    *("make_folder", "create", "open_append", "write", "truncate", "sync", "close"),
    *("sync_folder", "rename", "unlink", "remove_folder"),
)


def die_at(number: int) -> None:
    """Let this process die before its ``number``th change of the state."""
    calls = 0

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments)

        return counting

    for name in CALLS:
        setattr(RealDisk, name, counted(getattr(RealDisk, name)))


def die_on(text: str) -> None:
    """Let this process die when it parses a note that contains ``text``."""
    parse = read.parse_files

    def parsing(
        files: Sequence[Unparsed], date_keys: DateKeys, earlier: Mapping[str, Note]
    ) -> list[ReadNote]:
        if any(text in file.source.text for file in files):
            os.kill(os.getpid(), signal.SIGSEGV)
        return parse(files, date_keys, earlier)

    setattr(file_slices, "parse_files", parsing)  # noqa: B010 - the name it was imported under


def use_parsers(text: str) -> None:
    """Read small rounds in parsers too, even on one core; they die on notes with ``text``."""
    command = (sys.executable, "-m", "tests.faults.deadly", "--parser", text)
    setattr(pool, "PARSER_COMMAND", command)  # noqa: B010 - constants
    setattr(pool, "ROUND_NOTES_MIN", 1)  # noqa: B010
    setattr(process, "process_count", lambda: 2)  # noqa: B010


if __name__ == "__main__":
    kind, value, *more = sys.argv[1:]
    if kind == "--at":
        die_at(int(value))
    else:
        die_on(value)
    if kind == "--in-parsers":
        use_parsers(value)
    numbers = list(map(int, more))
    sys.exit(parser_process.main(numbers[0], numbers[1:]) if kind == "--parser" else process.main())
