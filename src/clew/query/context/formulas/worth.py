"""How much of the relevance of its passage a piece has."""

BASE = 0.3  # of a passage's relevance goes to pieces without evidence
LEAD = 0.5  # share added for the first piece of a short note, half of it for the second, ...


def worth(share: float, index: int, *, is_short: bool) -> float:
    """Return the worth of the piece at ``index`` of a passage, in 0..1.

    ``share``: its evidence relative to that of other pieces, in 0..1. ``is_short``: the passage is
    all the text of its note; its first pieces say what the note is about, and are worth more.
    """
    lead = LEAD if is_short else 0.0
    own = BASE + (1.0 - BASE) * share
    return (own + lead / (1 + index)) / (1.0 + lead)
