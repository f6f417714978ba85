"""What confines a process, in one of its own: it cannot be undone."""

import os
import subprocess
import sys

import pytest

from ragassay.assistant import sandbox

TRY = """
import os, sys
from pathlib import Path
from ragassay.assistant import sandbox
{before}
print(sandbox.confine([Path(sys.argv[1])], os.getppid()))
for path in sys.argv[2:]:
    try:
        Path(path).write_text("x")
        print("written")
    except OSError as refusal:
        print(type(refusal).__name__)
"""


def confined(*paths: object, before: str = "") -> list[str]:
    command = [sys.executable, "-c", TRY.format(before=before), *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.skipif(not sandbox.landlock_abi(), reason="this system has no Landlock")
@pytest.mark.parametrize("abi", [1, 2, 3, 4, 5, 6, 7])
def test_it_writes_below_its_folder_and_to_the_null_device_alone(tmp_path, abi):
    if abi > sandbox.landlock_abi():
        pytest.skip("this system's Landlock is older")
    (tmp_path / "own").mkdir()
    lines = confined(
        tmp_path / "own",
        tmp_path / "own" / "a",
        tmp_path / "b",
        os.devnull,
        before=f"sandbox.landlock_abi = lambda: {abi}",
    )
    assert lines[1:] == ["written", "PermissionError", "written"]
    assert lines[0] == f"writes outside its own folder and cache refused by Landlock (ABI {abi})"


def test_a_process_whose_parent_is_gone_does_not_start(tmp_path):
    code = "from ragassay.assistant import sandbox; sandbox.die_with(0); print('alive')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "") or not sys.platform.startswith("linux")
