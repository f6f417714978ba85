"""`ragassay report`."""

from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.terminal import say


@click.command()
@click.argument("run_dir", type=PATH)
def report(run_dir: Path) -> None:
    """Build the report anew from what RUN_DIR holds, finished or not."""
    from ragassay.report import build

    for path in build(run_dir).values():
        say(f"  {path}")
