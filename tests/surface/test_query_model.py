"""The model for queries: loaded once, and again after a failure that may pass."""

import asyncio
import errno
from types import SimpleNamespace

import pytest

from clew.embed import models
from clew.surface.server.answers import query_model
from clew.surface.server.answers.query_model import QueryModel
from clew.values.errors import ModelUnavailable
from tests.tables import for_each_row

MODEL = SimpleNamespace()
NO_FILES = OSError(errno.EMFILE, "too many open files")


@for_each_row(
    ("failure", "found"),
    [
        (NO_FILES, MODEL),
        (ImportError("too many open files"), MODEL),
        (MemoryError(), MODEL),
        (ModelUnavailable("damaged", "install it"), None),
    ],
)
def test_a_failure_that_may_pass_is_tried_again(failure: Exception, found: object) -> None:
    outcomes = [failure, MODEL]

    def open_model(_: str) -> object:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def ask_twice() -> list[object]:
        model = QueryModel("some")
        return [await model.encoder(), await model.encoder()]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(query_model, "_open", open_model)
        assert asyncio.run(ask_twice()) == [None, found]


def test_a_model_that_cannot_be_read_now_is_not_called_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: str) -> memoryview:
        raise NO_FILES

    monkeypatch.setattr(models, "_mapped", refuse)
    with pytest.raises(OSError, match="too many"):
        models.open_model(models.BUILTIN)
