"""The job of the process that builds the approximate index; the indexer can load this module."""

from msgspec import Struct

from clew.values.packing import Unpacker


class BuildJob(Struct, frozen=True, array_like=True):
    """Names the stored index whose vectors to read; the new file is written beside it."""

    folder: str  # of the index
    generation: int


unpack_build_job: Unpacker[BuildJob] = Unpacker(BuildJob)
