"""Text that is not valid Unicode, and characters as escapes of JSON and of shells.

Imports no other module of clew.
"""

# Characters that mean themselves in every shell; ``string`` and ``shlex`` would load ``re``.
_UNQUOTED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


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


def shell_word(text: str) -> str:
    r"""Return ``text`` as one word of a command that people paste into a shell.

    What no terminal or JSON shows as it is, such as a line break or a byte of a path that is not
    UTF-8, is written as in ``$'\012'``, which bash, zsh and ksh read.
    """
    if text and _UNQUOTED.issuperset(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "'\"'\"'") + "'"
    return f"$'{''.join(map(_shell_escaped, text))}'"


def _shell_escaped(character: str) -> str:
    if character.isprintable() and character not in "\\'":
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
