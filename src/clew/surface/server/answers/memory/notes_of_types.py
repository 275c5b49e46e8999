"""The notes of some types, from the latest revision that was asked about."""

from collections.abc import Set as AbstractSet

from clew.engine.snapshot import Snapshot
from clew.query.typed_notes import typed_notes
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.service import VaultService


async def paths_of(
    service: VaultService, snapshot: Snapshot, types: tuple[str, ...]
) -> AbstractSet[str]:
    """Return the paths of the notes of these types that are seen."""
    known, key = service.tools.typed_notes, (types, service.shows_private)
    slices = typed_notes(snapshot, types, known.get(key))
    found = await in_turns(slices, service.tools.shared_work)
    # Another request may have met a later revision meanwhile.
    if key not in known or known[key].revision <= found.revision:
        known[key] = found
    return found.paths
