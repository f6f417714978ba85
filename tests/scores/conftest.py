"""What the tests of the scores share: the fake encoder, and two texts to compare."""

import numpy as np
import pytest
from fake_encoder import FakeEncoder


@pytest.fixture
def encode() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture(params=range(20), ids="seed={}".format)
def texts(request) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(request.param)
    return rng.normal(size=(rng.integers(1, 6), 8)), rng.normal(size=(rng.integers(1, 9), 8))
