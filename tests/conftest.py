"""What all tests share: a cache of vectors of their own, kept between runs of the suite in one folder, and no network."""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, max_examples=50)  # equal everywhere
settings.register_profile("fast", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("wild", deadline=None, max_examples=1000)  # others each time: make wild
settings.load_profile("suite")
gc.disable()  # until all tests are collected
os.environ.setdefault("RAGASSAY_CACHE", str(Path(tempfile.gettempdir()) / "ragassay-test-cache"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def simulations(request) -> Callable[..., int]:
    """How many simulations to run of those that a docstring quotes: all with --simulate (`make simulate`), else
    one in `part`, a fifth unless the test says otherwise, 20 at least.

    A test that asks for it states its bounds in standard errors of the number it gets, so a short run is a weaker test and not a wrong one.
    """
    whole = request.config.getoption("--simulate")
    return lambda quoted, part=5: quoted if whole else min(quoted, max(quoted // part, 20))


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory) -> Path:
    """A tiny engagement with its finished run and its report, made once."""
    from run.conftest import finish

    return finish(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def finished(finished_once, tmp_path) -> Path:
    """A copy of it of the test's own; its run folder, `reports/tiny` below a project."""
    shutil.copytree(finished_once, tmp_path / "project")
    return tmp_path / "project" / "reports" / "tiny"


@pytest.fixture(scope="session")
def part_of_the_bank(tmp_path_factory) -> Path:
    """A fourth of the bundled documents, in three languages: the same for all tests, so that the vectors of their
    passages are computed once."""
    from ragassay import provenance

    folder = tmp_path_factory.mktemp("bank")
    for path in sorted(provenance.source("bundled:documents").glob("*.[!c]*"))[1::4]:
        shutil.copy(path, folder)
    return folder


def pytest_addoption(parser) -> None:
    parser.addoption(
        "--simulate", action="store_true", help="simulations at the length that docstrings quote"
    )


def pytest_configure(config) -> None:
    """A cell put twice into a notebook is a mistake of the test, or of the library: nbformat renames it."""
    config.addinivalue_line("filterwarnings", "error:Non-unique cell id")


def pytest_collection_finish() -> None:
    """What thousands of tests are made of is not looked through again by every collection of garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list) -> None:
    """Simulations are marked; what takes longest starts first, and the fast tests fill both workers at the end.

    While one worker makes the small bank's run, the other does what is slow and needs none.
    """
    for item in items:
        if "simulations" in item.fixturenames:
            item.add_marker(pytest.mark.simulation)
            item.add_marker(pytest.mark.slow)
    order = {"test_in_use": 0, "test_systems": 1}
    items.sort(key=lambda item: order.get(item.path.stem, 2 if item.get_closest_marker("slow") else 4))
