"""Ranked symbols of a small vault."""

from typing import Any

from clew.engine.snapshot import Snapshot
from clew.query.rank.rank_symbols import rank
from clew.query.slices import finished
from clew.text.tokens import count_tokens
from clew.values.requests import Rank
from clew.values.search_replies import RankReply

VAULT = {
    "Clock drift.md": "# Clock drift\nSee [[Residual]].\n\n## What holds a clock still\n",
    "Residual.md": "# Residual\n\n## The clock again\nBy [[Clock drift]].\n\n## Weather\n[[Wind]]",
    "Site visit.md": "# Site visit\n\n## Before\nLook at the [[Clock drift|drift]] first.\n",
    "Sand.md": "# Sand\nNothing here is linked with a clock.\n",
}


def ranked(snapshot: Snapshot, query: str, **fields: Any) -> RankReply:
    """Return the reply to a query."""
    return finished(rank(snapshot, Rank(query=query, **fields), count_tokens))


def shown(reply: RankReply) -> list[tuple[str, str]]:
    """Return the kinds and names of the results, best first."""
    return [(row.kind, row.name) for row in reply.results]
