"""Which pieces of a passage are chosen together, as each says nothing without the others.

To follow instructions one needs all steps in their order, but most steps have no word of the
question: "how do I install it" is answered by "1. Open the settings". So a list is chosen as a
whole where it is not too long.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from clew.query.context.pieces import Piece
from clew.query.context.shown.leads import is_head, is_title
from clew.text.markdown.announcing import announces, is_bold_line
from clew.text.regions.table_heads import is_row

ANNOUNCED_TOKENS_MAX = 60  # of pieces that are shown since the one before them announces them
GAP_TOKENS = 6  # of what is shown between two pieces rather than a mark that it is left out

_NUMBER = re.compile(r"(?:[ \t]{0,3}#{1,6}[ \t][^\n]*\n\s*)*+[ \t]{0,3}([0-9]{1,9})[.)][ \t]")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_BEGINNINGS = frozenset(" \t#0123456789")  # of what ``_NUMBER`` matches
_CODE = re.compile(r"`{3}|~{3}")
_NONE = range(0)


def numbered_lists(pieces: Sequence[Piece]) -> list[range]:
    """Return the places of each numbered list in a passage, in their order.

    A list includes text indented below its items, and code between items if the numbers go on.
    """
    numbers = [_number(piece) for piece in pieces]
    if numbers.count(None) == len(numbers):  # as mostly
        return []
    lists: list[range] = []
    first, end, last = 0, 0, 0  # the open list: its places, and its last number
    for place, (piece, number) in enumerate(zip(pieces, numbers, strict=True)):
        is_open = end > first and piece.text[:1] != "#"
        if number is not None:
            if not is_open or (end < place and number != last + 1):
                lists.append(range(first, end))
                first = place
            end, last = place + 1, number
        elif is_open and end == place and _is_below_item(piece):
            end = place + 1
        elif not (is_open and _is_code(piece)):
            lists.append(range(first, end))
            first = end = place + 1
    return [each for each in (*lists, range(first, end)) if len(each) > 1]


def list_of(pieces: Sequence[Piece], place: int, lists: Sequence[range]) -> range:
    """Return the places of the list that a piece is in or announces; none of other pieces."""
    found = next((each for each in lists if place < each.stop), _NONE)
    if place in found:
        return found
    is_led = place + 1 == found.start and announces(pieces[place].text)
    return range(place, found.stop) if is_led else _NONE


def _number(piece: Piece) -> int | None:
    """Return the number of the item that a piece begins, below its headings; ``None`` of others."""
    if piece.text[:1] not in _BEGINNINGS or piece.fence or not piece.begins:
        return None
    found = _NUMBER.match(piece.text)
    return int(found[1]) if found else None


def _is_below_item(piece: Piece) -> bool:
    return not piece.begins or piece.text[:1] in (" ", "\t")


def _is_code(piece: Piece) -> bool:
    return bool(piece.fence) or _CODE.match(piece.text) is not None


def announced(pieces: Sequence[Piece], place: int) -> range:
    """Return the places of the pieces that a piece ending with a colon announces, if any.

    That is the next piece, or the head and the first row of a table.
    """
    after = place + 1
    if not announces(pieces[place].text) and not _is_bold_parent(pieces, place):
        return _NONE
    last = next((at for at in range(after, len(pieces)) if not is_head(pieces, at)), place)
    return range(after, last + 1)


def is_label(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a piece is a line in bold, or such an item above items of its own."""
    return is_bold_line(pieces[place].text) or _is_bold_parent(pieces, place)


