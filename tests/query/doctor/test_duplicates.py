"""Which concepts are taken for one concept under two names."""

import re
from itertools import combinations

import numpy as np
import pytest

from clew.engine.name_vectors import NameVectors
from clew.query.doctor import duplicates
from clew.query.slices import finished
from clew.values.note_words import Vectors
from tests.tables import for_each_row
from tests.vaults import snapshot_of

# Two names for one thing, each used in notes of its own about the same five things.
AROUND = "[[harbour]] [[quay]] [[pier]] [[mole]] [[berth]]"


def apart(*names: str) -> dict[str, str]:
    """Return notes that mention each name three times, always without the others."""
    return {
        f"{at} {n}.md": f"[[{name}]] {AROUND}" for n, name in enumerate(names) for at in range(3)
    }


def vectors(**codes: tuple[int, int]) -> NameVectors:
    made = NameVectors()
    named = {name: np.array(code, np.int8).tobytes() for name, code in codes.items()}
    made.embed(Vectors("test", 2, {}, named), lambda _: True)
    return made


def found(notes: dict[str, str], names: NameVectors | None = None) -> set[frozenset[str]]:
    rows = finished(duplicates.duplicates(snapshot_of(notes), names))
    return {frozenset((row.name, row.other)) for row in rows}


@for_each_row(
    ("one", "two", "are_one"),
    [
        ("tide gauge", "tide-gauges", True),
        ("storm surge", "stormsurge", True),
        ("café", "cafe", True),
        ("wikilink", "wikilinks", True),
        ("barometer", "baromtr", False),  # two letters
        ("barometer", "baromter", True),
        ("gauge tide", "tide gauge", True),
        ("release 1.2", "release 1.3", False),
        ("2025-03-30", "2025-03-31", False),
        ("m2 constituent", "s2 constituent", False),
        ("tide", "tidy", False),  # a short word
        ("tide gauge", "radar tide gauge", False),  # a special case
        ("automobile", "lorry", False),
        ("C++", "C#", False),
        ("🎉", "🎈", False),
    ],
)
def test_names_that_are_likely_one(one: str, two: str, are_one: bool) -> None:
    assert bool(found(apart(one, two))) == are_one


def test_names_of_common_words_are_compared_in_another_order_too() -> None:
    names = [f"{word} of {end}" for word in ("tide", "gauge") for end in "abcdefghijklmnopqrst"]
    others = {f"{name}.txt.md": f"[[{name}]]" for name in names}
    assert found(apart("gauge tide", "tide gauge") | others) == {
        frozenset(("gauge-tide", "tide-gauge"))
    }


def test_names_of_one_stem_need_evidence_and_plurals_need_none() -> None:
    alone = {f"{name}.txt.md": f"[[{name}]]" for name in ("organ", "organization", "hat", "hats")}
    assert found(alone) == {frozenset(("hat", "hats"))}


def test_concepts_that_both_have_a_note_are_two_unless_they_are_written_alike() -> None:
    own = {"barometer.md": "", "baromter.md": "", "tag.md": "", "tags.md": ""}
    assert found(apart("barometer", "baromter", "tag", "tags") | own) == {
        frozenset(("tag", "tags"))
    }


def test_other_names_need_near_vectors_common_neighbours_and_no_note_in_common() -> None:
    notes, near = apart("automobile", "car"), vectors(automobile=(90, 80), car=(80, 90))
    assert found(notes, near) == {frozenset(("automobile", "car"))}
    assert not found(notes, vectors(automobile=(90, 0), car=(0, 90)))
    assert not found(notes | {"both.md": "[[car]] [[automobile]]"}, near)
    assert not found({"1.md": "[[car]] [[a]]", "2.md": "[[automobile]] [[b]]"}, near)


def test_every_pair_of_a_kind_is_looked_at_closer() -> None:
    texts = ["data bases", "database", "datasets", "café", "cafes", "tide gauge", "gauge tide"]
    texts += ["barometer", "baromter", "automobile", "car", "sea", "seas", "tide gauges"]
    snapshot = snapshot_of({"a.md": " ".join(f"[[{text}]]" for text in texts)})
    near = vectors(automobile=(90, 80), car=(80, 90), sea=(1, 90))
    names = finished(duplicates._names(snapshot))  # noqa: SLF001
    pairs = list(combinations(range(len(names)), 2))
    numbers = np.array([first * len(names) + second for first, second in pairs])
    close = dict(finished(duplicates._close_pairs(near, names, numbers)))  # noqa: SLF001
    slots = near.slots(name.name for name in names)
    for number, (first, second) in zip(numbers.tolist(), pairs, strict=True):
        (similarity,) = near.similarities(slots[[first]], slots[[second]])
        kind = duplicates._kind(names[first], names[second], similarity)  # noqa: SLF001
        assert kind is None or close[number] == similarity, (names[first], names[second])
    assert 0 < len(close) < len(pairs) / 2


def test_the_work_grows_with_the_number_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that share a common word are not all compared."""
    compared: list[object] = []
    monkeypatch.setattr(duplicates, "_kind", lambda *names: compared.append(names))
    letters = "abcdefghijklmnopqrst"
    names = [f"common {one}{two}{one}{two}{one}" for one in letters for two in letters]
    found({f"{at}.md": f"[[{name}]]" for at, name in enumerate(names)})
    assert len(compared) <= len(names) * duplicates.NAMES_A_KEY_MAX
    assert re.fullmatch("common [a-t]{5}", names[0])
