"""Reading a safetensors file where it lies, compared with the library."""

import mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.safetensors_file import arrays_of

if TYPE_CHECKING:
    from clew.values.arrays import AnyArray

SHAPES = st.lists(st.integers(0, 5), max_size=3).map(tuple)
DTYPES = st.sampled_from((np.int8, np.float32))
ARRAYS = st.dictionaries(st.text(min_size=1, max_size=8), st.tuples(DTYPES, SHAPES), max_size=4)


@given(ARRAYS, st.none() | st.dictionaries(st.text(), st.text(), min_size=1, max_size=2))
def test_arrays_are_those_of_the_library(
    kinds: dict[str, tuple[type, tuple[int, ...]]], metadata: dict[str, str] | None
) -> None:
    arrays: dict[str, AnyArray] = {
        name: np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        for name, (dtype, shape) in kinds.items()
        if name != "__metadata__"
    }
    file = safetensors.numpy.save(arrays, metadata)
    found, expected = arrays_of(memoryview(file)), safetensors.numpy.load(file)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_another_type_is_refused() -> None:
    file = safetensors.numpy.save({"a": np.zeros(2, np.float16)})
    with pytest.raises(KeyError):
        arrays_of(memoryview(file))


def test_arrays_lie_in_the_mapped_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(safetensors.numpy.save({"a": np.arange(100, dtype=np.int8)}))
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    array = arrays_of(mapped)["a"]
    assert np.shares_memory(array, np.frombuffer(mapped, np.uint8))
    assert not array.flags.writeable
