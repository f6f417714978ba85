"""One run at a time: the second is told who holds the folder; what is dead holds nothing."""

import json
import os
import subprocess
import sys

import pytest

from ragassay.errors import ParameterError
from ragassay.run.run_record import LOCK, lock

HOLD = """
import fcntl, os, pathlib, sys, time
file = open(sys.argv[1], "a+")
fcntl.flock(file, fcntl.LOCK_EX)
file.write(sys.argv[2])
file.flush()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def run_dir(tmp_path):
    (tmp_path / ".state").mkdir()
    return tmp_path


def held_elsewhere(run_dir, says):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(run_dir / LOCK), says], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_is_told_who_holds_it_and_the_first_keeps_it(run_dir):
    with lock(run_dir):
        for _ in range(2):
            with pytest.raises(ParameterError, match="another run") as told, lock(run_dir):
                pass
            assert f"process {os.getpid()} on " in str(told.value) and "since 20" in str(told.value)
        assert json.loads((run_dir / LOCK).read_text())["process"] == os.getpid()
    with lock(run_dir):
        pass
    assert (run_dir / LOCK).read_text() == ""


def test_what_a_dead_process_left_does_not_block(run_dir):
    process = held_elsewhere(run_dir, '{"process": 1, "machine": "m", "since": "s"}')
    with pytest.raises(ParameterError, match="process 1 on m, since s"), lock(run_dir):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    with lock(run_dir):
        assert json.loads((run_dir / LOCK).read_text())["process"] == os.getpid()


@pytest.mark.parametrize("says", ["", "no JSON", "[1]", "[" * 2000])
def test_a_holder_that_says_nothing_of_use_holds_it_all_the_same(run_dir, says):
    process = held_elsewhere(run_dir, says)
    with pytest.raises(ParameterError, match="has not said who it is"), lock(run_dir):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
