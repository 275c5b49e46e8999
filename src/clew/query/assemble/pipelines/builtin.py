"""The built-in pipeline, for a vault that defines none: search, then concepts.

Its passages are packed later, when the room for them is known, as ``context`` packs them.
"""

import re

from clew.engine.snapshot import Snapshot
from clew.query.assemble.contribution import Contribution
from clew.query.context.gather import gather
from clew.query.search.finding.setting import Setting
from clew.query.slices import Slices
from clew.text.query_language import SEARCHED_CHARACTERS_MAX
from clew.values.errors import InvalidParams
from clew.values.requests import Context

NAME = "built-in"
SECTION = "knowledge"
_SCHEMES = re.compile(r"(?:memory|concept|kv)://|@(?=\S)|\.md\b|#L\d+(?:-L\d+)?(?:~[0-9a-f]+)?")
_OPERATORS = re.compile(r'(?<!\S)-(?=\S)|["“”]|(?<=\b(?:type|path|file)):|(?<=\btag):')


def query_of(task: str) -> str:
    """Return the words of a task as a query without schemes and operators of queries."""
    return _OPERATORS.sub(" ", _SCHEMES.sub(" ", task[: 2 * SEARCHED_CHARACTERS_MAX])).strip()


def built_in(
    snapshot: Snapshot, task: str, token_budget: int, held: tuple[str, ...], setting: Setting
) -> Slices[Contribution]:
    """Return the passages and insights for a task, without those at the references ``held``."""
    request = Context(
        query=query_of(task), token_budget=token_budget, exclude=held, include_evidence=True
    )
    try:
        material = yield from gather(snapshot, request, setting, has_details=False)
    except InvalidParams as error:
        return Contribution(NAME, SECTION, error=f"nothing to search for: {error}")
    is_empty = not material.passages and not material.insights
    nothing = "nothing in the notes answers this" if is_empty else None
    return Contribution(NAME, SECTION, material=material, error=nothing)
