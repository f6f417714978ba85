"""What all tests share: a cache of vectors of their own, kept between runs of the suite in one folder, and no network."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("RAGASSAY_CACHE", str(Path(tempfile.gettempdir()) / "ragassay-test-cache"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def pytest_collection_modifyitems(items: list) -> None:
    """What takes longest starts first: the whole kit, then whatever is slow."""
    items.sort(key=lambda item: (item.path.parent.name != "kit", item.get_closest_marker("slow") is None))
