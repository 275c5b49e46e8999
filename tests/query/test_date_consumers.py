"""The source has no other consumer of dates than those tested, and no other place that finds dates.

The consumers are tested in ``test_one_date.py``.
"""

import re
from pathlib import Path

import clew
from tests.query.test_one_date import COVERED

MODULES = Path(clew.__file__).parent


def modules_with(pattern: str, *folders: str) -> set[str]:
    """Return the modules below these folders that have ``pattern`` outside of comments."""
    wanted = re.compile(pattern)
    return {
        file.relative_to(MODULES).as_posix()
        for folder in folders
        for file in (MODULES / folder).rglob("*.py")
        if any(
            wanted.search(line.partition("#")[0]) for line in file.read_text("utf-8").splitlines()
        )
    }


STORED_DATES = (
    r"\.ages\b|\bnewest_(paths|shared)\b|snapshot\.(dates|decay|decay_digest|weight|edge_weights"
    r"|neighbours|steps|steps_beside_lists|step_strengths)\("
)


def test_no_consumer_is_missing_here() -> None:
    """Those that ask the snapshot for dates or for weights that follow from them."""
    assert modules_with(STORED_DATES, "query", "surface") == COVERED


def test_only_the_one_function_sees_what_dates_follow_from() -> None:
    assert modules_with(r"(?<!def )\bnote_dates\(", ".") == {
        "engine/note_dates.py",
        "engine/dump.py",
    }
    raw = r"\b(stated_)?(created|modified)(_at)?_s\b.*\bfields\b|\bstated_(created|modified)_s\b"
    assert modules_with(raw, ".") == {
        "index/formulas/note_dates.py",  # the function
        "engine/note_dates.py",  # collects what it is given
        "index/notes/facts.py",  # keeps what front matter states
    }
    assert modules_with(r"\bdays_in_name\(", "engine", "index", "query", "surface") == {
        "engine/note_dates.py"
    }
    assert modules_with(r"\bst_mtime|modified_at_ns", ".") == {
        "engine/note_dates.py",
        "engine/reading/edits.py",  # whether a file changed
        "engine/reading/moved.py",  # whether a file is older than its name
        "engine/reading/settling.py",  # whether a file is the indexed one, or a copy of it
        "surface/indexer/git/repository.py",  # of files of git
        "surface/vaults.py",  # which state folder changed last
        "values/vault.py",
        "vault/read.py",  # the stamp of a file
        "vault/changes.py",  # whether a file is still being written
        "vault/view.py",  # the same, and whether it is as it was
    }
