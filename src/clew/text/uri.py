"""``memory://`` URIs: a note's path, percent-encoded where RFC 3986 asks for it."""

from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

SCHEME = "memory://"

# RFC 3986, section 3.3: pchar without percent-encoding, and the separator itself.
_PATH_CHARACTERS = "/!$&'()*+,;=:@-._~"


@lru_cache(maxsize=65_536)
def to_uri(path: str) -> str:
    """Return the URI of a vault path; bytes that are not UTF-8 become ``%xx``."""
    return SCHEME + quote(path, safe=_PATH_CHARACTERS, errors="surrogateescape")


def from_uri(uri: str) -> str:
    """Return the vault path of a URI; text without the scheme is a path already."""
    if not uri.startswith(SCHEME):
        return uri
    return unquote_to_bytes(uri[len(SCHEME) :]).decode("utf-8", "surrogateescape")
