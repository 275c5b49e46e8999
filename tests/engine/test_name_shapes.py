"""The keys of a stored map that are like a name are those of a plain list, after any changes."""

import gc
from weakref import ref

from hypothesis import given
from hypothesis import strategies as st

from clew.engine.caches.name_shapes import KeyShapes, texts_like
from clew.index.structures.layered_map import LayeredMap
from clew.index.structures.stored_map import map_columns, read_map
from clew.query.slices import finished
from tests.stored import written

NAMES = st.text("abé ", max_size=6)


def stored(names: LayeredMap[str, str]) -> LayeredMap[str, str]:
    return read_map(written(map_columns(names, str.encode)), lambda data: str(data, "utf-8"))


@given(st.lists(st.tuples(st.lists(NAMES), st.lists(NAMES), st.booleans())), NAMES)
def test_keys_are_found_after_changes_and_after_storing(
    revisions: list[tuple[list[str], list[str], bool]], name: str
) -> None:
    shapes, names = KeyShapes(), LayeredMap[str, str]()
    for put, dropped, is_stored in revisions:
        for each in put:
            names[each] = "value"
        for each in dropped:
            names.pop(each, None)
        names = stored(names) if is_stored else names.copy()
        like = finished(shapes.like(name, names))
        assert sorted(like) == sorted(finished(texts_like(name, list(names))))


def test_a_dropped_map_is_not_kept() -> None:
    shapes, names = KeyShapes(), stored(LayeredMap({"tide gauge": "value"}))
    assert finished(shapes.like("tide gauges", names)) == ["tide gauge"]
    base = ref(names.layers()[0])
    del names
    gc.collect()
    assert base() is None
