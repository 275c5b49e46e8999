"""The steps of a round of reading, and its result."""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from clew.values.note_words import Words
from clew.values.vault import Batch, ReadNote


class Step(NamedTuple):
    """The progress of a round of reading."""

    done: int  # files
    total: int
    # Path and content hash of the notes that this process parses next; ``None``: unchanged.
    parsing: tuple[tuple[str, str], ...] | None = None
    # The changed notes that were read since the last step, and are not kept back.
    read: tuple[ReadNote, ...] = ()
    words: Mapping[str, Words] = {}  # the words of these notes, by path
    is_applied: bool = False  # whether the engine has just applied all that was read so far
    is_portion: bool = False  # whether that makes a portion, which is to be stored
    edits_s: Mapping[str, float] = {}  # of the notes applied by this step, see ``Absorbed``
    missed_s: Mapping[str, float] = {}
    is_search: bool = False  # whether indexed notes were searched for mentions

    def of_notes(self, reads: Sequence[ReadNote]) -> "Step":
        """Return the same step with only these of its notes."""
        paths = [read.note.path for read in reads if read.note.path in self.words]
        words = {path: self.words[path] for path in paths}
        return self._replace(read=tuple(reads), words=words)


class Absorbed(NamedTuple):
    """The result of a round of reading; the engine has applied ``batch``."""

    batch: Batch
    work: int  # the cost of applying it, in the engine's units
    added: int
    modified: int
    # Times of seen edits of indexed notes, by path; those of the steps are not among them.
    edits_s: Mapping[str, float] = {}
    missed_s: Mapping[str, float] = {}  # file times of notes edited unseen, see ``edits``
    portions: int = 0  # batches applied before ``batch``, which the counts include
    is_searched: bool = False  # whether mentions that had been put off were found after ``batch``
    confirmed: frozenset[str] = frozenset()  # notes read before their turn: the index agrees

    @property
    def removed(self) -> int:
        """The number of notes that were dropped."""
        return len(self.batch.dropped)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing changed, so that there is no new revision."""
        return self.batch == Batch() and not self.portions


Absorbing = Generator[Step, None, Absorbed]


def sum_of(portions: Sequence[Absorbed], last: Absorbed) -> Absorbed:
    """Return the last batch of a round with the counts of all.

    After portions the whole index is published, so only the dropped paths of the batch are kept.
    """
    every = (*portions, last)
    return Absorbed(
        Batch(dropped=last.batch.dropped) if portions else last.batch,
        work=sum(each.work for each in every),
        added=sum(each.added for each in every),
        modified=sum(each.modified for each in every),
        portions=len(portions),
    )


def drained(absorbing: Absorbing) -> Absorbed:
    """Run a round of reading to its end; return its result."""
    while True:
        try:
            next(absorbing)
        except StopIteration as done:
            absorbed: Absorbed = done.value
            return absorbed
