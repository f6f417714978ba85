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

RUNNER = """
import os, sys, time
from ragassay.run.sealed_kernel import ForkedKernel
kernel = ForkedKernel(["kernel", "-f", sys.argv[1]], dict(os.environ), FOLDER)
print(kernel.pid, flush=True)
kernel.wait()
"""
ENDED = """
import os, sys
from ragassay.run.sealed_kernel import ForkedKernel
for end in ("terminate", "kill"):
    kernel = ForkedKernel(["kernel", "-f", sys.argv[1]], dict(os.environ), ".")
    getattr(kernel, end)()
    print(kernel.wait(), flush=True)
"""


def test_a_forked_kernel_can_be_ended(tmp_path):
    code = [sys.executable, "-c", ENDED, "k.json"]
    assert subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, timeout=120).stdout == "0\n0\n"


def test_a_forked_kernel_leads_a_group_of_its_own_and_dies_with_its_runner(tmp_path):
    code = [sys.executable, "-c", RUNNER.replace("FOLDER", repr(str(tmp_path))), "k.json"]
    runner = subprocess.Popen(code, stdout=subprocess.PIPE, text=True)
    kernel = int(runner.stdout.readline())
    assert os.getpgid(kernel) == kernel and runner.poll() is None
    runner.kill()
    runner.wait()
    assert gone(kernel)


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
