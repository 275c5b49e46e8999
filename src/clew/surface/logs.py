"""How the daemon's processes log: one line an event, on standard error."""

import logging
import sys


def log_to_stderr(verbosity: int) -> None:
    """Log one line an event to stderr; more of them the higher ``verbosity`` is."""
    level = logging.DEBUG if verbosity > 1 else logging.INFO
    logging.basicConfig(
        stream=sys.stderr, level=level, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    logging.getLogger("markdown_it").setLevel(logging.WARNING)
