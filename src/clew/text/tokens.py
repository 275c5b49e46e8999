"""Count ``o200k_base`` tokens exactly and offline: tiktoken with the ranks in this package.

Every text has a count. As in ``tiktoken.Encoding.encode_ordinary``, a special token in the text
(``<|endoftext|>``) counts as plain text, and a lone surrogate counts as U+FFFD.

Counting takes O(n log n) time. tiktoken fails only on a run of about a million blanks, which
overflows the stack of its regular expressions. So long runs are encoded separately; tiktoken would
split the text at the same positions.
"""

import binascii
import gzip
import hashlib
import pkgutil
import re
import threading
import zlib

from tiktoken import Encoding

from clew.values.errors import ClewError

ENCODING = "o200k_base"

_RANKS = "data/o200k_base.tiktoken.gz"
_RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

# The pattern that splits the text before bytes are merged, from tiktoken's openai_public.py.
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_CUTS = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _SUFFIX + "|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _SUFFIX + "|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

BLANKS_MAX = 100_000  # tiktoken fails at nearly a million
# White space of Unicode except line feed and carriage return; ``\s`` would match \x1c to \x1f too.
# A run before a line end is left alone: a pattern that cannot fail cuts it together with the line
# end.
_BLANK = r"[\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
LONG_BLANKS = re.compile(rf"(?<!{_BLANK}){_BLANK}{{{BLANKS_MAX},}}+(?![\r\n])")

_NOT_BLANK = (
    "\x1c\x1d\x1e\x1f"  # for ``str.split`` they are white space, for the pattern they are not
)

_loading = threading.Lock()
_loaded: list[Encoding] = []  # empty, or the one encoding


def count_tokens(text: str) -> int:
    """Return the number of ``o200k_base`` tokens of ``text``.

    The first call reads the ranks, which takes 0.3 s of CPU time and 55 MB of memory. Safe to call
    from several threads.

    Raises:
        ClewError: the ranks in the package are damaged.
    """
    encoding = _encoding()
    if len(text) < BLANKS_MAX:
        return len(encoding.encode_ordinary(text))
    count = start = 0
    for run in LONG_BLANKS.finditer(text):
        # If text follows, the last blank belongs to that text; the others form one group.
        stop = run.end() - (run.end() < len(text))
        blanks = text[run.start() : stop]
        count += len(encoding.encode_ordinary(text[start : run.start()]))
        count += len(encoding._encode_single_piece(blanks))  # noqa: SLF001 - no public name
        start = stop
    return count + len(encoding.encode_ordinary(text[start:]))


def tokens_at_least(text: str) -> int:
    """Return a number of tokens that ``text`` has at the least, in a twentieth of the time.

    Every word between blanks has one or more of its own, except that slashes may belong to a token
    of the line before.
    """
    if any(sign in text for sign in _NOT_BLANK):
        return 0
    return max(0, len(text.split()) - text.count("/"))


def _encoding() -> Encoding:
    if _loaded:  # without the lock, which takes as long as to count a word
        return _loaded[0]
    with _loading:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> Encoding:
    try:
        lines = gzip.decompress(pkgutil.get_data("clew", _RANKS) or b"")
    except (EOFError, OSError, zlib.error):
        lines = b""
    if hashlib.sha256(lines).hexdigest() != _RANKS_SHA256:
        raise ClewError(f"{_RANKS} is damaged", "install clew again")
    fields = lines.split()  # of each line the token in base64, and its rank
    ranks = dict(zip(map(binascii.a2b_base64, fields[::2]), map(int, fields[1::2]), strict=True))
    encoding = Encoding(ENCODING, pat_str=_CUTS, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # 28 MB that only decoding needs; the encoder has its own copy
    return encoding
