"""Notifications of changes for one subscribed client.

Nothing is queued. A feed stores the revision up to which its client was notified, and the change
log has the difference to the present one. So a client that reads slowly gets fewer notifications,
and takes no memory.
"""

from clew.engine.derived.change_log import Changes
from clew.surface.server.service import VaultService
from clew.text.uri import to_uri
from clew.values import requests, wire
from clew.values.daemon_replies import Changed, Subscribed

URIS_MAX = 1_000  # in one notification
NOTIFICATION_BYTES_MAX = 512 * 1024
_UNKNOWN = -1  # in place of a revision without a known difference to the present one


class Feed:
    """The subscription of one client, if any, which begins once its reply was sent."""

    def __init__(self) -> None:
        self._service: VaultService | None = None
        self._sent_revision = _UNKNOWN  # the revision up to which the client was notified
        self.is_on = False

    def subscribe(self, service: VaultService, request: requests.Subscribe) -> Subscribed:
        """Prepare a subscription to the notes that ``service`` shows; return the reply."""
        self._service, self.is_on = service, False
        revision = service.revision
        self._sent_revision = revision if request.since is None else request.since.revision
        if request.since is not None and request.since.epoch != service.epoch:
            self._sent_revision = _UNKNOWN
        return Subscribed(revision=revision, epoch=service.epoch)

    def begin(self) -> None:
        """Enable notifications if the client has subscribed."""
        self.is_on = self._service is not None

    def notification(self) -> bytes:
        """Return the line that notifies of the latest changes; empty if there are none."""
        if self._service is None or not self.is_on or self._sent_revision == self._service.revision:
            return b""
        previous, self._sent_revision = self._sent_revision, self._service.revision
        changes = self._service.changes.difference(previous, self._sent_revision)
        if changes is not None and not changes.count:
            return b""
        if changes is not None and changes.count <= URIS_MAX:
            line = wire.encode_notification("changed", self._changed(changes))
            if len(line) <= NOTIFICATION_BYTES_MAX:
                return line
        return wire.encode_notification("changed", self._changed(None))

    def _changed(self, changes: Changes | None) -> Changed:
        """Return the fields of a notification; an overflow if ``changes`` is ``None``."""
        assert self._service is not None
        lists = (changes.added, changes.modified, changes.removed) if changes else ((), (), ())
        added, modified, removed = (tuple(map(to_uri, paths)) for paths in lists)
        return Changed(
            epoch=self._service.epoch,
            revision=self._sent_revision,
            added=added,
            modified=modified,
            removed=removed,
            overflow=changes is None,
        )
