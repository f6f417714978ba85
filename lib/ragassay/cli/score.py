"""`ragassay score`: the result on stdout; what is detected, assumed and unreadable on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import (
    PATH,
    PRICE,
    SEED,
    cluster_options,
    dry_run_option,
    endpoint_options,
    map_option,
    model_options,
    replace_option,
    take_cluster,
)
from ragassay.cli.terminal import say

if TYPE_CHECKING:
    from ragassay.api.scoring_result import Scores
    from ragassay.models.judge import Judge

METRICS = (
    "names, or file.py:name of your own, parted by commas; default, judge, or all but those that need a judge"
)
TO = "write the answers with their scores for a tool too: ragas, deepeval, promptfoo, otel_genai, junit"
THRESHOLD = "from which score on an answer passes, for junit"
SUMMARY = "where the summary goes as well, a .csv: mean, 95 % interval, n, left out and why of every metric"
SCHEMA = "the tool the input comes from; detected where it is not named"
CASES = "what is known of the cases: reference_answer, answerable, ..."
MODEL = (
    "the encoder, by folder or Hugging Face name; RAGASSAY_ENCODER, else all-MiniLM-L6-v2, where not named"
)
PREMISE = (
    "what groundedness_nli takes as premise: the nearest three context sentences, or HCAT's whole context"
)
LISTING = "show every metric and what it needs, and score nothing"


@click.command()
@click.argument("source", metavar="INPUT", required=False, type=PATH)
@click.option("--metrics", default="default", show_default=True, help=METRICS)
@click.option("--out", type=PATH, help="where the scores go: .parquet, .jsonl or .csv")
@click.option("--summary", "summary_file", type=PATH, help=SUMMARY)
@replace_option
@map_option
@click.option("--to", "targets", multiple=True, metavar="TOOL=FILE", help=TO)
@click.option("--threshold", "limits", multiple=True, metavar="METRIC=VALUE", help=THRESHOLD)
@click.option("--schema", default="", help=SCHEMA)
@click.option("--cases", type=PATH, help=CASES)
@click.option("--model", default="", help=MODEL)
@cluster_options
@model_options
@click.option(
    "--premise", type=click.Choice(["nearest", "whole"]), default="nearest", show_default=True, help=PREMISE
)
@click.option("--list", "listing", is_flag=True, help=LISTING)
@endpoint_options("for the metrics that need one")
@dry_run_option
@click.option("--price-in", type=PRICE, default=0.0, metavar="X", help="of a million tokens sent to it")
@click.option("--price-out", type=PRICE, default=0.0, metavar="Y", help="of a million received")
@click.option("--seed", type=SEED, default=0, show_default=True, help="sent to the judge with every request")
def score(
    source: Path | None,
    pairs: tuple[str, ...],
    out: Path | None,
    summary_file: Path | None,
    replace: bool,
    listing: bool,
    **options: Any,
) -> None:
    """Score the answers in INPUT (jsonl, csv, tsv, parquet, json, xlsx),
    with our column names or those of another tool.
    """
    from ragassay import output_files
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.api import judge_options, tool_file_export
    from ragassay.models import user_models
    from ragassay.spreadsheet_injection import to_csv

    if listing:
        from ragassay.scores import metric_registry

        say(metric_registry.card_text().strip())
        return
    if source is None:
        raise click.UsageError("Missing argument 'INPUT'.")
    dry_run = options.pop("dry_run")
    judge = judge_options.take_judge(options, options["metrics"], dry_run)
    options["mapping"] = parse_mapping(pairs)
    options["cluster"] = take_cluster(options)
    targets = tool_file_export.parse_targets(options.pop("targets"))
    limits = tool_file_export.parse_thresholds(options.pop("limits"))
    if dry_run and judge is not None:
        for unused in ("model", "premise", "cluster", *user_models.NAMED):
            del options[unused]
        say_budget(source, judge, options)
    else:
        output_files.check(*targets.values(), summary_file, out, inputs=[source], replace=replace)
        options["replace"] = replace
        scores = _score(source, judge, out, options)
        if summary_file:
            output_files.write_text(summary_file, to_csv(scores.summary()))
            say(f"written: {summary_file}")
        for path in tool_file_export.write(
            source, scores, targets, limits, schema=options["schema"], mapping=options["mapping"]
        ):
            say(f"written: {path}")


def say_budget(answers: Any, judge: Judge, options: dict[str, Any]) -> None:
    """Say what judging these answers would take; nothing is sent."""
    from ragassay.api import judge_options

    say(judge_options.describe_budget(judge_options.budget_of(answers, judge, **options), judge))


def _score(source: Path, judge: Judge | None, out: Path | None, options: dict[str, Any]) -> Scores:
    """Score; say what was found in the input, the summary, and where the scores are."""
    from ragassay.answers.answer_batches import mapping_lines
    from ragassay.api import judge_options, scoring, scoring_progress
    from ragassay.show import clean

    scores = scoring.score(
        source, out=out, progress=scoring_progress.Progress(), instruments={"judge": judge}, **options
    )
    mapped = [clean(line, 200) for line in mapping_lines(scores.mapped)]
    for line in [*mapped, *scores.problems()]:
        say(line, err=True)
    say(repr(scores))
    if judge is not None:
        say(judge_options.describe_spending(judge))
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")
    return scores
