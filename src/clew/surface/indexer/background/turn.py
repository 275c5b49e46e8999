"""A lock for work that needs much memory or all cores, so that one task runs at a time."""


class Turn:
    """The turn of one indexer's background tasks, used on the thread of its loop only."""

    def __init__(self) -> None:
        self._holder: object | None = None
        self._next: object | None = None  # the task that gets the turn first, once it is free

    def is_free_for(self, task: object) -> bool:
        """Return whether ``task`` has the turn or may take it now."""
        return self._holder is task or (self._holder is None and self._next in (None, task))

    def take(self, task: object) -> None:
        """Give the turn to ``task``, for which it must be free."""
        assert self.is_free_for(task)
        self._holder, self._next = task, None

    def end(self, task: object) -> None:
        """End the turn of ``task``, if it has it."""
        if self._holder is task:
            self._holder = None

    def await_for(self, task: object, *, is_due: bool) -> None:
        """Reserve the next turn for ``task`` if it is due; otherwise end its reservation."""
        if is_due:
            self._next = task
        elif self._next is task:
            self._next = None
