"""Run pipelines concurrently, each with a timeout, in turns with other work."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from clew.query.assemble.contribution import Contribution
from clew.query.slices import Slices
from clew.surface.server.answers.turns import in_turns
from clew.surface.server.shared_work import SharedWork
from clew.values.errors import ClewError

logger = logging.getLogger(__name__)

NamedPipeline = tuple[str, str, Slices[Contribution]]  # name, section, work


async def run_all(
    pipelines: Sequence[NamedPipeline], timeout_s: float, shared_work: SharedWork
) -> list[Contribution]:
    """Return the contribution of each pipeline, in order; a failed or late one has an error.

    All timeouts run from the common start, since the pipelines take turns.
    """
    tasks = (_run(*each, timeout_s, shared_work) for each in pipelines)
    return list(await asyncio.gather(*tasks))


async def _run(
    name: str, section: str, slices: Slices[Contribution], timeout_s: float, shared: SharedWork
) -> Contribution:
    began_s = time.perf_counter()
    try:
        contribution = await asyncio.wait_for(in_turns(slices, shared), timeout_s)
    except TimeoutError:
        error = f"not done within {round(timeout_s * 1000):,} ms"
        contribution = Contribution(name, section, error=error, is_late=True)
    except ClewError as failure:
        contribution = Contribution(name, section, error=f"failed: {failure}")
    except Exception:
        logger.exception("pipeline failed name=%s", name)
        contribution = Contribution(name, section, error="failed; the daemon's log has the error")
    return replace(contribution, took_ms=round((time.perf_counter() - began_s) * 1000, 3))
