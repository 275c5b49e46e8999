"""The method ``validate``: what of a request ``assemble`` could not use. Searches for nothing."""

from collections.abc import Iterator, Mapping

from clew.engine.snapshot import Snapshot
from clew.query.assemble.mentions import (
    MENTIONS_MAX,
    mention_warnings,
    mentions_of,
    resolve_mentions,
)
from clew.query.assemble.window import SECTIONS, Remembered
from clew.query.slices import Slices
from clew.text.terms import query_words
from clew.values.requests import Validate
from clew.values.windows import assemble_replies as replies

PROBLEMS_MAX = 100


def validate(
    snapshot: Snapshot, request: Validate, remembered: Remembered, now_s: float
) -> Slices[replies.Validate]:
    """Return the errors and warnings of a request, and what its mentions name."""
    mentions = mentions_of(request)
    resolved = yield from resolve_mentions(snapshot, mentions, remembered, now_s)
    errors = tuple(
        f"{each.path}{f':{each.line}' if each.line else ''}: {each.message}"
        for each in snapshot.rule_files.problems[:PROBLEMS_MAX]
    )
    warnings = [item.text for item in mention_warnings(resolved, len(mentions))]
    warnings += _remarks(request)
    return replies.Validate(
        revision=snapshot.revision,
        valid=not errors,
        errors=errors,
        warnings=tuple(warnings),
        resolved=tuple(
            replies.ResolvedMention(mention=each.mention, ref=each.item.ref or each.mention)
            for each in resolved[:MENTIONS_MAX]
            if each.item is not None
        ),
    )


def _remarks(request: Validate) -> Iterator[str]:
    """Yield what of a request has no effect."""
    if not query_words(request.task.text):
        yield "task.text: it has no word to search for"
    given: Mapping[str, object] = dict.fromkeys(SECTIONS, 0)
    for source in sorted(request.caps):
        if source in given:
            yield f"caps.{source}: caps are by source; a rule can cap a section"
