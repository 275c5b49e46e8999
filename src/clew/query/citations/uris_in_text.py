"""The references in a text: its ``memory://`` and ``concept://`` URIs.

A URI ends before white space, a quote, a back-tick or a bracket that is never a part of one, and
before the next URI. Signs that belong to the sentence around it are left out: all after a line
number, a hash or the extension of a note, and signs such as ``.`` or ``)`` at the end, since clew
makes no URI that ends with these.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.query.references.forms import lines_at_start
from clew.query.slices import PAUSE, Slices
from clew.text.filename import NOTE_EXTENSIONS
from clew.text.uri import CLOSING, CONCEPT_SCHEME, SCHEME

URI_CHARACTERS_MAX = 4_096  # as long as a reference in other requests may be
SIGNS_MAX = 4  # signs after the URI of a concept that may belong to its name
_URIS_A_STEP = 32
_SCHEMES = f"(?:{SCHEME}|{CONCEPT_SCHEME})"
_URI = re.compile(rf"{_SCHEMES}(?:(?!{_SCHEMES})[^\s`<>\"|\[\]{{}}\\\x00-\x1f])*")
_PATH = re.compile(rf".*\.(?:{'|'.join(sorted(NOTE_EXTENSIONS))})(?![a-z0-9])", re.IGNORECASE)


class FoundReference(NamedTuple):
    """A reference, and the signs after it, which mostly belong to the sentence."""

    ref: str
    signs: str = ""  # only after a concept, whose name may end with the first of them

    def forms(self) -> Iterator[str]:
        """Yield the reference with all of the signs, with fewer, and without them."""
        for count in range(len(self.signs), -1, -1):
            yield self.ref + self.signs[:count]


def references_in(text: str) -> Slices[list[FoundReference]]:
    """Return the references in ``text``, each once, in the order of the text."""
    references: dict[FoundReference, None] = {}
    for count, match in enumerate(_URI.finditer(text)):
        uri = match[0][:URI_CHARACTERS_MAX]
        ref = _without_sentence(uri)
        if ref not in (SCHEME, CONCEPT_SCHEME):
            signs = uri[len(ref) :][:SIGNS_MAX] if ref.startswith(CONCEPT_SCHEME) else ""
            references[FoundReference(ref, signs)] = None
        if count % _URIS_A_STEP == 0:
            yield PAUSE
    return list(references)


def _without_sentence(uri: str) -> str:
    """Return a URI without the characters that belong to the sentence around it."""
    head, mark, fragment = uri.partition("#")
    lines = lines_at_start(fragment)
    if lines:
        return f"{head}#{lines}"
    path = _PATH.match(head)
    if path and path[0] != head and uri.startswith(SCHEME):
        return path[0]
    return _trimmed(uri if mark else head)


def _trimmed(uri: str) -> str:
    """Return a URI without signs at its end, except a ``)`` that was opened in the URI."""
    length = len(uri)
    opened, closed = uri.count("("), uri.count(")")
    while length:
        last = uri[length - 1]
        if last == ")" and closed > opened:
            closed -= 1
        elif last not in CLOSING:
            break
        length -= 1
    return uri[:length]