def _is_bold_parent(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a piece is an item in bold with more indented lines below it."""
    text = pieces[place].text
    item = _ITEM.match(text)
    if item is None or place + 1 == len(pieces) or not is_bold_line(text[item.end() :]):
        return False
    below = pieces[place + 1].text
    return _indent(below) > _indent(text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def with_short(pieces: Sequence[Piece], chosen: Collection[int]) -> list[Piece]:
    """Return the chosen pieces of a passage in order, with short ones that they announce.

    So are those between two of them that take no more than a mark would.
    """
    shown = set(chosen)
    for place in sorted(chosen):
        told = [after for after in announced(pieces, place) if after not in shown]
        if _tokens(pieces, told) <= ANNOUNCED_TOKENS_MAX:
            shown.update(told)
    for before, after in pairwise(sorted(shown)):
        if _tokens(pieces, between := range(before + 1, after)) <= GAP_TOKENS:
            shown.update(between)
    return [pieces[place] for place in sorted(shown)]


def _tokens(pieces: Sequence[Piece], places: Iterable[int]) -> int:
    return sum(pieces[place].tokens for place in places)


def all_announced(pieces: Sequence[Piece], place: int) -> range:
    """Return ``announced``, with the rest of the code or of the list that begins there."""
    told = announced(pieces, place)
    if not told:
        return told
    block = code_of(pieces, told.start)
    if block:
        return range(told.start, block.stop)
    stop = told.stop
    if _ITEM.match(pieces[told.start].text):
        after = (at for at in range(stop, len(pieces)) if not _is_of_list(pieces[at]))
        stop = next(after, len(pieces))
    return range(told.start, stop)


def _is_of_list(piece: Piece) -> bool:
    return not piece.fence and (_is_below_item(piece) or _ITEM.match(piece.text) is not None)


def code_of(pieces: Sequence[Piece], place: int) -> range:
    """Return the places of the code that a piece is in; none of other pieces."""
    first = place
    while first > 0 and pieces[first].fence:
        first -= 1
    if not pieces[first].fence and not _CODE.match(pieces[first].text):
        return _NONE
    stop = first + 1
    while stop < len(pieces) and pieces[stop].fence:
        stop += 1
    return range(first, stop) if stop - first > 1 else _NONE


def says_nothing_alone(pieces: Sequence[Piece], run: Sequence[int]) -> bool:
    """Return whether the last piece of a run leads to one below it, and may be left out."""
    is_led_to = len(run) > 1 and len(announced(pieces, run[-1])) > 0
    return is_led_to or is_only_lead(pieces, run[-1])


def is_only_lead(pieces: Sequence[Piece], place: int) -> bool:
    """Return whether a piece says nothing without what is below it."""
    return is_title(pieces, place) or is_head(pieces, place)


def without_lone_steps(pieces: Sequence[Piece], run: Sequence[int]) -> list[int]:
    """Return a run of pieces without a step at its ends that is the only one of its list there.

    A step with a term of the query is kept.
    """
    lists, kept = numbered_lists(pieces), list(run)
    for end in (-1, 0) if lists else ():
        if len(kept) > 1 and is_lone_step(pieces, kept[end], kept, lists):
            del kept[end]
    return kept


def is_lone_step(
    pieces: Sequence[Piece], place: int, shown: Collection[int], lists: Sequence[range]
) -> bool:
    """Return whether no other step of its list is among ``shown``, and it has no term."""
    steps = next((each for each in lists if place in each), _NONE)
    is_alone = bool(steps) and not any(each in shown for each in steps if each != place)
    return is_alone and not pieces[place].terms


def only_fills(
    pieces: Sequence[Piece], place: int, way: Sequence[int], chosen: Collection[int]
) -> bool:
    """Return whether a piece tells nothing in the ``way`` it would be shown, but that it fills.

    That is an item or a row without a term of the query in it, or in what is beside it, and with
    nothing beside it in the pack; or the first step of a list alone, or with what announces it; or
    what only points to something.
    """
    beside = (place - 1 in chosen) + (place + 1 in chosen)
    if beside < 2 and only_points(pieces, way):  # between two it takes no more than a mark
        return True
    if not pieces[place].evidence and not beside:
        text = pieces[place].text
        return is_row(text) or (len(way) == 1 and _ITEM.match(text) is not None)
    leads = announces(pieces[place].text)
    if len(way) > 1 + leads:
        return False
    step = place + leads
    shown = (*way, *chosen)
    return step < len(pieces) and is_lone_step(pieces, step, shown, numbered_lists(pieces))


def only_points(pieces: Sequence[Piece], places: Sequence[int]) -> bool:
    """Return whether pieces are links, images or headings alone, without a term of the query."""
    return all(pieces[each].only_points and not pieces[each].terms for each in places)


def best_run(pieces: Sequence[Piece], tokens_max: int) -> frozenset[int]:
    """Return the indexes of the worthiest piece and those around it that fit; ties to the first."""
    if not pieces:
        return frozenset()
    best = max(range(len(pieces)), key=lambda index: (pieces[index].worth, -index))
    left, first, last = tokens_max - pieces[best].tokens, best, best
    if left < 0:
        return frozenset()
    while True:
        sides: Mapping[int, float] = {
            index: pieces[index].worth
            for index in (first - 1, last + 1)
            if 0 <= index < len(pieces) and pieces[index].tokens <= left
        }
        if not sides:
            return frozenset(range(first, last + 1))
        side = max(sides, key=lambda index: (sides[index], -index))
        left -= pieces[side].tokens
        first, last = min(first, side), max(last, side)
