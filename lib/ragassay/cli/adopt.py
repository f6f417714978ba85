"""`ragassay adopt`."""

from pathlib import Path

import click

from ragassay.cli.options import FILE, replace_option
from ragassay.cli.terminal import say

ENGAGEMENT = "the engagement's YAML; that of the run in whose copy the notebook lies if not given"
NAME = "the notebook of the kit that it stands for, or a new one; its file's name if not given"


@click.command()
@click.argument("notebook", type=FILE)
@click.option("--engagement", type=FILE, help=ENGAGEMENT)
@click.option("--as", "name", default="", metavar="NAME", help=NAME)
@replace_option
def adopt(notebook: Path, engagement: Path | None, name: str, replace: bool) -> None:
    """Take a changed NOTEBOOK into an engagement, which runs it from then on in place of the kit's.

    It goes to params/ENGAGEMENT/notebooks/, without what a run has left in it. The report names what departs
    from the kit's.
    """
    from ragassay.run.execution import adopted_notebooks

    engagement = engagement or adopted_notebooks.engagement_of(notebook)
    adopted = adopted_notebooks.adopt(notebook, engagement, name, replace=replace)
    say(f"adopted: {adopted}")
    for parameter in adopted_notebooks.overruled(adopted, engagement):
        say(f"{parameter}: the value in {engagement} counts, not the notebook's; change it there")
    say(f"next: ragassay run {engagement}")
