"""Memory that was freed is at hand for the next answer."""

import subprocess
import sys

import pytest

ANSWERS = """
import ctypes, resource, sys
from clew.surface.server.memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
else:  # what glibc comes to by itself, once something of some size was freed
    ctypes.CDLL(None).mallopt(-1, 128 * 1024)
def answer():
    return [b"x" * 300_000 for _ in range(10)]
for _ in range(3):
    answer()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    answer()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 100)
"""


def faults_an_answer(how: str) -> float:
    """Return how many page faults an answer of 3 MB takes in a process of its own."""
    words = [sys.executable, "-c", ANSWERS, how]
    return float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator is another")
def test_an_answer_takes_no_new_pages_from_the_system() -> None:
    returned = faults_an_answer("returned")
    if returned < 100:
        pytest.skip("this C library keeps freed memory by itself")
    assert faults_an_answer("kept") < returned / 20
