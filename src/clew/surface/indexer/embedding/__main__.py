"""Entry point of the processes that embed notes."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from clew.embed.models import open_model
from clew.engine.embedding import NotesToEmbed, vectors_of_notes
from clew.surface.indexer.limits import allow_cpu_for_slice
from clew.surface.indexer.parallel.forks import run_forks
from clew.values.packing import Unpacker, pack

if TYPE_CHECKING:
    from clew.embed.encoder import Encoder

_unpack_request: Unpacker[object] = Unpacker(NotesToEmbed)


def main(model: str, parent_pid: int, descriptors: Sequence[int]) -> int:
    """Embed notes in a process for each channel, until the indexer closes it."""
    encoders: list[Encoder] = []  # holds the one encoder, which is loaded before the fork

    def load() -> None:
        encoders.append(open_model(model))

    return run_forks(parent_pid, descriptors, load, _unpack_request, _embed(encoders))


def _embed(encoders: "Sequence[Encoder]") -> Callable[[Iterator[object]], Iterator[bytes]]:
    def vectors(requests: Iterator[object]) -> Iterator[bytes]:
        for notes in requests:
            assert isinstance(notes, NotesToEmbed)
            allow_cpu_for_slice()
            yield pack(vectors_of_notes(encoders[0], notes))

    return vectors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), list(map(int, sys.argv[3:]))))
