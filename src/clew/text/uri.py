"""``memory://`` URIs: a note's path, percent-encoded where RFC 3986 asks for it."""

from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

SCHEME = "memory://"

# RFC 3986, section 3.3: pchar without percent-encoding, and the separator itself.
_PATH_CHARACTERS = "/!$&'()*+,;=:@-._~"


@lru_cache(maxsize=65_536)
def to_uri(path: str) -> str:
    """Return the URI of a vault path; undecodable bytes of a name are kept as ``%xx``."""
    return SCHEME + quote(path, safe=_PATH_CHARACTERS, errors="surrogateescape")


def from_uri(uri: str) -> str:
    """Return the vault path a URI names; text without the scheme is taken for a path."""
    if not uri.startswith(SCHEME):
        return uri
    return unquote_to_bytes(uri[len(SCHEME) :]).decode("utf-8", "surrogateescape")
