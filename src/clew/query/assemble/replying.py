"""The replies of ``assemble``: a window in the form that was asked for, and its trace."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from clew.query.assemble.assembled import Window
from clew.query.assemble.contribution import Contribution
from clew.query.assemble.gathered import Gathered
from clew.text.counting import CountTokens
from clew.values.windows import assemble_replies as replies

EXCLUDED_SHOWN_MAX = 1_000
RULES_SHOWN_MAX = 1_000


def assemble_reply(
    gathered: Gathered,
    contributions: Sequence[Contribution],
    window: Window,
    degraded: tuple[str, ...],
    count_tokens: CountTokens,
) -> replies.Assemble:
    """Return the reply; the caller sets the times that are 0 in it."""
    asked = gathered.request.format
    items = _items(window, count_tokens)
    counts = {section: len(rows) for section, rows in items.items()}
    return replies.Assemble(
        revision=gathered.revision,
        context=items if asked == "items" else UNSET,
        text=window.text if asked == "text" else UNSET,
        messages=_messages(window) if asked == "messages" else UNSET,
        degraded=degraded,
        trace=_trace(gathered, contributions, window, items, counts),
        meta=replies.WindowMeta(
            total_tokens=window.tokens,
            token_budget=gathered.request.token_budget,
            total_items=sum(counts.values()),
            truncated=any(window.losses.counts.values()),
        ),
    )


def _items(window: Window, count_tokens: CountTokens) -> dict[str, tuple[replies.WindowItem, ...]]:
    return {
        section: tuple(
            replies.WindowItem(
                text=item.text,
                source=item.source,
                ref=item.ref,
                priority=item.priority,
                tokens=count_tokens(item.block),
            )
            for item in items
        )
        for section, items in window.sections.items()
    }


def _messages(window: Window) -> tuple[replies.Message, ...]:
    """Return the context as a system message, if there is any, and the task as the user's."""
    context = replies.Message(role="system", content=window.context_text)
    task = replies.Message(role="user", content=window.task)
    return (context, task) if window.context_text else (task,)


def _trace(
    gathered: Gathered,
    contributions: Sequence[Contribution],
    window: Window,
    items: Mapping[str, Sequence[replies.WindowItem]],
    counts: Mapping[str, int],
) -> replies.WindowTrace:
    return replies.WindowTrace(
        sources=tuple(
            replies.TracedSource(
                name=each.source,
                took_ms=each.took_ms,
                items=window.item_counts.get(index, 0),
                error=each.error,
            )
            for index, each in enumerate(contributions)
        ),
        rules=tuple(
            replies.TracedRule(
                name=rule.name,
                file=rule.path,
                line=rule.line,
                ref=rule.action.ref,
                action=rule.action,
            )
            for rule in gathered.outcome.fired[:RULES_SHOWN_MAX]
            if rule.applied
        ),
        tokens_by_section={
            section: sum(item.tokens for item in rows) for section, rows in items.items()
        },
        items_by_section=counts,
        truncated=tuple(
            replies.TracedCut(section=section, items=count, reason=reason)
            for (section, reason), count in sorted(window.losses.counts.items())
            if count > 0
        ),
        missing=tuple(gathered.outcome.missing),
        excluded=gathered.excluded[:EXCLUDED_SHOWN_MAX],
        duplicates=window.losses.duplicates,
        is_repeatable=not any(each.is_late for each in contributions),
        took_ms=0.0,
    )
