"""Entry point of the parser processes."""

import sys
from collections.abc import Iterator, Sequence

from clew.engine.reading.file_slices import FileSlice, ReadingRules, load_slice, parse_slice
from clew.engine.reading.gc_pause import MANY_NOTES, collector_paused
from clew.surface.indexer.limits import allow_cpu_for_slice
from clew.surface.indexer.parallel.forks import run_forks
from clew.surface.indexer.parsing.parser import unpack_to_parser
from clew.text.tokens import count_tokens
from clew.values.packing import pack


def main(parent_pid: int, descriptors: Sequence[int]) -> int:
    """Run a parser for each channel, until the indexer closes it."""
    return run_forks(parent_pid, descriptors, _load, unpack_to_parser, _parsed)


def _load() -> None:
    count_tokens("")  # loads the tokenizer's table, which is most of a parser's memory


def _parsed(requests: Iterator[object]) -> Iterator[bytes]:
    """Yield the notes of each slice; the first request holds the rules for reading."""
    rules = next(requests, None)
    if rules is None:
        return
    assert isinstance(rules, ReadingRules)
    for files in requests:
        assert isinstance(files, FileSlice)
        allow_cpu_for_slice()
        # Collections would take a twentieth of the time.
        with collector_paused(freezes=len(files.paths) > MANY_NOTES):
            yield pack(parse_slice(rules, load_slice(rules, files)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), list(map(int, sys.argv[2:]))))
