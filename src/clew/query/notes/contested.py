"""Show contested aliases as notes write them; the problems have their normalized form."""

from msgspec.structs import replace

from clew.engine.snapshot import Snapshot
from clew.text.concept import normalize
from clew.text.uri import from_uri
from clew.values.replies import Problem


def with_written_alias(snapshot: Snapshot, row: Problem) -> Problem:
    """Return a problem with its contested alias as written in the note; others unchanged."""
    if row.code != "aliasContested" or row.value is None:
        return row
    aliases = snapshot.note(from_uri(row.uri)).fields.aliases
    written = next((each for each in aliases if normalize(each) == row.value), row.value)
    message = row.message.replace(repr(row.value), repr(written))
    return replace(row, message=message, value=written)
