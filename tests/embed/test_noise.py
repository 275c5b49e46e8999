"""The noise of models: that of the package's own is the recorded one."""

import numpy as np

from clew.embed.models import open_model
from clew.embed.noise import BUILTIN_NOISE, NOISE_MAX, measured_noise
from clew.embed.quantized import quantize
from tests.encoders import FakeEncoder


def test_the_recorded_noise_is_that_of_the_model() -> None:
    encoder = open_model("builtin")
    assert encoder.noise == BUILTIN_NOISE == measured_noise(encoder.encode)


def test_another_model_is_measured_once() -> None:
    encoder = FakeEncoder()
    assert 0 < encoder.noise < NOISE_MAX
    assert len(encoder.take_encoded()) > 50
    assert encoder.noise > 0
    assert not encoder.take_encoded()


def test_a_model_that_finds_all_texts_alike_has_the_most_noise() -> None:
    assert measured_noise(lambda texts: quantize(np.ones((len(texts), 4), np.float32))) == NOISE_MAX


def test_a_model_that_knows_none_of_the_texts_has_no_noise() -> None:
    assert measured_noise(lambda _: quantize(np.zeros((60, 4), np.float32))) == 0
