"""Faults around a daemon, tested from outside with real processes, files and sockets.

Each test has a short form, and a long one for ``CLEW_LONG=1``, as ``make test-long`` sets it.
"""

import os

LONG = bool(os.environ.get("CLEW_LONG"))
SHORT = "the short form leaves it out: CLEW_LONG=1 runs it"
