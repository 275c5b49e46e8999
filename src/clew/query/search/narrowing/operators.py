"""Which notes fulfil the operators of a query: ``tag:``, ``path:``, ``file:`` and ``type:``."""

from collections.abc import Callable

from clew.index.notes.note_fields import NoteFields
from clew.text.concept import fold_tag
from clew.text.query_language import Clause, ClauseKind
from clew.values.arrays import BoolArray


def fulfilling(fields: NoteFields, clause: Clause) -> BoolArray:
    """Return which notes fulfil ``clause``, by note id.

    Raises:
        KeyError: the clause has no operator.
    """
    found = _OPERATORS[clause.kind](fields, clause.text)
    return ~found if clause.is_excluded else found


_OPERATORS: dict[ClauseKind, Callable[[NoteFields, str], BoolArray]] = {
    ClauseKind.TAG: lambda fields, text: fields.with_tag(fold_tag(text)),
    ClauseKind.PATH: NoteFields.with_path,
    ClauseKind.FILE: NoteFields.with_file_name,
    ClauseKind.TYPE: NoteFields.of_type,
}
