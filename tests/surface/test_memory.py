"""The server keeps freed memory for the next reply, and gives it back after a while."""

import ctypes
import subprocess
import sys

import pytest

PAGES = 10 * 300_000 // 4096  # of the arrays of one reply
ANSWERS = """
import resource
from clew.surface.allocator import keep_freed_memory
keep_freed_memory()
def answer():
    return [b"x" * 300_000 for _ in range(10)]
for _ in range(3):
    answer()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    answer()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 100)
"""


PEAK = """
from clew.surface.allocator import give_back_memory, keep_freed_memory
def anonymous_kib():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
keep_freed_memory()
before = anonymous_kib()
# What stays lies above all that is freed, so that the end of the heap stays where it is.
freed, stays = [b"x" * 300_000 for _ in range(100)], [bytes(9_000) for _ in range(100)]
del freed
kept = anonymous_kib()
give_back_memory()
print(kept - before, anonymous_kib() - before)
"""


# Other C libraries have no such setting.
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="only glibc can be asked")
def test_a_reply_takes_no_new_pages_from_the_system() -> None:
    words = [sys.executable, "-c", ANSWERS]
    faults = float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    assert faults < PAGES / 20


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc can be asked")
def test_what_a_peak_took_is_given_back_though_later_blocks_stay() -> None:
    words = [sys.executable, "-c", PEAK]
    output = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    kept, left = map(int, output.split())
    assert kept > 100 * 290  # KiB
    assert left < 3_000
