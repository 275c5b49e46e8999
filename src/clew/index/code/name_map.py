"""A map from a name to the paths of the files that have it, without empty entries."""

from collections.abc import Set as AbstractSet

_NONE: frozenset[str] = frozenset()


class NameMap:
    """Paths of files by name."""

    def __init__(self) -> None:
        self._paths: dict[str, set[str]] = {}

    def add(self, name: str, path: str) -> None:
        """Add a path to a name."""
        self._paths.setdefault(name, set()).add(path)

    def discard(self, name: str, path: str) -> None:
        """Remove a path from a name, if it is there."""
        paths = self._paths.get(name, set())
        paths.discard(path)
        if not paths:
            self._paths.pop(name, None)

    def get(self, name: str) -> AbstractSet[str]:
        """Return the paths of a name."""
        return self._paths.get(name, _NONE)

    def __len__(self) -> int:
        return len(self._paths)
