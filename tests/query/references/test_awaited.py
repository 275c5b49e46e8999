"""The notes that ``waitFor`` names: indexed ones by any name, others by their path."""

import pytest

from clew.query.references.locate import check_awaited, paths_to_await
from clew.values.errors import Ambiguous, InvalidParams
from tests.query.notes.vault import VAULT
from tests.tables import for_each_row
from tests.vaults import snapshot_of

SNAPSHOT = snapshot_of(
    {
        **VAULT,
        "d/Titled.md": "---\ntitle: A / B.\n---\n",
        "b/Twin.md": "---\ntitle: Twins\n---\n",
        "a/Twin.md": "---\ntitle: Twins\n---\n",
    }
)


@for_each_row(
    ("reference", "paths"),
    [
        ("memory://sub/Topic.md", {"sub/Topic.md"}),
        ("memory://new/a%20b.md", {"new/a b.md"}),
        ("sub/Topic.md", {"sub/Topic.md"}),
        ("sub/Topic", {"sub/Topic.md"}),
        ("new/a.md", {"new/a.md"}),
        ("new/a.markdown", {"new/a.markdown"}),
        ("new/a", {"new/a.md"}),
        ("memory://new/a.md#L1-L2", {"new/a.md"}),
        ("new/a.md#Heading", {"new/a.md"}),
        ("[[new/a#Heading|shown]]", {"new/a.md"}),
        ("Topic", {"Topic.md", "sub/Topic.md"}),  # a new note may shadow the one that is indexed
        ("Topic.md", {"Topic.md", "sub/Topic.md"}),
        ("Twin.md", {"Twin.md"}),  # two notes in folders have the name, and this one may be new
        ("Thing", {"Thing.md", "sub/Topic.md"}),
        ("a / b.", {"a / b..md", "d/Titled.md"}),
    ],
)
def test_a_reference_names_indexed_notes_and_paths(reference: str, paths: set[str]) -> None:
    assert paths_to_await(SNAPSHOT, reference) == paths


@for_each_row(
    "reference",
    ["/etc/a.md", "../a.md", "a/../b.md", "a//b.md", "./a", "a/", "memory://a", "memory:///a.md"],
)
def test_what_cannot_be_in_the_vault_is_refused(reference: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        paths_to_await(SNAPSHOT, reference)
    assert caught.value.field == "waitFor"
    assert ".md" in caught.value.hint


@pytest.mark.parametrize("reference", ["new/a.md", "memory://new/a.md", "Topic", "Thing"])
def test_paths_and_names_of_notes_need_no_more(reference: str) -> None:
    check_awaited(SNAPSHOT, reference)


@pytest.mark.parametrize("reference", ["Twin", "twins"])
def test_a_name_of_two_notes_is_ambiguous(reference: str) -> None:
    for check in (paths_to_await, check_awaited):
        with pytest.raises(Ambiguous):
            check(SNAPSHOT, reference)


@pytest.mark.parametrize("reference", ["Nothing", "new/a"])
def test_a_name_that_no_note_has_is_refused_and_the_hint_asks_for_a_path(reference: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        check_awaited(SNAPSHOT, reference)
    assert "path" in caught.value.hint
