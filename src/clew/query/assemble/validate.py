"""The method ``validate``: which parts of a request ``assemble`` could not use. Runs no search."""

from collections.abc import Iterable, Iterator

from clew.engine.snapshot import Snapshot
from clew.query.assemble.gathered import SCRATCH, SESSION
from clew.query.assemble.mentions import (
    MENTION,
    MENTIONS_MAX,
    RULE,
    mention_warnings,
    mentions_of,
    resolve_mentions,
)
from clew.query.assemble.procedural import SOURCE as PROCEDURAL
from clew.query.assemble.window import CONCEPT, REQUEST, SEARCH, SECTIONS, Remembered
from clew.query.quoting.note_text import one_line
from clew.query.slices import Slices
from clew.text.terms import query_words
from clew.values.requests import Validate
from clew.values.windows import assemble_replies as replies

PROBLEMS_MAX = 100
SOURCES_SHOWN_MAX = 20


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
    warnings += _remarks(snapshot, request)
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


def _remarks(snapshot: Snapshot, request: Validate) -> Iterator[str]:
    """Yield a warning for each part of a request that has no effect."""
    if not query_words(request.task.text):
        yield "task.text: it has no word to search for"
    pipelines = [each.id for each in snapshot.rule_files.pipelines if each.enabled]
    sources = {MENTION, RULE, SESSION, SCRATCH, PROCEDURAL, REQUEST}
    sources |= {*pipelines} if pipelines else {SEARCH, CONCEPT}
    item_lists = (request.state, request.constraints, request.history, request.suggestions)
    for items in (*item_lists, request.working_memory):
        sources |= {item.source for item in items if item.source}
    for source in sorted(request.caps.keys() - sources):
        if source in SECTIONS:
            yield f"caps.{source}: caps are by source; a rule can cap a section"
        else:
            yield f"caps.{one_line(source, 80)}: no item of this source; there are {_list(sources)}"


def _list(sources: Iterable[str]) -> str:
    return ", ".join(one_line(source, 80) for source in sorted(sources)[:SOURCES_SHOWN_MAX])
