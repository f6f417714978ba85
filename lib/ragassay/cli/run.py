"""`ragassay run`."""

import os
import sys
import webbrowser
from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.terminal import say

REPORTS = Path("reports")


@click.command()
@click.argument("parameters", type=PATH)
@click.option("--reports", type=PATH, default=REPORTS, show_default=True, help="folder of the run folders")
@click.option("--fresh", is_flag=True, help="ask every question again; the answers of before are set aside")
@click.option("--dry-run", is_flag=True, help="say how many questions would be asked, at what cost; ask none")
@click.option("--open", "open_report", is_flag=True, help="open the report in a browser, where there is one")
def run(parameters: Path, reports: Path, open_report: bool, fresh: bool, dry_run: bool) -> None:
    """Execute the notebooks as PARAMETERS says and build the report;
    an interrupted run goes on where it stopped.
    """
    if dry_run:
        _say_what_would_be_asked(parameters, reports)
        return
    from ragassay.run import run as run_notebooks

    outcome = run_notebooks(parameters, reports=reports, fresh=fresh)
    for path in outcome.documents.values():
        say(f"  {path}")
    say(f"SHA-256 of SHA256SUMS: {outcome.sha256}")
    say(f"decision: {outcome.rating} (exit code {outcome.exit_code})")
    for sentence in outcome.rationale:
        say(f"  {sentence}")
    if open_report and _has_screen():
        webbrowser.open(outcome.documents["html"].resolve().as_uri())
    sys.exit(outcome.exit_code)


def _say_what_would_be_asked(parameters: Path, reports: Path) -> None:
    from ragassay.run import dry_run

    for line in dry_run.in_lines(parameters, reports):
        say(line)


def _has_screen() -> bool:
    named = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform in ("win32", "darwin") or bool(named)
