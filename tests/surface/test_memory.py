"""The server keeps freed memory for the next reply."""

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


# Other C libraries have no such setting.
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="only glibc can be asked")
def test_a_reply_takes_no_new_pages_from_the_system() -> None:
    words = [sys.executable, "-c", ANSWERS]
    faults = float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    assert faults < PAGES / 20
