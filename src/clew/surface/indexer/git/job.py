"""The job of the process that reads dates from git, and its result."""

from msgspec import Struct

from clew.values.packing import Unpacker
from clew.values.vault import CommitDates


class GitJob(Struct, frozen=True, array_like=True):
    """Read when the notes of the vault at ``root`` were committed."""

    root: str
    note_bytes_max: int
    folder: str  # where the result is kept for the next time


class TrackedNote(Struct, frozen=True, array_like=True, gc=False):
    """A note at HEAD, and the author dates of its commits; POSIX seconds."""

    path: str
    blob: str  # its id in hexadecimal: of SHA-1 or SHA-256, as the repository has it
    first_s: float | None  # ``None``: the history that is there does not reach back so far
    last_s: float | None  # ``None``: no commit that is there changed it
    content_hash: str  # sha256 hex of the blob; "" as long as the file differed from it

    @property
    def dates(self) -> CommitDates | None:
        """The dates, as far as they are of use."""
        if self.last_s is None or not self.content_hash:
            return None
        return CommitDates(self.first_s, self.last_s, self.content_hash)


class GitDates(Struct, frozen=True, array_like=True):
    """The notes at one commit."""

    head: str = ""  # the commit, "" for none
    scope: str = ""  # which repository and folder; says so in no particular form
    notes: tuple[TrackedNote, ...] = ()
    remark: str | None = None  # why dates are missing, in words
    is_read: bool = True  # whether these are the notes at HEAD: not if git failed


unpack_git_job: Unpacker[GitJob] = Unpacker(GitJob)
unpack_git_dates: Unpacker[GitDates] = Unpacker(GitDates)
