"""The run folder and its reports, made once for all tests of this room."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory) -> Path:
    """The run folder: 01 and 06 missing, 05 failed."""
    from small_run import make_run

    return make_run(tmp_path_factory.mktemp("run") / "tide-assistant")


@pytest.fixture(scope="session")
def built(run_dir) -> dict[str, Path]:
    """Both reports of that run."""
    from ragassay import report

    return report.build(run_dir)
