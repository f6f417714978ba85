"""Runs that are executed: tiny notebooks that misbehave, odd names of parameter files, and a few whole runs over hostile logs."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from hostile import files, payloads, rows
from hostile.run_files import KIT
from hostile.sandbox import Sandbox
from hostile.trial import Trial
from run.conftest import COUNT, PARAMETERS, notebook

SAYS = 'print("\\x1b[2J\\u202e" + "x" * {n})'
CELLS = {
    "a kernel that dies": "import os; os._exit(3)",
    "a kernel that is killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "a cell that fails with escapes": "raise ValueError('\\x1b[31m\\u202e' + 'x' * 5000)",
    "a cell that exits": "import sys; sys.exit(5)",
    "a cell that hangs": "import time; time.sleep(600)",
    "a line of 5 MB": SAYS.format(n=5_000_000),
    "escapes": SAYS.format(n=3),
    "html": 'from IPython.display import HTML, display; display(HTML("<script>x</script>" * 50))',
    "a table of another": 'from pathlib import Path; Path(run_dir, \'count.json\').write_text(\'{"text": "forged", "seed": 1}\')',
    "os.chdir": "import os; os.chdir('/')",
    "json patched": "import json; json.dumps = json.loads = None",
    "no syntax": "if True print(1)",
}
DIES = (
    "a kernel that dies",
    "a kernel that is killed",
    "a cell that fails with escapes",
    "no syntax",
    "a cell that hangs",
)


def tiny(random: Random, sandbox: Sandbox) -> Trial:
    """The tiny engagement with one cell that misbehaves, a notebook missing or broken, or a file with an odd name."""
    about = random.choice([*CELLS, *SHAPES, "a name", "a name", "reports"])
    folder, parameters, reports = sandbox.work / "notebooks", "tiny.yml", "new"
    if about in CELLS:
        notebook(folder / "00_scope.ipynb", _scope(sandbox), COUNT)
        notebook(folder / "03_between.ipynb", PARAMETERS, CELLS[about])
        (sandbox.work / "tiny.yml").write_text("run: {cell_timeout_s: 3}\n")
    elif about in SHAPES:
        SHAPES[about](folder)
    elif about == "a name":
        parameters = random.choice([name for name in payloads.NAMES if len(name) < 100]) + ".yml"
        (sandbox.work / parameters).write_text("00_scope:\n  seed: 3\n")
        about = f"a name: {parameters!r}"
    else:
        reports = random.choice(
            ["log.jsonl", "log.jsonl/x", "/dev/null", "/proc/x", "", "../beside", "new\n\x1b[31m", "..."]
        )
        about = f"reports: {reports!r}"
    words = ["--reports", reports, "--", parameters]
    return Trial(("run",), f"tiny run: {about}", words, _places(reports), refused=about in DIES, bound_s=90)


def _places(reports: str) -> list[str]:
    """What may be written; "" is the working folder: the run folders in it."""
    return (
        ["tiny"]
        if reports == ""
        else []
        if reports.startswith(("/", "..", "log")) and reports != "..."
        else [reports]
    )


def _scope(sandbox: Sandbox) -> str:
    """The parameters cell of the tiny scope, as it is there."""
    import nbformat

    return nbformat.read(sandbox.work / "notebooks" / "00_scope.ipynb", as_version=4).cells[1].source


def _written(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(content) and None


SHAPES: dict[str, Callable[[Path], None]] = {
    "no conclusion": lambda folder: (folder / "07_conclusion.ipynb").unlink(),
    "no notebooks": lambda folder: shutil.rmtree(folder),
    "a notebook that is no JSON": _written("03_x.ipynb", "{ broken"),
    "a notebook of nothing": _written("03_x.ipynb", "{}"),
    "a notebook nested": _written("03_x.ipynb", "[" * 50_000),
    "a notebook that is a folder": lambda folder: (folder / "03_x.ipynb").mkdir(),
    "a notebook that is a pipe": lambda folder: (folder / "03_x.ipynb").symlink_to("/dev/zero"),
}


def of_a_log(random: Random, sandbox: Sandbox) -> Trial:
    """The kit's own notebooks over a log with hostile cells: the report is built, or the rows at fault are named."""
    shutil.rmtree(sandbox.work / "notebooks")
    shutil.copytree(KIT, sandbox.work / "notebooks")
    made = rows.hostile(rows.log(30), random)
    files.jsonl(made, sandbox.work / "hostile.jsonl", sandbox.markers)
    text = "00_scope: {answers_log: hostile.jsonl, system: s}\n01_test_generation: {picture: pca}\n"
    (sandbox.work / "hostile.yml").write_text(text + "04_calibration: {examine_instruments: false}\n")
    return Trial(
        ("run",), "a whole run over a hostile log", ["--reports", "new", "hostile.yml"], ["new"], bound_s=600
    )
