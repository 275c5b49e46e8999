"""URIs of notes and concepts: ``memory://`` and a path, ``concept://`` and a name.

They are IRIs: characters beyond ASCII stay as they are, except those that cannot be seen, such as
bidirectional controls. Percent-encoded ones are read too.

Sources: RFC 3986, section 3.3, and RFC 3987.
"""

from functools import lru_cache
from urllib.parse import quote, unquote, unquote_to_bytes

URIS_KEPT = 4_096  # a long-lived process would keep the URIs of all notes

SCHEME = "memory://"
CONCEPT_SCHEME = "concept://"

# RFC 3986, section 3.3: pchar without percent-encoding, and the separator itself.
_PATH_CHARACTERS = "/!$&'()*+,;=:@-._~"
# A reader takes these signs at the end of a URI in a sentence for signs of the sentence.
CLOSING = ".,;:!?'\"*_~…”’“»›。，、；：！？）」』】》"
_QUOTED = {code: quote(chr(code), safe=_PATH_CHARACTERS) for code in range(128)}
_ERRORS = "surrogateescape"  # how paths hold bytes that are not UTF-8


@lru_cache(maxsize=URIS_KEPT)
def to_uri(path: str, fragment: str = "") -> str:
    """Return the URI of a vault path, or of a part; bytes that are not UTF-8 become ``%xx``."""
    return SCHEME + _quoted(path) + (f"#{_quoted(fragment)}" if fragment else "")


def to_concept_uri(name: str) -> str:
    """Return the URI of a concept, which ends in a text where a reader would end it."""
    quoted = _quoted(name).replace("://", "%3A//")
    if name.count("(") != name.count(")"):
        quoted = quoted.replace("(", "%28").replace(")", "%29")
    last = quoted[-1:]
    return CONCEPT_SCHEME + (quoted[:-1] + _percent(last) if last in CLOSING else quoted)


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _quoted(text: str) -> str:
    if text.isascii():
        return text.translate(_QUOTED)  # what ``quote`` returns, in a tenth of its time
    return "".join(c if _stays(c) else quote(c, _PATH_CHARACTERS, None, _ERRORS) for c in text)


def _stays(character: str) -> bool:
    """Return whether a character is written as it is, though RFC 3986 knows only ASCII."""
    return not character.isascii() and character.isprintable()


def from_uri(uri: str) -> str:
    """Return the vault path of a URI; text without the scheme is a path already."""
    if not uri.startswith(SCHEME):
        return uri
    return unquoted(uri[len(SCHEME) :])


def unquoted(text: str) -> str:
    """Return text with its percent-encoded bytes decoded; those that are not UTF-8 are escaped."""
    return unquote_to_bytes(text).decode("utf-8", _ERRORS)


def unquoted_if_utf8(text: str) -> str:
    """Return text without percent-encoding, or as it is if that would give no UTF-8."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
