"""Text for an agent: without control characters, and cut to a number of tokens.

Tokens are estimated, since counting them takes 55 MB of memory.
"""

from __future__ import annotations

import re

REPLY_TOKENS_MAX = 8000
_ESTIMATED_SHARE = 0.75  # of the true number, at least, for text of any script, hashes and the like
_ESTIMATE_MAX = int(_ESTIMATED_SHARE * REPLY_TOKENS_MAX)

_LINE_CHARACTERS_MAX = 300
# C0 but tab and line end, DEL, C1, bidirectional controls, U+2028 and U+2029, surrogates, tags: a
# person who looks at the text would not see them, or would see another order.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
# By the bytes of a character in UTF-8; an unpaired surrogate counts as one byte.
_WIDE_TOKENS = (0.0, 3.6, 0.8, 1.8, 3.6)
_RUNS = re.compile(
    r"(?P<word>[A-Z]?[a-z]+)|(?P<capitals>[A-Z]+)|(?P<digits>[0-9]+)|(?P<space> (?=[^\s0-9]))"
    r"|(?P<other>[\x00-\x7f])|(?P<wide>[^\x00-\x7f])"
)


def clean(text: str) -> str:
    """Return ``text`` with U+FFFD for each character that steers the display or is never shown."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("\ufffd", text)


def one_line(text: str, most: int = _LINE_CHARACTERS_MAX) -> str:
    """Return ``text`` on one line of at most ``most`` characters."""
    line = " ".join(clean(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def estimated_tokens(text: str) -> int:
    """Return about how many ``o200k_base`` tokens ``text`` has: 0.75 times as many, or more."""
    return int(sum(_run_tokens(run.lastgroup or "", run[0]) for run in _RUNS.finditer(text))) + 1


def _run_tokens(kind: str, run: str) -> float:
    """Return the estimate for one run of similar characters."""
    length = len(run)
    if kind == "word":  # long runs without a capital are no words, such as hashes and random text
        return 1 + max(0, length - 3) * (0.25 if length < 12 else 0.5)
    if kind == "capitals":
        return 1 + (length - 1) * 0.5
    if kind == "digits":
        return (length + 2) // 3
    if kind == "wide":
        return _WIDE_TOKENS[len(run.encode("utf-8", "replace"))]
    return 0.1 if kind == "space" else 0.85


def fits(text: str) -> bool:
    """Return whether ``text`` has at most as many tokens as a reply may have."""
    # Each token has a byte at least: most replies are so short that nothing needs to be estimated.
    return len(text.encode()) <= _ESTIMATE_MAX or estimated_tokens(text) <= _ESTIMATE_MAX


def lines_that_fit(lines: list[str], taken: str) -> int:
    """Return how many of the first ``lines`` fit into a reply that has the text ``taken`` too."""
    return lines_within(lines, _ESTIMATE_MAX - estimated_tokens(taken))


def tokens_estimated(tokens: int) -> int:
    """Return the estimate of a text that surely has no more than so many tokens."""
    return int(_ESTIMATED_SHARE * tokens)


def lines_within(lines: list[str], estimate: int) -> int:
    """Return how many of the first ``lines`` together have at most such an estimate."""
    left = estimate
    for count, line in enumerate(lines):
        left -= estimated_tokens(line[: _ESTIMATE_MAX * 20]) + 1
        if left < 0:
            return count
    return len(lines)


def start_that_fits(text: str) -> int:
    """Return how many characters of ``text`` fit into a reply, up to a line end where possible."""
    left, end = float(_ESTIMATE_MAX), 0
    for run in _RUNS.finditer(text):
        tokens = _run_tokens(run.lastgroup or "", run[0])
        if tokens > left:
            line_end = text.rfind("\n", 0, end) + 1
            # A run that does not fit even alone is cut by characters, of a token each at most.
            return line_end or end or _ESTIMATE_MAX // 4
        left -= tokens
        end = run.end()
    return len(text)
