"""`ragassay verify`."""

import sys
from pathlib import Path

import click

from ragassay.cli.options import FILE, PATH
from ragassay.cli.terminal import say

RERUN = "execute its notebooks again elsewhere, and name the first table that differs; it runs their code"


@click.command()
@click.argument("run_dir", type=PATH)
@click.option(
    "--signed", default="", metavar="HASH", help="SHA-256 of SHA256SUMS, or a cover's of the manifest"
)
@click.option("--key", "key_files", multiple=True, type=FILE, help="public key that must have signed it")
@click.option("--rerun", is_flag=True, help=RERUN)
def verify(run_dir: Path, signed: str, key_files: tuple[Path, ...], rerun: bool) -> None:
    """Check every file of RUN_DIR, its signatures, models and inputs, by their hashes;
    exit 1 if one is missing, differs or is not listed.
    """
    from ragassay.run.integrity import verification

    verdict = verification.verify(run_dir, signed, key_files, rerun=rerun)
    said = (("", verdict.flaws), ("note: ", verdict.notes), ("not checked: ", verdict.unchecked))
    for line in (f"  {word}{text}" for word, texts in said for text in texts):
        say(line)
    for name, sha256 in verdict.hashes.items():
        say(f"SHA-256 of {name}: {sha256}")
    agreed = f"every file agrees; {len(verdict.unchecked)} point(s) not checked, named above"
    say(f"{len(verdict.flaws)} flaw(s), named above" if verdict.flaws else agreed)
    sys.exit(1 if verdict.flaws else 0)
