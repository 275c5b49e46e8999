"""The clocks of the indexer's loop."""

import time

from clew.values.vault import Moment


def present_moment() -> Moment:
    """Return the present time of both clocks."""
    return Moment(wall_ns=time.time_ns(), steady_ns=time.monotonic_ns())
