"""The count of changes, by which a cache tells whether a reply may be another."""

from clew.values.vault import Batch
from tests.vaults import NOW_S, engine_of, read_note


def test_a_read_is_no_change_of_content_and_all_else_is() -> None:
    engine = engine_of({"a.md": "x"})
    before = engine.snapshot.content_changes
    engine.apply(Batch(reads_s={"a.md": NOW_S}))
    assert engine.snapshot.content_changes == before
    for batch in (
        Batch(put=(read_note("b.md", "y"),)),
        Batch(edits_s={"a.md": NOW_S}),
        Batch(dropped=("b.md",)),
    ):
        engine.apply(batch)
        assert engine.snapshot.content_changes > before
        before = engine.snapshot.content_changes
    engine.communities = engine.communities
    assert engine.snapshot.content_changes > before
