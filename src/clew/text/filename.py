"""File names: their extensions, how they are shown, and relative link targets."""

import re
from collections.abc import Iterable, Iterator

from clew.text.unicode import is_utf8

NOTE_EXTENSIONS = frozenset(("md", "markdown"))
# https://help.obsidian.md/file-formats names the attachment formats.
ATTACHMENT_EXTENSIONS = frozenset(
    (
        *("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp"),
        *("flac", "m4a", "mp3", "ogg", "wav", "3gp"),
        *("mkv", "mov", "mp4", "ogv", "webm"),
        *("pdf", "canvas", "base"),
    )
)

_SLASHES = re.compile("//+")
# What Logseq percent-encodes in the names of its files.
_RESERVED = re.compile(r'[<>:"\\|?*]')


def extension_of(name: str) -> str:
    """Return the text after the last dot of a name, in lower case, ``""`` without a dot."""
    _, dot, extension = name.rpartition(".")
    return extension.lower() if dot else ""


def is_attachment(target: str) -> bool:
    """Return whether a target is an attachment: a link to it is kept, but names no concept."""
    return extension_of(target) in ATTACHMENT_EXTENSIONS


def absolute_target(target: str, source_path: str) -> str | None:
    """Return a target relative to the note that holds it (``./x``, ``../x``) as ``/dir/x``.

    Other targets that begin with ``/`` are returned without empty folders: ``/a//b`` stands for a
    link that says less (``clew.index.same_named``). For all others, return ``None``.
    """
    if target.startswith("/"):
        return _SLASHES.sub("/", target) if "//" in target else None
    if not target.startswith(("./", "../")):
        return None
    target = _SLASHES.sub("/", target)
    folders = source_path.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            folders = folders[:-1]
        elif part != ".":
            folders.append(part)
    return "/" + "/".join(folders)


def without_extension(path: str) -> str:
    """Return a path or target without a final ``.md`` or ``.markdown``."""
    stem, dot, extension = path.rpartition(".")
    return stem if dot and extension.lower() in NOTE_EXTENSIONS else path


def file_name(path: str) -> str:
    """Return the name of a note's file without its folder and extension."""
    return without_extension(path.rpartition("/")[2])


def logseq_stems(page: str) -> tuple[str, ...]:
    """Return the file names without extension of a Logseq page; none if they equal its name.

    The page ``a/b`` is in ``a___b.md``, or in ``a%2Fb.md`` by its earlier rule.
    """
    if "/" not in page and not _RESERVED.search(page):
        return ()
    encoded = _RESERVED.sub(lambda character: f"%{ord(character[0]):02X}", page)
    return tuple(dict.fromkeys(encoded.replace("/", slash) for slash in ("___", "%2F")))


def stem_of(path: str) -> str:
    """Return a note's file name without folder and extension, for display."""
    name = path.rpartition("/")[2]
    return shown_name(name.rpartition(".")[0] or name)


def shown_name(name: str) -> str:
    r"""Return a file name with bytes that are not UTF-8 as ``\xff``."""
    if is_utf8(name):
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def folders_with_parents(folders: Iterable[str]) -> Iterator[str]:
    """Yield each folder and its ancestors, outermost first, without the topmost folder, ""."""
    for folder in folders:
        parts = folder.split("/") if folder else []
        yield from ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
