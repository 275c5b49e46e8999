"""The replies of assemble, validate and trace."""

from collections.abc import Mapping

from msgspec import UNSET, UnsetType

from clew.values.replies import Part, Reply
from clew.values.search_replies import RuleAction


class WindowItem(Part, frozen=True, kw_only=True):
    """A piece of text in a section."""

    text: str
    source: str
    ref: str | None
    priority: str
    tokens: int


class Message(Part, frozen=True, kw_only=True):
    """A message for a model."""

    role: str
    content: str


class TracedSource(Part, frozen=True, kw_only=True):
    """A source that was asked for items: the request, mentions, rules, notes, or a pipeline."""

    name: str
    took_ms: float
    items: int  # number of items it returned, before the budget
    error: str | None


class TracedRule(Part, frozen=True, kw_only=True):
    """A rule that fired, and decided something."""

    name: str
    file: str
    line: int
    ref: str | None
    action: RuleAction


class TracedCut(Part, frozen=True, kw_only=True):
    """Items that were left out of a section, or cut, for one reason."""

    section: str
    items: int
    reason: str  # "budget", "cap", "cut", or "more" for further passages that search suggests


class WindowTrace(Part, frozen=True, kw_only=True):
    """The decisions that led to the content of a window."""

    sources: tuple[TracedSource, ...]
    rules: tuple[TracedRule, ...]
    tokens_by_section: Mapping[str, int]
    items_by_section: Mapping[str, int]
    truncated: tuple[TracedCut, ...]
    missing: tuple[str, ...]  # fields that rules asked for and the request lacks
    excluded: tuple[str, ...]  # references
    duplicates: int  # items that another one repeats
    is_repeatable: bool  # False: a pipeline was late, so that the same request may give more
    took_ms: float


class WindowMeta(Part, frozen=True, kw_only=True):
    """The numbers of a window."""

    total_tokens: int  # of the whole text
    token_budget: int
    total_items: int
    truncated: bool


class Assemble(Reply, frozen=True, kw_only=True):
    """A context window in the requested form."""

    context: Mapping[str, tuple[WindowItem, ...]] | UnsetType = UNSET  # by section: ``items``
    text: str | UnsetType = UNSET
    messages: tuple[Message, ...] | UnsetType = UNSET
    degraded: tuple[str, ...]
    trace: WindowTrace
    meta: WindowMeta


class ResolvedMention(Part, frozen=True, kw_only=True):
    """A mention, and the reference to which it resolves."""

    mention: str
    ref: str


class Validate(Reply, frozen=True, kw_only=True):
    """The parts of a request that could not be used."""

    valid: bool
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    resolved: tuple[ResolvedMention, ...]


class TracedAssembly(Part, frozen=True, kw_only=True):
    """One reply of ``assemble``, without its text."""

    at: str  # ISO 8601
    task: str  # the beginning of its text
    task_type: str | None
    trace: WindowTrace
    meta: WindowMeta


class Trace(Reply, frozen=True, kw_only=True):
    """The last replies of ``assemble``, the newest first."""

    assemblies: tuple[TracedAssembly, ...]
