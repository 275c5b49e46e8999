"""What the server asks of the C library's allocator: to keep at hand what answers need."""

import ctypes

# Arrays and lines of an answer are larger than what the allocator keeps by default, so it would
# give their pages back to the system after each, and be given them again, empty, for the next: a
# drawing of 4,950 edges took 600 page faults, a third of its time.
KEPT_BYTES_MAX = 16 * 1024 * 1024  # free, at the end of the heap
HEAP_BLOCK_BYTES_MAX = 4 * 1024 * 1024  # a larger block is the system's, and goes back to it

# glibc's malloc.h; see mallopt(3).
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def keep_freed_memory() -> None:
    """Keep some of what is freed for what comes next, where the C library is glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES_MAX)
        mallopt(_M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES_MAX)
