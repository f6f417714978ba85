"""`ragassay score`: the result on stdout; what is detected, assumed and unreadable on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import (
    PATH,
    dry_run_option,
    judge_options,
    map_option,
    model_option,
    read_models,
    read_numbers,
    read_pairs,
    replace_option,
    take_judge,
)
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.api import Cluster
    from ragassay.models.judge import Judge

METRICS = (
    "names, name:option, or file.py:name of your own, by commas; default, judge, or all that need no judge"
)
TO = "write more: answers with scores for ragas, deepeval, promptfoo, otel_genai; junit; summary"
THRESHOLD = "from which score on an answer passes, for junit"
SCHEMA = "the tool the input comes from; detected where it is not named"
CASES = "what is known of the cases: reference_answer, answerable, ..."
CLUSTER = "score on a Ray cluster, or local to start one, in N processes (docs/scale.md)"
PRICES = "what a million tokens sent to the judge, and received, cost"
LISTING = "show every metric and what it needs, and score nothing"


@click.command()
@click.argument("source", metavar="INPUT", required=False, type=PATH)
@click.option("--metrics", default="default", show_default=True, help=METRICS)
@click.option("--out", type=PATH, help="where the scores go: .parquet, .jsonl or .csv")
@click.option("--to", "targets", multiple=True, metavar="TOOL=FILE", help=TO)
@click.option("--threshold", "limits", multiple=True, metavar="METRIC=VALUE", help=THRESHOLD)
@replace_option
@map_option
@click.option("--schema", default="", help=SCHEMA)
@click.option("--cases", type=PATH, help=CASES)
@model_option
@click.option("--cluster", default="", metavar="HOST:PORT[,N]", help=CLUSTER)
@judge_options("for the metrics that need one")
@dry_run_option
@click.option(
    "--prices", type=(click.FloatRange(0), click.FloatRange(0)), default=(0, 0), metavar="IN OUT", help=PRICES
)
@click.option("--list", "listing", is_flag=True, help=LISTING)
def score(
    source: Path | None,
    pairs: tuple[str, ...],
    targets: tuple[str, ...],
    limits: tuple[str, ...],
    named: tuple[str, ...],
    cluster: str,
    listing: bool,
    dry_run: bool,
    prices: tuple[float, float],
    **options: Any,
) -> None:
    """Score the answers in INPUT (jsonl, csv, tsv, parquet, json, xlsx),
    with our column names or those of another tool.
    """
    from ragassay import output_files
    from ragassay.answers.answer_batches import mapping_lines
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.api import scoring, tool_file_export
    from ragassay.scores import METRICS, metric_registry
    from ragassay.show import clean

    if listing:
        say(metric_registry.card_text().strip())
        return
    if source is None:
        raise click.UsageError("Missing argument 'INPUT'.")
    judge = take_judge(options, dry_run, price_in=prices[0], price_out=prices[1])
    names = scoring.metric_names(options["metrics"])
    if judge and not any("judge" in METRICS[name].models for name in names):
        do = "--metrics judge, or judge_... by name"
        raise ParameterError("none of the metrics needs a judge", found=options["metrics"], do=do)
    how = {"schema": options.pop("schema"), "mapping": parse_mapping(pairs)}
    if judge and dry_run:
        say_budget(source, judge, names, options["cases"], **how)
        return
    tools, thresholds = read_pairs(targets, "--to"), read_numbers(limits, "--threshold")
    files = {tool: tool_file_export.check_path(tool, path) for tool, path in tools.items()}
    output_files.check(*files.values(), options["out"], inputs=[source], replace=options["replace"])
    models = read_models(named)
    options |= {"model": models.pop("encoder", ""), "cluster": _cluster(cluster), **models, **how}
    scores = scoring.score(source, progress=scoring.Progress(), instruments={"judge": judge}, **options)
    mapped = [clean(line, 200) for line in mapping_lines(scores.mapped)]
    for line in [*mapped, *scores.problems()]:
        say(line, err=True)
    say(repr(scores))
    if judge:
        say(f"judge {judge.model} at {judge.endpoint}: {judge.spent}")
    out = options["out"]
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")
    for path in tool_file_export.write(source, scores, files, thresholds, **how):
        say(f"written: {path}")


def _cluster(text: str) -> Cluster | None:
    """The Ray cluster of `HOST:PORT`, `HOST:PORT,64` or `local`; None for no text."""
    from ragassay.api import Cluster

    if not text:
        return None
    address, comma, workers = text.partition(",")
    if comma and not workers.isdecimal():
        raise ParameterError("--cluster cannot be read", found=text, expected="HOST:PORT,64, or local")
    return Cluster("" if address == "local" else address, int(workers or 0))


def say_budget(
    answers: Any, judge: Judge, metrics: Sequence[str], cases: Path | None = None, **how: Any
) -> None:
    """Say what judging these answers would take: calls, tokens and, where prices are given, money; nothing is
    sent."""
    from ragassay.answers import open_answers
    from ragassay.answers.answer_batches import read_case_facts
    from ragassay.scores.score import dry_run

    known = None if cases is None else read_case_facts(cases)
    budget = dry_run(open_answers(answers, **how), metrics, judge, known)
    say(f"dry run: nothing was sent to {judge.endpoint}, model {judge.model}\n{budget}")
    cost = budget.cost(judge.price_in, judge.price_out)
    priced = f"at most {cost:,.4f} at {judge.price_in:g} per million sent, {judge.price_out:g} received"
    say(f"cost: {priced if judge.price_in or judge.price_out else 'not known; give --prices'}")
