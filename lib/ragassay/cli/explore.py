"""`ragassay explore`."""

import shlex
from pathlib import Path

import click

from ragassay import places
from ragassay.cli.options import PATH
from ragassay.cli.terminal import say


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--out", type=PATH, help="folder of the copy; RUN_DIR-explore if not given")
def explore(run_dir: Path, out: Path | None) -> None:
    """Copy RUN_DIR to try things in: the copy's notebooks read and write the copy,
    and the run stays as it is.
    """
    from ragassay.run import explore as exploring

    copy, project = exploring.copy(run_dir, out or "")
    away = places.of_run_folder(copy) != project  # then its inputs would not be found
    told = f"{places.ROOT}={shlex.quote(str(project))} " if away else ""
    say(f"copied to {copy}")
    say(f"next: {told}jupyter lab {shlex.quote(str(copy / 'notebooks'))}")
    say(f"then: ragassay report {shlex.quote(str(copy))} builds a report of what it holds")
