"""Entry point of the process that reads git: a job from stdin, dates of notes to stdout."""

import logging
import sys

from clew.surface.indexer.background.child_process import enter_child, write_result
from clew.surface.indexer.git.job import unpack_git_job
from clew.surface.indexer.git.reading import read_dates
from clew.surface.indexer.git.saved_dates import load_dates, save_dates
from clew.values.packing import pack

CPU_SECONDS_MAX = 1_800  # for this process and for git each; 100,000 commits take 2 s

logger = logging.getLogger(__name__)


def main(parent_pid: int) -> int:
    """Run one job; end if the parent process ends."""
    enter_child(parent_pid, CPU_SECONDS_MAX)
    try:
        job = unpack_git_job(sys.stdin.buffer.read())
    except ValueError as error:
        logger.warning("no job: its sender ended while it sent it reason=%s", error)
        return 1
    earlier = load_dates(job.folder)
    dates = read_dates(job, earlier)
    if dates.is_read and dates != earlier:
        try:
            save_dates(job.folder, dates)
        except OSError as error:
            logger.warning("dates from git cannot be kept reason=%s", error)
    write_result(pack(dates))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
