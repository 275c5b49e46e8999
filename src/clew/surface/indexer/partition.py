"""Entry point of the partition process: read a job from stdin, write communities to stdout."""

import logging
import sys

from clew.engine.communities.partition_job import unpack_job
from clew.engine.communities.run_partition import run_job
from clew.surface.indexer.background.child_process import enter_child, write_result
from clew.values.packing import pack

logger = logging.getLogger(__name__)

CPU_SECONDS_MAX = 1_800  # five million edges take some 20 s


def main(parent_pid: int) -> int:
    """Run one job; end if the parent process ends."""
    enter_child(parent_pid, CPU_SECONDS_MAX)
    try:
        job = unpack_job(sys.stdin.buffer.read())
    except ValueError as error:
        logger.warning("no job: its sender ended while it sent it reason=%s", error)
        return 1
    write_result(pack(run_job(job)))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
