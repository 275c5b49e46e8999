"""Degraded parts of the daemon and problems of notes, from the indexer's reports and the server.

A part, such as ``vault`` or ``memory``, is degraded while it does not work; queries work without
it.
"""

import logging
from typing import TYPE_CHECKING

from clew.engine.snapshot import Snapshot
from clew.surface.server.paths import DaemonPaths, restart_commands, shown
from clew.values.note import Problem

if TYPE_CHECKING:
    from clew.values import ipc

logger = logging.getLogger(__name__)


class Health:
    """Holds the indexer's last report and the parts of the server that are degraded."""

    def __init__(self, paths: DaemonPaths) -> None:
        self.report: ipc.IndexerReport | None = None
        self._vault = shown(paths.vault)
        # Computed at the start, while the vault's path still leads to the vault.
        self._restart = restart_commands(paths)
        self._reasons: dict[str, str] = {}  # part of the server -> reason

    def degrade(self, part: str, reason: str) -> None:
        """Mark a part of the server as degraded; log it if that is new."""
        if self._reasons.get(part) != reason:
            logger.warning("degraded part=%s reason=%s", part, reason)
        self._reasons[part] = reason

    def recover(self, part: str) -> None:
        """Mark a part of the server as working."""
        self._reasons.pop(part, None)

    def degraded_parts(self) -> dict[str, str]:
        """Return the reason for each degraded part, of the indexer and of the server."""
        reported = dict(self.report.degraded) if self.report else {}
        if "vault" in reported:
            reported["vault"] = f"{self._vault} {reported['vault']}"
        return {**reported, **self._reasons}

    def vault_remedy(self) -> str:
        """Return what the user can do about a vault that cannot be read."""
        if self.report is not None and self.report.vault_replaced:
            return f"put the old folder back, or have this one indexed: {self._restart}"
        if self.report is not None and self.report.vault_emptied:
            return "bring it back, or make a file in it if it is meant to be empty"
        return "bring it back; what was known is kept until then"

    def problems(self, snapshot: Snapshot) -> list[Problem]:
        """Return the problems of files, notes and settings, by path."""
        reported = self.report.problems if self.report else ()
        problems = [*reported, *snapshot.problems()]
        return sorted(problems, key=lambda p: (p.path, p.code, p.line or 0, p.message))
