"""Names of the last release still import, say their new name once, and are the very modules of today."""

import importlib
import json
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


EACH_ANEW = """
import json, sys, warnings

finders = list(sys.meta_path)
for statement in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "ragassay"]:
        del sys.modules[name]
    sys.meta_path[:] = finders
    with warnings.catch_warnings(record=True) as said:
        warnings.filterwarnings("always", category=DeprecationWarning, module="__main__")
        exec(statement, {"__name__": "__main__"})
    print(json.dumps([[str(one.message) for one in said], [n for n in sys.modules if n.startswith("ragassay")]]))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, list]:
    """Of each statement, carried out where nothing of ragassay is loaded: what was said, what is loaded then."""
    statements = [*SHOWN_BEFORE, *STILL_THERE]
    done = subprocess.run(
        [sys.executable, "-c", EACH_ANEW, json.dumps(statements)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(zip(statements, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("statement", SHOWN_BEFORE)
def test_an_old_name_imports_and_warns(statement, imported):
    said, loaded = imported[statement]
    assert SHOWN_BEFORE[statement] in loaded
    assert any(line.startswith("ragassay.") and " is now ragassay." in line for line in said)


@pytest.mark.parametrize("statement", STILL_THERE)
def test_a_name_that_stayed_does_not_warn(statement, imported):
    assert imported[statement][0] == []


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
