"""A kernel takes nothing from the user's home: no start-up file is executed with the notebook, nothing is written there."""

import json
import os
import subprocess
import sys
from pathlib import Path

from ragassay.run.execution import execute_notebook
from ragassay.run.parameter_file import run_settings

SETTINGS = {"allow": [], **dict.fromkeys((*run_settings.MODELS, run_settings.DEVICE), "")}
FOUND = "from IPython.paths import get_ipython_dir; print(get_ipython_dir())"


def test_ipython_keeps_to_the_folder_of_the_run(tmp_path, monkeypatch):
    startup = tmp_path / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("raise SystemExit('executed')")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(startup / "00.py"))
    with execute_notebook._kernel(SETTINGS, tmp_path / "trace"):
        folder = Path(os.environ["JUPYTER_PATH"].split(os.pathsep)[0])
        told = json.loads((folder / "kernels" / execute_notebook.KERNEL / "kernel.json").read_text())["env"]
        done = subprocess.run(
            [sys.executable, "-c", FOUND], env=os.environ | told, capture_output=True, text=True, check=True
        )
    assert done.stdout.strip().startswith(str(folder)) and told["PYTHONSTARTUP"] == ""
