"""Print the rows of a reply for another program: paths, names, PATH:LINE:TEXT, or CSV.

Paths are relative to the current folder (``here.py``). A line break in a path or name, or with
``-0`` a null byte, would forge a row, so such rows are left out, and stderr tells how many. CSV has
all rows, since it quotes line breaks.
"""

from __future__ import annotations

import json

from clew.surface.cli.lines import harmless
from clew.surface.cli.lists.here import path_from_here
from clew.surface.cli.lists.listings import LISTINGS, REPLY_URI, TAGGED, Listing, listing_of
from clew.surface.cli.lists.options import CSV, FILES, FORMATS, GREP, NAMES, NULL, Unusable, is_json
from clew.surface.cli.output import complain, print_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from clew.surface.cli.table import Option

    Result = dict[str, Any]
    Row = dict[str, Any]

_LINE_BREAKS = frozenset("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


class Format:
    """The rows to print, the option that chose the format, and the terminator of each record."""

    __slots__ = ("end", "listing", "option")

    def __init__(self, listing: Listing, option: Option, end: str) -> None:
        self.listing = listing
        self.option = option
        self.end = end


def requested_format(command: str, fields: dict[str, Any]) -> Format | None:
    """Return the format that a command line asks for; ``None`` without such an option.

    Raises:
        Unusable: the options contradict each other, or the command has no such rows.
    """
    options = [option for option in FORMATS if fields.get(option.field)]
    if fields.get(NULL.field) and not options:
        options = [FILES]
    if not options:
        return None
    if len(options) > 1 or is_json(fields):
        names = [option.flags[-1] for option in options] + ["--json"] * is_json(fields)
        raise Unusable(f"give only one of {' and '.join(names)}")
    (option,) = options
    if fields.get(NULL.field) and option not in (FILES, NAMES):
        raise Unusable(f"-0 ends paths and names: give it with -l or --names, not {_flag(option)}")
    listing = listing_of(command, of_tag=command == "tags" and fields.get("tag") is not None)
    if listing is None or option not in listing.options:
        raise Unusable(_refusal(command, listing, option))
    if fields.get("dump") or fields.get("format"):
        raise Unusable(f"this answer is a text without rows: leave out {_flag(option)}")
    return Format(listing, option, "\0" if fields.get(NULL.field) else "\n")


def _refusal(command: str, listing: Listing | None, option: Option) -> str:
    """Return why a command does not support an option, and what to type instead."""
    what = {FILES.field: "notes", NAMES.field: "names", GREP.field: "lines of notes"}
    words = command.replace(".", " ")
    refusal = f"clew {words} does not list {what.get(option.field, 'rows')}"
    if listing is None:
        usable = sorted(name for name, other in LISTINGS.items() if option in other.options)
        return f"{refusal}; {_flag(option)} is for {', '.join(usable)}"
    tagged = " (with a tag also -l and --grep)" if command == "tags" and listing != TAGGED else ""
    return f"{refusal}; it takes {', '.join(map(_flag, listing.options))}{tagged}"


def _flag(option: Option) -> str:
    return option.flags[0]


def print_rows(form: Format, result: Result, vault: str) -> bool:
    """Print the rows of a result; return whether all of them could be printed.

    ``vault``: the folder that the daemon serves.
    """
    text, left_out = text_of_rows(form, result, vault)
    print_data(text)
    if left_out:
        what = "null byte" if form.end == "\0" else "line break"
        way_out = "--csv" if form.option is GREP or form.end == "\0" else "-0"
        complain(f"left out: {left_out} with a {what} in the name; {way_out} prints them")
    return not left_out


def text_of_rows(form: Format, result: Result, vault: str) -> tuple[str, int]:
    """Return the rows as text without repeated paths, names or lines, and how many are left out."""
    listing = form.listing
    rows = list(_rows(listing, result))
    if form.option is CSV:
        return _csv(listing, rows, result, vault), 0
    if form.option is GREP:
        values = _located(listing, rows, result, vault)
    else:
        values = _paths(listing, rows, vault) if form.option is FILES else _names(listing, rows)
    records = list(dict.fromkeys(values))
    breaks = frozenset("\0") if form.end == "\0" else _LINE_BREAKS
    printable = [each for each in records if breaks.isdisjoint(each)]
    return "".join(f"{each}{form.end}" for each in printable), len(records) - len(printable)


def _rows(listing: Listing, result: Result) -> Iterator[Row]:
    for field in listing.rows:
        for row in result[field]:
            yield {"list": field, **row} if isinstance(row, dict) else {"uri": row}


def _paths(listing: Listing, rows: Sequence[Row], vault: str) -> Iterator[str]:
    for row in rows:
        value = row[listing.file]
        for uri in value if isinstance(value, list) else [value]:
            if uri:
                yield path_from_here(vault, uri)


def _names(listing: Listing, rows: Sequence[Row]) -> Iterator[str]:
    return (row[listing.name] for row in rows)


def _located(listing: Listing, rows: Sequence[Row], result: Result, vault: str) -> Iterator[str]:
    """Yield PATH:LINE:TEXT for each row with a note; the line is 1 if the reply has none."""
    for row in rows:
        path = _note_path(listing, row, result, vault)
        if path:
            text = " ".join(str(row[listing.text]).split())
            yield f"{path}:{_line(listing, row) or 1}:{harmless(text)}"


def _note_path(listing: Listing, row: Row, result: Result, vault: str) -> str | None:
    """Return the path of a row's note; ``None`` if it has none."""
    uri = result["uri"] if listing.grep_uri == REPLY_URI else row[listing.grep_uri]
    return path_from_here(vault, uri) if uri else None


def _line(listing: Listing, row: Row) -> int | None:
    """Return the line of a row, the first of several."""
    value = row[listing.line] if listing.line else None
    line: int | None = value[0] if isinstance(value, list) else value
    return line


def _csv(listing: Listing, rows: Iterable[Row], result: Result, vault: str) -> str:
    """Return the rows as CSV; values that are lists are JSON."""
    import csv  # noqa: PLC0415 - only for this format
    from io import StringIO  # noqa: PLC0415

    names = listing.columns
    if listing.grep_uri:
        names = ("path", "line", *names) if listing.line else ("path", *names)
    names = tuple(dict.fromkeys(names))
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    for row in rows:
        values = {"line": _line(listing, row), **row}
        if listing.grep_uri:
            values["path"] = _note_path(listing, row, result, vault)
        writer.writerow([_cell(values.get(name)) for name in names])  # some fields are optional
        # The CSV is all UTF-8: a path in another encoding is escaped here, and exact in "uri".
    return text.getvalue().encode(errors="surrogateescape").decode(errors="backslashreplace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
