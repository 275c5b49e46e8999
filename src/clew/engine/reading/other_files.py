"""The changes of files that are not notes, until a batch applies them."""

from msgspec.structs import replace

from clew.values.vault import Batch, Difference


class OtherFiles:
    """The files that were added and the files that are gone since the last batch."""

    def __init__(self) -> None:
        self._added: set[str] = set()
        self._gone: set[str] = set()

    def queue(self, found: Difference) -> None:
        """Add the changes of a look; a later change of a file replaces an earlier one."""
        self._gone.difference_update(found.others_added)
        self._added = (self._added | set(found.others_added)) - set(found.others_gone)
        self._gone.update(found.others_gone)

    def taken_with(self, batch: Batch) -> Batch:
        """Remove the files; return ``batch`` with their changes."""
        added, gone = tuple(sorted(self._added)), tuple(sorted(self._gone))
        self._added, self._gone = set(), set()
        return replace(batch, others_put=added, others_dropped=gone)
