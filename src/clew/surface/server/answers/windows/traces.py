"""The last assemblies, for ``trace``: in memory only, without their texts."""

from collections import deque

from clew.values.requests import TRACES_MAX
from clew.values.windows.assemble_replies import TracedAssembly

TASK_CHARACTERS_MAX = 200  # of the task of an assembly


class Traces:
    """The traces of the last ``TRACES_MAX`` assemblies, by whether private notes were seen."""

    def __init__(self) -> None:
        self._public: deque[TracedAssembly] = deque(maxlen=TRACES_MAX)
        self._all: deque[TracedAssembly] = deque(maxlen=TRACES_MAX)

    def add(self, traced: TracedAssembly, *, shows_private: bool) -> None:
        """Record an assembly; one that saw private notes is told only to who may see them."""
        self._all.appendleft(traced)
        if not shows_private:
            self._public.appendleft(traced)

    def last(self, count: int, *, shows_private: bool) -> tuple[TracedAssembly, ...]:
        """Return the last assemblies, the newest first."""
        return tuple(self._all if shows_private else self._public)[:count]
