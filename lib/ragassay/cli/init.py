"""`ragassay init`."""

import click


@click.command()
@click.argument("name")
def init(name: str) -> None:
    """Write params/NAME.yml with every parameter of every notebook, commented, at its default."""
    from ragassay.run import engagement

    click.echo(f"written: {engagement.write(name)}")
    click.echo(f"next: set what departs from the defaults, then `ragassay run params/{name}.yml`")
