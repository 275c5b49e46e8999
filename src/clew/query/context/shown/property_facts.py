"""Properties that tell nothing: their key alone has a word of the query, which texts have too.

``publish: true`` and ``permalink: sync/plans`` stand in every note of some vaults. For a question
about publishing they say nothing, if notes speak of it. A date or a name is shown: the key may be
what is asked for.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.query.context.passages import PROPERTIES_PART, NoteCard, Passage
from clew.query.context.pieces import Piece
from clew.text.similarity.folded_terms import folded_words

_YES_OR_NO = frozenset(("true", "false", "yes", "no", "on", "off"))
_NO_VALUE = " \t\n\"'[]{}-|>~"

Split = tuple[Passage, Sequence[Piece]]


def without_empty_facts(split: Sequence[Split]) -> list[Split]:
    """Return passages with their pieces, without the properties that tell nothing.

    Notes that are only properties keep them all.
    """
    if not any(passage.is_beside_text for passage, _ in split):  # as mostly
        return list(split)
    texts = (pieces for passage, pieces in split if passage.part != PROPERTIES_PART)
    told = frozenset[int]().union(*(piece.terms for pieces in texts for piece in pieces))
    return [
        (
            passage,
            [piece for piece in pieces if not _is_empty_fact(passage.note, piece, told)]
            if passage.is_beside_text
            else pieces,
        )
        for passage, pieces in split
    ]


def _is_empty_fact(note: NoteCard, piece: Piece, told: AbstractSet[int]) -> bool:
    """Return whether a property is yes or no, or a name of its note; ``told``: terms of texts."""
    if not piece.terms <= told:
        return False
    value = piece.text.partition(":")[2]
    words = folded_words(value)
    if not words:
        return not value.strip(_NO_VALUE)  # stars and other signs may be a value
    return _YES_OR_NO.issuperset(words) or _names_note(note, value, words)


def _names_note(note: NoteCard, value: str, words: Sequence[str]) -> bool:
    """Return whether a value is the name of its note, or words of it in the form of an address.

    An author whom the title names is neither.
    """
    title, path = folded_words(note.title), folded_words(note.path.removesuffix(".md"))
    if words in (title, path):
        return True
    is_address = value.islower() and len(value.split()) == 1
    return is_address and {*title, *path}.issuperset(words)
