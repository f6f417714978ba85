"""What the tests of the scores share: the fake encoder, and two texts to compare."""

import numpy as np
import pytest
from fake_encoder import FakeEncoder
from fake_tools import INSTRUMENTS

from ragassay.scores import metric


@pytest.fixture(autouse=True)
def rules_for_models(request, monkeypatch):
    """Fast tests use rules in place of models wherever they give none."""
    if "slow" not in request.keywords:
        monkeypatch.setattr(metric, "_of_models", lambda name, asked: INSTRUMENTS[name](asked))


@pytest.fixture
def encode() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture(params=range(20), ids="seed={}".format)
def texts(request) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(request.param)
    return rng.normal(size=(rng.integers(1, 6), 8)), rng.normal(size=(rng.integers(1, 9), 8))
