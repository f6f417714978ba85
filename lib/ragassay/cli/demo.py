"""`ragassay demo`."""

import sys
from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.run import say_outcome
from ragassay.cli.terminal import say


@click.command()
@click.option(
    "--out", type=PATH, default=Path("ragassay-demo"), show_default=True, help="folder that is made"
)
def demo(out: Path) -> None:
    """Try the kit: the bundled bank's assistant validated on eight of its documents, in minutes.

    The folder holds its documents, questions, labels and parameters, to be changed and run again. Exit code 0
    once the report is there, whatever it decides.
    """
    from ragassay import run
    from ragassay.run import demo as demonstration

    parameters = demonstration.write(out)
    outcome = run.run(parameters, reports=out / "reports")
    say_outcome(outcome, 0)
    say(f"the report: {outcome.documents['html']}")
    say(f"change {parameters} and run it again: ragassay run {parameters} --reports {out / 'reports'}")
    sys.exit(0)
