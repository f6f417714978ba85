"""`ragassay convert`: a log of one tool as a log of another."""

from pathlib import Path

import click

from ragassay.cli.options import PATH, replace_option
from ragassay.cli.terminal import say

PAIRS = "which column of yours is which of ours: question=prompt"


@click.command()
@click.argument("log", type=PATH)
@click.option(
    "--to", "schema", required=True, metavar="TOOL", help="whose columns to write: ragas, deepeval, ..."
)
@click.option("--out", required=True, type=PATH, help="where they go: .jsonl, .json, .csv or .tsv")
@click.option("--map", "pairs", multiple=True, metavar="OURS=THEIRS", help=PAIRS)
@replace_option
def convert(log: Path, schema: str, out: Path, pairs: tuple[str, ...], replace: bool) -> None:
    """Write the answers in LOG, which may be of any tool, as TOOL names its columns;
    what TOOL has no name for keeps the name it has.
    """
    import pandas as pd

    from ragassay import output_files
    from ragassay.answers import export, open_answers, write_answers
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.answers.log_formats.detection import schema_named
    from ragassay.show import clean

    schema_named(schema)
    output_files.check(export.check_output_path(out), inputs=[log], replace=replace)
    opened = open_answers(log, mapping=parse_mapping(pairs))
    say(clean(opened.description(), 500), err=True)
    answers = pd.concat(list(opened), ignore_index=True)
    for flaw in opened.flaws:
        say(clean(flaw, 400), err=True)
    say(f"written: {write_answers(answers, out, schema)}")
