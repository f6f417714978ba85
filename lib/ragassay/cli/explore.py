"""`ragassay explore`."""

import contextlib
import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from ragassay import search_paths
from ragassay.cli.options import PATH
from ragassay.cli.terminal import is_terminal, say
from ragassay.errors import install


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--out", type=PATH, help="folder of the copy; RUN_DIR-explore if not given")
@click.option("--no-open", is_flag=True, help="copy and say how JupyterLab is opened, but do not open it")
def explore(run_dir: Path, out: Path | None, no_open: bool) -> None:
    """Copy RUN_DIR to try things in, and open JupyterLab there: the copy's notebooks read and write the copy,
    and the run stays as it is. Without a terminal nothing is opened.
    """
    from ragassay.run import explore as exploring

    copy, project = exploring.copy(run_dir, out or "")
    away = search_paths.of_run_folder(copy) != project  # then its inputs would not be found
    told = f"{search_paths.ROOT}={shlex.quote(str(project))} " if away else ""
    say(f"copied to {copy}")
    say(f"next: {told}jupyter lab {shlex.quote(str(copy / 'notebooks'))}")
    say(f"then: ragassay report {shlex.quote(str(copy))} builds a report of what it holds")
    say("      ragassay adopt NOTEBOOK takes a changed notebook into the engagement")
    if importlib.util.find_spec("jupyterlab") is None:
        say(f"JupyterLab is not installed; {install('lab')}")
    elif not no_open and is_terminal():
        _open(copy / "notebooks", project)


def _open(notebooks: Path, project: Path) -> None:
    """JupyterLab, until somebody ends it."""
    words = [sys.executable, "-m", "jupyterlab", str(notebooks)]
    with contextlib.suppress(KeyboardInterrupt):
        subprocess.run(words, env=os.environ | {search_paths.ROOT: str(project)}, check=False)
