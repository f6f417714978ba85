"""`ragassay convert`: a log of one tool as a log of another; what of it is read as what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import PATH, map_option, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

TO = "whose file to write: ragas, deepeval, promptfoo, otel_genai, junit, ..."
LIST = "print which columns are read as which, of LOG or of every tool, and write nothing"


@click.command()
@click.argument("log", required=False, type=PATH)
@click.option("--to", "tool", default="", metavar="TOOL", help=TO)
@click.option("--out", type=PATH, help="where they go: .jsonl, .json, .csv or .tsv; .xml for junit")
@map_option
@click.option("--schema", default="", help="the tool LOG comes from; detected where it is not named")
@click.option("--list", "listing", is_flag=True, help=LIST)
@replace_option
def convert(
    log: Path | None,
    tool: str,
    out: Path | None,
    pairs: tuple[str, ...],
    schema: str,
    listing: bool,
    replace: bool,
) -> None:
    """Write the answers in LOG, which may be of any tool, as TOOL names its columns;
    what TOOL has no name for keeps the name it has, and scores come along. Of a LOG without answers its
    questions are written, with what is known of them.
    """
    from ragassay import output_files
    from ragassay.answers import open_answers
    from ragassay.answers.answer_batches import mapping_lines
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.api import tool_file_export
    from ragassay.show import clean

    if listing and log is None:
        _list_tools()
        return
    if log is None or not (listing or (tool and out)):
        raise click.UsageError("Name LOG with --to TOOL and --out FILE, or --list.")
    target = None if listing else out
    if target:
        output_files.check(tool_file_export.check_path(tool, target), inputs=[log], replace=replace)
    opened = open_answers(log, mapping=parse_mapping(pairs), schema=schema)
    say(clean(opened.description(), 500), err=True)
    if target:
        say(f"written: {_write(opened, tool, target)}")
    else:
        for _ in opened:
            pass
    for line in mapping_lines(opened.mapped()):
        say(clean(line, 200), err=bool(target))
    for flaw in opened.flaws:
        say(clean(flaw, 400), err=True)


def _write(opened: Any, tool: str, out: Path) -> Path:
    """Write the file of a tool; of a log without answers its questions, without a system made up."""
    import pandas as pd

    from ragassay.answers import write_answers
    from ragassay.answers.log_formats import tool_scores
    from ragassay.api import tool_file_export

    if opened.holds("answer"):
        if tool != tool_file_export.JUNIT:
            return write_answers(opened, out, tool)
        rows = [tool_scores.as_scores(batch).assign(repeat=0) for batch in opened]
        return tool_file_export.write_junit(pd.concat(rows, ignore_index=True), out, {})
    if tool == tool_file_export.JUNIT:
        do = "name a log with answers, or another tool: questions alone can be written for it"
        raise ParameterError("there are no answers that could pass or fail", found=opened.columns, do=do)
    say("no column holds answers: the questions are written, with what is known of them", err=True)
    made_up = [name for name in ("system", "repeat") if not opened.holds(name)]
    return write_answers((batch.drop(columns=made_up) for batch in opened), out, tool)


def _list_tools() -> None:
    from ragassay.answers.log_formats import SCHEMAS, tool_scores

    for schema in list(SCHEMAS.values())[2:]:
        say(f"{schema.name}: {schema.tool}")
        for ours, theirs in schema.columns.items():
            say(f"  {theirs.replace('|', ' or ')}  {ours}")
        known = [card.name for card in tool_scores.known_cards() if card.tool == schema.prefix]
        if known:
            say(f"  its scores come along: {', '.join(known)}")
