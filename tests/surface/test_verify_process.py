"""The process that compares the index with a rebuild, where the model cannot be read."""

import pytest

from clew.surface.indexer import verify
from clew.values.errors import ModelUnavailable
from tests.vaults import snapshot_of


@pytest.mark.parametrize("error", [ModelUnavailable("gone", ""), OSError(24, "too many files")])
def test_without_the_model_an_index_is_compared_without_vectors(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise error

    monkeypatch.setattr(verify, "open_model", refuse)
    assert verify.encoder_of(snapshot_of({"a.md": "tide"}), "builtin") is None
