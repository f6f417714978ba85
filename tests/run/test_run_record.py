"""One run at a time: the second is told who holds the folder; what is dead holds nothing."""

import os
import subprocess
import sys

import pytest

from ragassay.errors import ParameterError
from ragassay.run.run_record import LOCK, lock

HOLD = """
import pathlib, sys, time
from ragassay.run.run_record import lock
with lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def run_dir(tmp_path):
    (tmp_path / ".state").mkdir()
    return tmp_path


def test_the_second_is_told_who_holds_it_and_the_first_keeps_it(run_dir):
    with lock(run_dir):
        for _ in range(2):
            with pytest.raises(ParameterError, match="another run") as refused, lock(run_dir):
                pass
            assert f"process {os.getpid()} on " in refused.value.found and "since 20" in refused.value.found
    with lock(run_dir):
        pass
    assert (run_dir / LOCK).read_text() == ""


def test_what_a_dead_process_left_does_not_block(run_dir):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, run_dir], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(ParameterError, match=f"process {process.pid} on"), lock(run_dir):
            pass
        process.kill()
    with lock(run_dir):
        assert f"process {os.getpid()}" in (run_dir / LOCK).read_text()
