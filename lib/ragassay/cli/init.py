"""`ragassay init`."""

import click

from ragassay.cli.options import replace_option
from ragassay.cli.terminal import say


@click.command()
@click.argument("name")
@replace_option
def init(name: str, replace: bool) -> None:
    """Write params/NAME.yml with every parameter of every notebook, commented, at its default."""
    from ragassay.run import engagement

    say(f"written: {engagement.write(name, replace=replace)}")
    say(f"next: set what departs from the defaults, then `ragassay run params/{name}.yml`")
