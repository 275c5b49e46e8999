"""Settings of the C library's allocator: keep freed memory for the next answers."""

import ctypes

# By default the allocator returns blocks as large as those of an answer to the system, and the next
# answer faults their pages in again: drawing 4,950 edges took 600 page faults, a third of its time.
KEPT_BYTES_MAX = 16 * 1024 * 1024  # free memory kept at the end of the heap
HEAP_BLOCK_BYTES_MAX = 4 * 1024 * 1024  # larger blocks are mapped, and returned to the system

# glibc's malloc.h; see mallopt(3).
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3


def keep_freed_memory() -> None:
    """Keep some freed memory for reuse, where the C library is glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES_MAX)
        mallopt(_M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES_MAX)
