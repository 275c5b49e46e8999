"""Names that a file system allows and few programs expect."""

import os
from pathlib import Path

UNDECODABLE = (
    b"bad\xff.md",
    b"caf\xe9.md",
    b"\xc0\xaf.md",
    b"\xed\xa0\x80.md",
    b"\xf4\x90\x80\x80.md",
    b"half \xe3\x81.md",
)
_TEXTS = (
    *("it's.md", 'say "no".md', "new\nline.md", "tab\there.md", "bell\a.md", "del\x7f.md"),
    *("\x1b[31mred.md", "\x1b]0;owned\x07.md", " before.md", "after .md", "two  spaces.md"),
    *("-rf.md", "--help.md", "*.md", "?.md", "$(id).md", "`id`.md", "a;b.md", "a|b.md", "a^b.md"),
    *("[[x]].md", "#tag.md", "x\\y.md", "%2e%2e%2f.md", "%00.md", "%.md", "memory:.md", "a&b=c.md"),
    *("'; DROP TABLE notes; --.md", "<script>.md", "{{title}}.md", "nul.md", "1.md", "true.md"),
    *("Note.md", "NOTE.md", "note.MD", "nOte.md", "STRASSE.md", "stra\u00dfe.md", "K.md"),
    *("\u212a.md", "\u00e9cole.md", "e\u0301cole.md", "\u212bngstrom.md", "\u00c5ngstrom.md"),
    *("\ufb01n.md", "fin.md", "\u202egnp.md", "a\u200bb.md", "a\u00adb.md", "\ufeffmark.md"),
    *("\u0645\u0630\u0643\u0631\u0629.md", "\u05d0 b \u05d1.md", "\U0001f469\u200d\U0001f680.md"),
    *("x\U000e0069\U000e0067.md", "line\u2028end.md", "e" + "\u0301" * 60 + ".md"),
    *("a" * 252 + ".md", "\u3042" * 84 + ".md", "\U0001f9f6" * 63 + ".md", "a.b.c.md", "a.md.md"),
)
NAMES = (*UNDECODABLE, *(text.encode() for text in _TEXTS))


def place_of(folder: Path, name: bytes) -> Path:
    """Return the path of a file of this name."""
    return folder / os.fsdecode(name)


def path_of(name: bytes) -> str:
    """Return the vault path of a note of this name in the vault's own folder."""
    return os.fsdecode(name)
