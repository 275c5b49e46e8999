"""Files with a checksum of their content, so that a damaged one is noticed.

One form is bytes: the sha256, then the content. The other is text, for files that a person may have
to mend: a JSON object with the sha256 in hex and the content as a string.
"""

import json
from hashlib import sha256

import msgspec

CHECKSUM_BYTES = sha256().digest_size
_CHECKSUM = "sha256"


class Damaged(ValueError):
    """The content of a file does not match its checksum."""


def with_checksum(content: bytes) -> tuple[bytes, bytes]:
    """Return the two parts of a file of bytes: the checksum and the content."""
    return sha256(content).digest(), content


def checked(data: bytes) -> bytes:
    """Return the content of a file of bytes.

    Raises:
        Damaged: it does not match its checksum.
    """
    content = data[CHECKSUM_BYTES:]
    if sha256(content).digest() != data[:CHECKSUM_BYTES]:
        raise Damaged("the checksum does not match")
    return content


def text_with_checksum(name: str, content: str) -> bytes:
    """Return a file of text; ``name`` is the key of its content."""
    checksum = sha256(content.encode()).hexdigest()
    return json.dumps({_CHECKSUM: checksum, name: content}, ensure_ascii=False).encode()


def checked_text(name: str, data: bytes) -> str:
    """Return the content of a file of text.

    Raises:
        Damaged: it does not match its checksum, or has another form.
    """
    try:
        outer = msgspec.json.decode(data, type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"no text with a checksum: {error}") from error
    if outer.keys() != {_CHECKSUM, name}:
        raise Damaged("no text with a checksum")
    content = outer[name]
    if sha256(content.encode()).hexdigest() != outer[_CHECKSUM]:
        raise Damaged("the checksum does not match")
    return content
