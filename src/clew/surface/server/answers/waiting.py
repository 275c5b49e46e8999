"""Waiting until the changes that a request is to see are applied: ``waitFresh`` and ``waitFor``."""

from clew.query.references.locate import check_awaited, paths_to_await
from clew.surface.server.service import VaultService
from clew.values.errors import InvalidParams
from clew.values.requests import Request


async def wait_for_changes(service: VaultService, request: Request) -> None:
    """Return once the changes that ``request`` waits for are applied, at once if it names none.

    Raises:
        InvalidParams: ``waitFor`` has a text that is no path in the vault and names no note.
        NotReady: it has a name that a note may have which the first index has not got yet.
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
