"""Names of the last release still import, say their new name once, and are the very modules of today."""

import importlib
import subprocess
import sys
import warnings

import pytest

from ragassay import renamed

SHOWN_BEFORE = {  # what README and the notebooks of the last release let a user write
    "from ragassay.verdicts import small_judge": "ragassay.examination.small_judge",
    "import ragassay.verdicts.small_judge": "ragassay.examination.small_judge",
    "from ragassay.verdicts.labelling import widget": "ragassay.labels.widget",
    "import ragassay.results": "ragassay.api",
    "from ragassay.results import Scores, calibrate": "ragassay.api",
    "from ragassay.verdicts.curves import from_json": "ragassay.calibration.calibrators",
}
STILL_THERE = (
    "import ragassay; ragassay.score; ragassay.calibrate",
    "from ragassay.models.judge import Judge",
)


def python(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-W", "always::DeprecationWarning:__main__", "-c", code],
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("statement", SHOWN_BEFORE)
def test_an_old_name_imports_and_warns(statement):
    done = python(f"{statement}; import sys; assert {SHOWN_BEFORE[statement]!r} in sys.modules")
    assert done.returncode == 0, done.stderr
    assert "DeprecationWarning: ragassay." in done.stderr and " is now ragassay." in done.stderr


@pytest.mark.parametrize("statement", STILL_THERE)
def test_a_name_that_stayed_does_not_warn(statement):
    done = python(statement)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("old, new", renamed.NEW_NAMES.items())
def test_every_old_module_is_the_new_one(old, new):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert importlib.import_module(old) is importlib.import_module(new)


def test_a_name_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"ragassay\.verdicts\.nothing"):
        importlib.import_module("ragassay.verdicts.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"ragassay\.nothing"):
        importlib.import_module("ragassay.nothing")
