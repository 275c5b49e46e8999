"""Properties that tell nothing: their key alone has a word of the query, which texts have too.

``publish: true`` and ``permalink: sync/plans`` stand in every note of some vaults. For a question
about publishing they say nothing, if notes speak of it. A date or a name is shown: the key may be
what is asked for. Nor does a ``description`` tell anything that is a sentence of its note too.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.query.context.formulas.duplicates import CONTAINMENT_MIN, SHINGLE_WORDS, shingles
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
    texts = [(passage, pieces) for passage, pieces in split if passage.part != PROPERTIES_PART]
    told = frozenset[int]().union(*(piece.terms for _, pieces in texts for piece in pieces))

    def tells(note: NoteCard, piece: Piece) -> bool:
        if _is_empty_fact(note, piece, told):
            return False
        return not _is_repeated(piece, [each for passage, each in texts if passage.note is note])

    return [
        (
            passage,
            [piece for piece in pieces if tells(passage.note, piece)]
            if passage.is_beside_text
            else pieces,
        )
        for passage, pieces in split
    ]


def _is_repeated(piece: Piece, texts: Sequence[Sequence[Piece]]) -> bool:
    """Return whether a property's value is a sentence that a text of its note has too."""
    words = folded_words(piece.text.partition(":")[2])
    if len(words) < SHINGLE_WORDS:
        return False
    runs = shingles(words)
    within = (shingles(folded_words("\n".join(each.text for each in pieces))) for pieces in texts)
    return any(len(runs & each) >= CONTAINMENT_MIN * len(runs) for each in within)


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
