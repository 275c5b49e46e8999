"""The error of quantization, and directions that give no vector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from clew.embed.quantized import quantize
from clew.values.arrays import Float32Array

numbers = st.integers(-(10**6), 10**6).map(lambda number: np.float32(number / 997))
directions = arrays.arrays(
    np.float32, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=numbers
)


@given(directions)
def test_each_component_is_off_by_half_a_step_at_most(rows: Float32Array) -> None:
    found = quantize(rows)
    peaks = np.abs(rows).max(axis=1, keepdims=True).astype(np.float64)
    error = np.abs(found.rows * peaks / 127 - rows)
    assert (error <= peaks / 254 * 1.001).all()
    assert (np.abs(found.rows.astype(int)).max(axis=1) == np.where(peaks[:, 0] > 0, 127, 0)).all()


@given(directions)
def test_a_vector_has_unit_length_or_a_scale_of_zero(rows: Float32Array) -> None:
    found = quantize(rows)
    lengths = np.linalg.norm(found.rows * found.scales[:, None].astype(np.float64), axis=1)
    assert np.allclose(lengths, rows.any(axis=1), atol=1e-6)


@given(directions)
def test_a_vector_does_not_depend_on_others(rows: Float32Array) -> None:
    together = quantize(rows)
    for place in range(len(rows)):
        alone = quantize(rows[place : place + 1])
        assert alone.rows.tobytes() == together.rows[place].tobytes()
        assert alone.scales.tobytes() == together.scales[place].tobytes()


@pytest.mark.parametrize("part", [0.0, np.nan, np.inf, -np.inf, 1e-45])
def test_zero_and_infinite_directions_give_no_vector(part: float) -> None:
    found = quantize(np.array([[1, 2], [part, 0], [3, 4]], dtype=np.float32))
    assert found.rows[1].tolist() == [0, 0]
    assert found.scales[1] == 0
    assert (found.scales[[0, 2]] > 0).all()


def test_no_directions_give_no_vectors() -> None:
    found = quantize(np.zeros((0, 4), dtype=np.float32))
    assert found.rows.shape == (0, 4)
    assert found.scales.shape == (0,)
