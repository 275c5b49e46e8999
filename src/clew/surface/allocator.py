"""Settings of the C library's allocator: whether to keep freed memory or return it to the system.

Only glibc has these settings; elsewhere the functions do nothing.
"""

import ctypes

# By default the allocator returns large blocks, such as those of an answer, to the system, and the
# next answer faults in new pages: drawing 4,950 edges took 600 page faults, a third of its time.
KEPT_BYTES_MAX = 16 * 1024 * 1024  # free memory kept at the end of the heap
HEAP_BLOCK_BYTES_MAX = 4 * 1024 * 1024  # larger blocks are mapped, and returned to the system
LARGE_BLOCK_BYTES_MIN = 128 * 1024  # see ``return_large_blocks``

# glibc's malloc.h; see mallopt(3).
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def keep_freed_memory() -> None:
    """Keep some freed memory for reuse, by all threads.

    By default each thread has a heap of its own, and cannot reuse memory that another thread freed.
    Python's threads take turns, so they hardly contend for one shared heap.
    """
    _set(_M_ARENA_MAX, 1)
    _set(_M_TRIM_THRESHOLD, KEPT_BYTES_MAX)
    _set(_M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES_MAX)


def return_large_blocks() -> None:
    """Return each large block to the system when it is freed.

    By default glibc keeps blocks of up to 32 MB once blocks of that size were freed.
    """
    _set(_M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES_MIN)


def give_back_memory() -> None:
    """Return the memory that is free now to the system, which takes some milliseconds."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _set(parameter: int, value: int) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(parameter, value)
