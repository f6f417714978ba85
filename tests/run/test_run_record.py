"""One run at a time: the second is refused; what is dead holds nothing."""

import subprocess
import sys

import pytest

from ragassay.errors import ParameterError
from ragassay.run.run_record import lock

HOLD = """
import pathlib, sys, time
from ragassay.run.run_record import lock
with lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_is_refused_and_what_a_dead_process_left_does_not_block(tmp_path):
    (tmp_path / ".state").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        for _ in range(2):
            with pytest.raises(ParameterError, match="another run"), lock(tmp_path):
                pass
        process.kill()
    with lock(tmp_path):
        pass
    with lock(tmp_path):
        pass
