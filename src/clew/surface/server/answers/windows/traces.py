"""The last assemblies for ``trace``, kept in memory and without their texts."""

from collections import deque

from clew.values.requests import TRACES_MAX
from clew.values.windows.assemble_replies import TracedAssembly

TASK_CHARACTERS_MAX = 200  # the part of a task's text in a trace


class Traces:
    """The traces of the last ``TRACES_MAX`` assemblies, by whether private notes were seen."""

    def __init__(self) -> None:
        self._public: deque[TracedAssembly] = deque(maxlen=TRACES_MAX)
        self._all: deque[TracedAssembly] = deque(maxlen=TRACES_MAX)

    def add(self, traced: TracedAssembly, *, shows_private: bool) -> None:
        """Record an assembly; show one with private notes only to clients that may see these."""
        self._all.appendleft(traced)
        if not shows_private:
            self._public.appendleft(traced)

    def last(self, count: int, *, shows_private: bool) -> tuple[TracedAssembly, ...]:
        """Return the last assemblies, the newest first."""
        return tuple(self._all if shows_private else self._public)[:count]
