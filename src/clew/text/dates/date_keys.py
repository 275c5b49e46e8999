"""The front matter keys that say when a note was created and modified."""

import re
from collections.abc import Iterable

from msgspec import Struct

_SEPARATORS = re.compile(r"[\s_-]+")


def key_form(key: str) -> str:
    """Return the form in which keys are compared: without case, ``_``, ``-`` and spaces."""
    return _SEPARATORS.sub("", key.casefold())


CREATED_KEYS = tuple(
    map(key_form, ("created", "created at", "date", "date created", "creation date"))
)
MODIFIED_KEYS = tuple(
    map(
        key_form,
        (
            "modified",
            "modified at",
            "updated",
            "updated at",
            "last modified",
            "lastmod",
            "date modified",
            "modification date",
        ),
    )
)


class DateKeys(Struct, frozen=True, array_like=True):
    """The keys of both dates in the form of ``key_form``; the first that holds a date counts."""

    created: tuple[str, ...] = CREATED_KEYS
    modified: tuple[str, ...] = MODIFIED_KEYS


DEFAULT_DATE_KEYS = DateKeys()


def date_keys(created: Iterable[str] = (), modified: Iterable[str] = ()) -> DateKeys:
    """Return the keys of both dates; further keys come before the usual ones."""
    return DateKeys(
        (*map(key_form, created), *CREATED_KEYS), (*map(key_form, modified), *MODIFIED_KEYS)
    )
