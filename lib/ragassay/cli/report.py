"""`ragassay report`."""

from pathlib import Path

import click

from ragassay.cli.options import PATH
from ragassay.cli.terminal import say
from ragassay.errors import InputError

MARKS = (".state", "manifest.json", "engagement.json", "tables", "sections")  # what a run leaves


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--template", type=PATH, help="A .docx or .dotx of yours: the Word file takes its look.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(["html", "pdf", "docx"]),
    multiple=True,
    help="Write this format alone; may be given more than once. By default all three.",
)
def report(run_dir: Path, template: Path | None, formats: tuple[str, ...]) -> None:
    """Build the report anew from what RUN_DIR holds, finished or not, and list its files in SHA256SUMS."""
    from ragassay import provenance
    from ragassay.report import FORMATS, build
    from ragassay.run.integrity import checksums, manifest

    if not any((provenance.find(run_dir) / name).exists() for name in MARKS):
        what, do = "there is no run to report on", "name a run folder, such as reports/bank"
        raise InputError(what, where=run_dir, found="not what a run leaves", do=do)
    documents, folder = build(run_dir, template, formats or FORMATS), provenance.source(run_dir)
    for text in manifest.changed_files(folder):
        say(f"  not as the run made it, run again before signing: {text}", err=True)
    for path in documents.values():
        say(f"  {path}")
    say(f"SHA-256 of {checksums.FILE}: {checksums.write(folder)}")
