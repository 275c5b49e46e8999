"""The vault's format of daily notes, from Obsidian's ``daily-notes.json``."""

import json

from clew.text.dates.daily_format import daily_format
from clew.values.note import Problem
from clew.values.vault import DailyNotes
from clew.vault.settings.concept_rules import file_digest

DAILY_NOTES_JSON = ".obsidian/daily-notes.json"
DAILY_NOTES_BYTES_MAX = 64 * 1024
_SHOWN_CHARACTERS_MAX = 60


def parse_daily_notes(data: bytes | None) -> DailyNotes:
    """Parse the bytes of the file, ``None`` for no file; a mistake becomes a problem.

    A format that is not understood is not used.
    """
    if data is None:
        return DailyNotes()
    digest = file_digest(data)
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError) as error:
        return DailyNotes(
            problems=(_problem(f"not valid JSON, so not used: {error}"),), digest=digest
        )
    text = settings.get("format") if isinstance(settings, dict) else None
    if text is None or text == "":
        return DailyNotes(digest=digest)
    try:
        daily_format(str(text))
    except ValueError as error:
        message = f"format: {str(text)[:_SHOWN_CHARACTERS_MAX]!r} is not used for dates: {error}"
        return DailyNotes(problems=(_problem(message),), digest=digest)
    return DailyNotes(format=str(text), digest=digest)


def _problem(message: str) -> Problem:
    return Problem(DAILY_NOTES_JSON, "dailyNotesInvalid", None, message)
