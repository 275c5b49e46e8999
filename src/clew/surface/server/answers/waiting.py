"""Wait until the changes that a request must see are applied: ``waitFresh`` and ``waitFor``."""

from clew.query.references.locate import check_awaited, paths_to_await
from clew.surface.server.service import VaultService
from clew.values.errors import InvalidParams
from clew.values.requests import Request


async def wait_for_changes(service: VaultService, request: Request) -> None:
    """Wait until the changes for which ``request`` waits, if any, are applied.

    Raises:
        InvalidParams: a text in ``waitFor`` is no path in the vault and names no note.
        NotReady: such a text may name a note that the first index has not read yet.
        TimedOut, VaultUnavailable: see ``IndexerRequests.walk``.
    """
    awaited = [paths_to_await(service.snapshot, reference) for reference in request.wait_for]
    paths = tuple(sorted(set[str]().union(*awaited)))
    wait_s = request.wait_fresh_ms / 1000
    if request.wait_fresh:
        await service.requests.walk(wait_s)
    elif paths:
        await service.requests.walk(wait_s, paths=paths)
    try:
        for reference in request.wait_for:
            check_awaited(service.snapshot, reference)
    except InvalidParams as error:
        raise error if service.indexing is None else service.not_ready() from error
