"""What a client that subscribed is told: which notes changed since it was last told.

Nothing is queued. A feed knows the revision that its client has been told, and the change log says
how the present one differs. So a client that reads slowly is told less often, and takes no memory.
"""

from clew.engine.derived.change_log import Changes
from clew.surface.server.service import VaultService
from clew.text.uri import to_uri
from clew.values import requests, wire
from clew.values.daemon_replies import Changed, Subscribed

URIS_MAX = 1_000  # in one notification
NOTIFICATION_BYTES_MAX = 512 * 1024
_UNKNOWN = -1  # a revision from which no difference is known


class Feed:
    """The subscription of one client, if it has one; it begins when its reply has been sent."""

    def __init__(self) -> None:
        self._service: VaultService | None = None
        self._told = _UNKNOWN  # the revision that the client has been told
        self.is_on = False

    def subscribe(self, service: VaultService, request: requests.Subscribe) -> Subscribed:
        """Prepare to tell the changes of the notes that ``service`` shows, and return the reply."""
        self._service, self.is_on = service, False
        revision = service.revision
        self._told = revision if request.since is None else request.since.revision
        if request.since is not None and request.since.epoch != service.epoch:
            self._told = _UNKNOWN
        return Subscribed(revision=revision, epoch=service.epoch)

    def begin(self) -> None:
        """Tell changes from now on, if the client has subscribed."""
        self.is_on = self._service is not None

    def notification(self) -> bytes:
        """Return the line that tells what the client does not know yet; empty if it knows all."""
        if self._service is None or not self.is_on or self._told == self._service.revision:
            return b""
        told, self._told = self._told, self._service.revision
        changes = self._service.changes.difference(told, self._told)
        if changes is not None and not changes.count:
            return b""
        if changes is not None and changes.count <= URIS_MAX:
            line = wire.encode_notification("changed", self._changed(changes))
            if len(line) <= NOTIFICATION_BYTES_MAX:
                return line
        return wire.encode_notification("changed", self._changed(None))

    def _changed(self, changes: Changes | None) -> Changed:
        """Return the values of a notification; without ``changes``, that there were too many."""
        assert self._service is not None
        lists = (changes.added, changes.modified, changes.removed) if changes else ((), (), ())
        added, modified, removed = (tuple(map(to_uri, paths)) for paths in lists)
        return Changed(
            epoch=self._service.epoch,
            revision=self._told,
            added=added,
            modified=modified,
            removed=removed,
            overflow=changes is None,
        )
