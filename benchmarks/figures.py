"""From measurements to figures: one JSON object each, with its bound and whether it holds."""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

Figure = dict[str, Any]


def figure(name: str, value: float, unit: str, bound: float | None = None, **more: Any) -> Figure:
    """Return a figure; it is ok when ``value`` is at most ``bound``, both in ``unit``."""
    return {
        "figure": name,
        "value": rounded(value),
        "unit": unit,
        "bound": bound,
        "ok": None if bound is None else value <= bound,
        **more,
    }


def ratio_figure(
    name: str, pairs: Sequence[tuple[float, float]], bound: float | None, **more: Any
) -> Figure:
    """Return the median ratio of pairs measured side by side, each in CPU seconds."""
    ratios = [ours / theirs for ours, theirs in pairs]
    medians_s = [rounded(median(side), 4) for side in zip(*pairs, strict=True)]
    spread = [rounded(ratio) for ratio in (min(ratios), max(ratios))]
    return figure(
        name,
        median(ratios),
        "ratio",
        bound,
        pairs=len(pairs),
        range=spread,
        median_cpu_s=medians_s,
        **more,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` (0..1) of ``values`` do not exceed, by nearest rank."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def rounded(value: float, decimals: int = 3) -> float:
    """Return ``value`` as figures show it."""
    return round(value, decimals)
