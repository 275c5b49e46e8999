"""The command that starts a child process. Imports little, since a daemon loads this first."""

import sys


def words_for(module: str) -> tuple[str, ...]:
    """Return the command that runs one of our modules.

    ``-P`` keeps Python from importing modules from the current folder. That is often the vault,
    and a ``numpy.py`` among the notes must not run.
    """
    return (sys.executable, "-P", "-m", module)
