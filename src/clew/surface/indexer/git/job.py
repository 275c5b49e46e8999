"""The job of the process that reads dates from git, and its result."""

from msgspec import Struct

from clew.values.packing import Unpacker
from clew.values.vault import CommitDates


class GitJob(Struct, frozen=True, array_like=True):
    """The job to read the commit dates of the notes in the vault at ``root``."""

    root: str
    note_bytes_max: int
    folder: str  # where the result is saved for the next run


class TrackedNote(Struct, frozen=True, array_like=True, gc=False):
    """A note at HEAD, and the author dates of its commits; POSIX seconds."""

    path: str
    blob: str  # its id in hexadecimal: of SHA-1 or SHA-256, as the repository has it
    first_s: float | None  # ``None``: before the start of the history that the repository has
    last_s: float | None  # ``None``: no commit in that history changed it
    content_hash: str  # sha256 hex of the blob; "" if the file was never equal to it

    @property
    def dates(self) -> CommitDates | None:
        """The dates of the note's content; ``None`` if they cannot be used."""
        if self.last_s is None or not self.content_hash:
            return None
        return CommitDates(self.first_s, self.last_s, self.content_hash)


class GitDates(Struct, frozen=True, array_like=True):
    """The notes at one commit."""

    head: str = ""  # the id of the commit, "" for none
    scope: str = ""  # an opaque fingerprint of the repository, the folder and shallow commits
    notes: tuple[TrackedNote, ...] = ()
    remark: str | None = None  # why dates are missing
    is_read: bool = True  # False: git failed, and ``notes`` is empty


unpack_git_job: Unpacker[GitJob] = Unpacker(GitJob)
unpack_git_dates: Unpacker[GitDates] = Unpacker(GitDates)
