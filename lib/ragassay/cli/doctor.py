"""`ragassay doctor`."""

import sys

import click

from ragassay.cli.terminal import say


@click.command()
def doctor() -> None:
    """Say what this machine can do: versions, encoder, cache, seal, disk."""
    from ragassay.run import doctor as checks

    rows = checks.examine()
    for row in rows:
        say(f"  {'ok  ' if row.fine else 'FLAW'} {row.what:<16} {row.found}")
        if not row.fine:
            say(f"       {row.do}")
    sys.exit(0 if all(row.fine for row in rows) else 1)
