"""`ragassay verify`."""

import sys
from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.terminal import say


@click.command()
@click.argument("run_dir", type=PATH)
def verify(run_dir: Path) -> None:
    """Recompute every hash in RUN_DIR's manifest; exit 1 if a file is missing or differs."""
    from ragassay.run import manifest

    flaws = manifest.verify(run_dir)
    for flaw in flaws:
        say(f"  {flaw['file']}: expected {flaw['expected'][:16]}, found {flaw['found'][:16]}")
    say(f"SHA-256 of the manifest: {manifest.sha256(run_dir)}")
    differ = f"{len(flaws)} file(s) differ from the manifest"
    say(differ if flaws else "every file agrees with the manifest")
    sys.exit(1 if flaws else 0)
