"""A kernel goes with the runner that started it, whoever adopts it."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragassay.run import run
from run.conftest import DECIDE, PARAMETERS, notebook

ORPHAN = """
import os, subprocess, sys
kernel = "import os, time; from ragassay.run.execution import sealed_kernel; sealed_kernel._die_with_the_runner(); print(os.getpid(), flush=True); time.sleep(60)"
subprocess.run([sys.executable, "-c", kernel], env=os.environ | {"JPY_PARENT_PID": str(os.getpid() + SHIFT)})
"""


def started(shift: int = 0) -> tuple[subprocess.Popen, int | None]:
    runner = subprocess.Popen(
        [sys.executable, "-c", ORPHAN.replace("SHIFT", str(shift))], stdout=subprocess.PIPE, text=True
    )
    said = runner.stdout.readline().strip()
    return runner, int(said) if said else None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PR_SET_PDEATHSIG is Linux's")
def test_a_kernel_dies_with_its_runner():
    runner, kernel = started()
    runner.kill()
    runner.wait()
    assert gone(kernel)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PR_SET_PDEATHSIG is Linux's")
def test_a_kernel_whose_runner_is_gone_already_does_not_start():
    runner, kernel = started(shift=1)
    runner.wait()
    assert kernel is None


def gone(process: int, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if "State:\tZ" in status(process):
            return True
        time.sleep(0.05)
    return False


def status(process: int) -> str:
    try:
        return Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return ""


@pytest.mark.slow
def test_the_key_of_a_kernel_is_nowhere_to_be_read(engagement):
    """Whoever reads a kernel's connection file may have it execute code: it is gone before a cell is executed."""
    look = "import sys, pathlib; assert not pathlib.Path(sys.argv[sys.argv.index('-f') + 1]).exists(), 'it is there'"
    notebook(engagement / "notebooks/07_conclusion.ipynb", PARAMETERS + "\nfactor: float = 1.0", look, DECIDE)
    assert run(Path("tiny.yml"), render=False).exit_code == 0


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is not installed: the audit hook's own tests remain"
)
def test_no_system_call_reaches_for_the_network(engagement):
    """A whole run under strace: no internet socket is connected, by any process of it."""
    command = [
        "strace",
        "-f",
        "--seccomp-bpf",  # only these calls stop the process
        "-e",
        "trace=connect,sendto,sendmsg",
        "-o",
        "calls",
        sys.executable,
        "-c",
        "from pathlib import Path; from ragassay.run import run; run(Path('tiny.yml'), render=False)",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ptrace" in done.stderr.lower() and done.returncode:
        pytest.skip("this machine lets no process be traced")
    assert done.returncode == 0, done.stderr
    calls = (engagement / "calls").read_text()
    assert "connect(" in calls  # Unix sockets of the kernels: the tracing works
    assert "AF_INET" not in calls


def test_a_kernel_starts_without_what_only_the_runner_needs():
    code = "import sys, ragassay.run.execution.sealed_kernel; print(sorted({'pandas', 'scipy', 'ragassay.scores', 'ragassay.run.runner'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
