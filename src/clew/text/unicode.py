"""Text that is not valid Unicode, and characters as JSON escapes. Imports nothing."""


def is_utf8(text: str) -> bool:
    """Return whether ``text`` can be encoded: it has no lone surrogate, as odd file names have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def json_escape(text: str) -> str:
    r"""Return each character as ``\uXXXX``, or as two of these beyond U+FFFF (RFC 8259)."""
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
