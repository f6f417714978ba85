"""A kernel goes with the runner that started it; its key is nowhere to be read; it takes nothing from the user's home."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragassay.run import execute_notebook, run
from ragassay.run.engagement import SETTINGS
from run.conftest import DECIDE, PARAMETERS, notebook

ORPHAN = """
import os, subprocess, sys
kernel = "import os, time; from ragassay.network_seal import die_with; die_with(int(os.environ['JPY_PARENT_PID'])); print(os.getpid(), flush=True); time.sleep(60)"
subprocess.run([sys.executable, "-c", kernel], env=os.environ | {"JPY_PARENT_PID": str(os.getpid() + SHIFT)})
"""


def started(shift: int) -> tuple[subprocess.Popen, int | None]:
    code = ORPHAN.replace("SHIFT", str(shift))
    runner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    said = runner.stdout.readline().strip()
    return runner, int(said) if said else None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PR_SET_PDEATHSIG is Linux's")
def test_a_kernel_dies_with_its_runner_and_without_one_does_not_start():
    runner, kernel = started(0)
    runner.kill()
    runner.wait()
    assert gone(kernel)
    runner, kernel = started(1)
    runner.wait()
    assert kernel is None


def gone(process: int, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if "State:\tZ" in Path(f"/proc/{process}/status").read_text(encoding="utf-8"):
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_the_key_of_a_kernel_is_nowhere_to_be_read(engagement):
    """Whoever reads a kernel's connection file may have it execute code: it is gone before a cell is executed."""
    look = "import sys, pathlib; assert not pathlib.Path(sys.argv[sys.argv.index('-f') + 1]).exists(), 'it is there'"
    notebook(engagement / "notebooks/07_conclusion.ipynb", PARAMETERS + "\nfactor: float = 1.0", look, DECIDE)
    assert run(Path("tiny.yml"), render=False).exit_code == 0


def test_a_kernel_starts_without_what_only_the_runner_needs():
    code = "import sys, ragassay.run.sealed_kernel; print(sorted({'pandas', 'scipy', 'ragassay.scores', 'ragassay.run.runner'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ipython_keeps_to_the_folder_of_the_run(tmp_path, monkeypatch):
    """No start-up file of the user's home is executed with a notebook."""
    startup = tmp_path / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("raise SystemExit('executed')")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(startup / "00.py"))
    find = "from IPython.paths import get_ipython_dir; print(get_ipython_dir())"
    with execute_notebook._kernel({each.name: each.default for each in SETTINGS}, tmp_path / "trace"):
        folder = Path(os.environ["JUPYTER_PATH"].split(os.pathsep)[0])
        spec = json.loads((folder / "kernels" / execute_notebook.KERNEL / "kernel.json").read_text())
        done = subprocess.run([sys.executable, "-c", find], env=os.environ | spec["env"], capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.strip().startswith(str(folder)) and spec["env"]["PYTHONSTARTUP"] == ""
