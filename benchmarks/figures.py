"""Figures: measurements as JSON objects, each with its bound and whether the bound is met."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

Figure = dict[str, Any]


def figure(name: str, value: float, unit: str, bound: float | None = None, **more: Any) -> Figure:
    """Return a figure, which is ok if ``value`` is at most ``bound``; both are in ``unit``."""
    return {
        "figure": name,
        "value": rounded(value),
        "unit": unit,
        "bound": bound,
        "ok": None if bound is None else value <= bound,
        **more,
    }


def by_name(values: Mapping[str, float]) -> dict[str, float]:
    """Return values by name, rounded to a tenth."""
    return {name: rounded(value, 1) for name, value in values.items()}


def ratio_figure(
    name: str, pairs: Sequence[tuple[float, float]], bound: float | None, **more: Any
) -> Figure:
    """Return the median ratio of pairs of CPU seconds, measured in turns."""
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
    """Return the nearest-rank percentile of ``values``; ``share`` is in 0..1."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def rounded(value: float, decimals: int = 3) -> float:
    """Return ``value`` rounded as in figures."""
    return round(value, decimals)
