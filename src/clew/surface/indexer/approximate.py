"""Entry point of the process that builds the approximate index of vectors.

Reads a job from stdin, writes the index to a file, and prints the header of that file to stdout.
"""

import logging
import sys

from clew.engine.approximate.build_job import unpack_build_job
from clew.engine.approximate.run_build import run_build
from clew.surface.indexer.background.child_process import enter_child, write_result
from clew.values.packing import pack

CPU_SECONDS_MAX = 14_400  # half a million vectors take some 300 s

logger = logging.getLogger(__name__)


def main(parent_pid: int) -> int:
    """Run one job; end if the parent process ends."""
    enter_child(parent_pid, CPU_SECONDS_MAX)
    try:
        header = run_build(unpack_build_job(sys.stdin.buffer.read()))
    except (OSError, ValueError, LookupError, MemoryError) as error:
        logger.warning("approximate index not built reason=%s", error or type(error).__name__)
        return 1
    write_result(pack(header))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
