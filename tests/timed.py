"""What a call takes, as far as the machine is not to blame."""

import time
from collections.abc import Callable


def least_s(call: Callable[[], object], times: int = 5) -> float:
    """Return the least processor time of so many calls."""
    taken_s = []
    for _ in range(times):
        start_s = time.process_time()
        call()
        taken_s.append(time.process_time() - start_s)
    return min(taken_s)
