"""Edits take work for the notes concerned, not for all notes with their name."""

from clew.values.vault import Batch
from tests.vaults import engine_of, read_note


def test_an_edit_among_many_notes_of_one_name_is_as_much_work_as_of_any() -> None:
    notes = {f"{n}/README.md": f"# Part {n}\ntext" for n in range(100)}
    engine = engine_of({**notes, "own.md": "# Own\ntext"})
    changed = [
        engine.apply(Batch(put=(read_note(path, f"{text} more"),)))
        for path, text in (("7/README.md", notes["7/README.md"]), ("own.md", "# Own\ntext"))
    ]
    assert changed[0] <= 2 * changed[1]
