"""The contribution of one source to a window."""

from dataclasses import dataclass, field

from clew.query.assemble.window import WindowItem
from clew.query.context.gather import Material
from clew.query.context.pack import Chosen


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """The items of one source for one section, or passages that are to be packed."""

    source: str
    section: str
    items: tuple[WindowItem, ...] = ()
    material: Material | None = None  # of the built-in pipeline: passages and insights
    error: str | None = None  # why nothing, or not all, was found
    tokens_max: int | None = None
    took_ms: float = 0.0
    is_late: bool = False
    # A cache of the packs made of ``material``, by room in tokens and excluded references.
    packed: dict[tuple[int, tuple[str, ...]], Chosen] = field(default_factory=dict)
