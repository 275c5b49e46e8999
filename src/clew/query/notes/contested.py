"""Contested aliases as their notes write them; problems have them as concepts are named."""

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize
from clew.text.uri import from_uri
from clew.values.replies import Problem


def with_written_alias(snapshot: Snapshot, row: Problem) -> Problem:
    """Return a problem with the alias it is about as the note writes it; others as they are."""
    if row.code != "aliasContested" or row.value is None:
        return row
    aliases = snapshot.note(from_uri(row.uri)).fields.aliases
    written = next((each for each in aliases if normalize(each) == row.value), row.value)
    message = row.message.replace(repr(row.value), repr(written))
    return replace(row, message=message, value=written)
