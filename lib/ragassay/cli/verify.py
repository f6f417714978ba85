"""`ragassay verify`."""

import sys
from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.terminal import say


@click.command()
@click.argument("run_dir", type=PATH)
@click.option(
    "--signed", default="", metavar="HASH", help="SHA-256 of SHA256SUMS, or a cover's of the manifest"
)
def verify(run_dir: Path, signed: str) -> None:
    """Check every file of RUN_DIR, its models and inputs, by their hashes;
    exit 1 if one is missing, differs or is not listed.
    """
    from ragassay.run import verification

    verdict = verification.verify(run_dir, signed)
    said = (("", verdict.flaws), ("note: ", verdict.notes), ("not checked: ", verdict.unchecked))
    for line in (f"  {word}{text}" for word, texts in said for text in texts):
        say(line)
    for name, sha256 in verdict.hashes.items():
        say(f"SHA-256 of {name}: {sha256}")
    agreed = f"every file agrees; {len(verdict.unchecked)} point(s) not checked, named above"
    say(f"{len(verdict.flaws)} flaw(s), named above" if verdict.flaws else agreed)
    sys.exit(1 if verdict.flaws else 0)
