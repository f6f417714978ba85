"""`ragassay demo`."""

import sys
import webbrowser
from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.run import has_screen, say_outcome
from ragassay.cli.terminal import say

FOLDER = Path("ragassay-demo")


@click.command()
@click.option(
    "--out", type=PATH, default=Path("ragassay-demo"), show_default=True, help="folder that is made"
)
@click.option("--open", "open_report", is_flag=True, help="open the report in a browser, where there is one")
def demo(out: Path, open_report: bool) -> None:
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
    if open_report and has_screen():
        webbrowser.open(outcome.documents["html"].resolve().as_uri())
    sys.exit(0)
