"""Text for an agent: without control characters, and cut to a number of tokens.

Tokens are estimated, since counting them takes 55 MB of memory.
"""

from __future__ import annotations

import re

REPLY_TOKENS_MAX = 8000
_ESTIMATED_SHARE = 0.75  # the lowest ratio of estimate to true count, for any script or hashes
_ESTIMATE_MAX = int(_ESTIMATED_SHARE * REPLY_TOKENS_MAX)

_LINE_CHARACTERS_MAX = 300
# C0 without tab and line end, DEL, C1, bidirectional controls, U+2028, U+2029, surrogates, tags. A
# person who looks at the text would not see these characters, or would see another order.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
# Tokens by the number of bytes of a character in UTF-8; an unpaired surrogate counts as one byte.
_WIDE_TOKENS = (0.0, 3.6, 0.8, 1.8, 3.6)
_RUNS = re.compile(
    r"(?P<word>[A-Z]?[a-z]+)|(?P<capitals>[A-Z]+)|(?P<digits>[0-9]+)|(?P<space> (?=[^\s0-9]))"
    r"|(?P<other>[\x00-\x7f])|(?P<wide>[^\x00-\x7f])"
)


def clean(text: str) -> str:
    """Return ``text`` with U+FFFD for each control character and invisible character."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("\ufffd", text)


def one_line(text: str, characters_max: int = _LINE_CHARACTERS_MAX) -> str:
    """Return ``text`` on one line of at most ``characters_max`` characters."""
    line = " ".join(clean(text[: 4 * characters_max]).split())
    return line if len(line) <= characters_max else f"{line[: characters_max - 1].rstrip()}…"


def estimated_tokens(text: str) -> int:
    """Return an estimate of the ``o200k_base`` tokens in ``text``, at least 0.75 of the count."""
    return int(sum(_run_tokens(run.lastgroup or "", run[0]) for run in _RUNS.finditer(text))) + 1


def _run_tokens(kind: str, run: str) -> float:
    """Return the estimate for one run of similar characters."""
    length = len(run)
    if kind == "word":  # a long run is likely a hash or random text, which takes more tokens
        return 1 + max(0, length - 3) * (0.25 if length < 12 else 0.5)
    if kind == "capitals":
        return 1 + (length - 1) * 0.5
    if kind == "digits":
        return (length + 2) // 3
    if kind == "wide":
        return _WIDE_TOKENS[len(run.encode("utf-8", "replace"))]
    return 0.1 if kind == "space" else 0.85


def fits(text: str) -> bool:
    """Return whether ``text`` fits into a reply."""
    # A token has at least one byte, so most replies are short enough without an estimate.
    return len(text.encode()) <= _ESTIMATE_MAX or estimated_tokens(text) <= _ESTIMATE_MAX


def lines_that_fit(lines: list[str], taken: str) -> int:
    """Return how many of the first ``lines`` fit into a reply that also has the text ``taken``."""
    return lines_within(lines, _ESTIMATE_MAX - estimated_tokens(taken))


def tokens_estimated(tokens: int) -> int:
    """Return the largest estimate at which a text is certain to have at most ``tokens``."""
    return int(_ESTIMATED_SHARE * tokens)


def lines_within(lines: list[str], tokens_max: int) -> int:
    """Return how many of the first ``lines`` together are estimated at ``tokens_max`` or less."""
    remaining = tokens_max
    for count, line in enumerate(lines):
        remaining -= estimated_tokens(line[: _ESTIMATE_MAX * 20]) + 1
        if remaining < 0:
            return count
    return len(lines)


def start_that_fits(text: str) -> int:
    """Return how many characters of ``text`` fit into a reply, cut at a line end if possible."""
    remaining, end = float(_ESTIMATE_MAX), 0
    for run in _RUNS.finditer(text):
        tokens = _run_tokens(run.lastgroup or "", run[0])
        if tokens > remaining:
            line_end = text.rfind("\n", 0, end) + 1
            # A run that is too long by itself is cut at a length that surely fits.
            return line_end or end or _ESTIMATE_MAX // 4
        remaining -= tokens
        end = run.end()
    return len(text)
