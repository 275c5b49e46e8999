"""How a process of our own is started; imports little, for it is the first thing a daemon does."""

import sys


def words_for(module: str) -> tuple[str, ...]:
    """Return the command that runs one of our modules.

    ``-P``: nothing is loaded from the folder that we happen to be in. That is the vault, as often
    as not, and a ``numpy.py`` among the notes must not run.
    """
    return (sys.executable, "-P", "-m", module)
