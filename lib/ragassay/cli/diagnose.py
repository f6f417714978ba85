"""`ragassay diagnose`: what the assistant does not know, what it knows in some words only, which module
fails."""

from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import PATH, SEED, read_numbers
from ragassay.cli.terminal import say

RESULTS = (
    "one row a query (.jsonl, .csv, .parquet): query, group, correct; retrieval_correct, or retrieved and "
    "gold"
)
CLUSTER = "contrast the two linguistic clusters that this column names, such as short and long"
EVALUATOR = (
    "hold an evaluator that needs no gold answer against gold; it calls an answer correct from this value of "
    "the column"
)
CLOSED = "the closed-domain rule: an answer whose retrieval failed counts as incorrect"


@click.command()
@click.option("--results", required=True, type=PATH, help=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="the diagnosis as JSON")
@click.option("--cluster", default="", metavar="COLUMN", help=CLUSTER)
@click.option("--evaluator", "evaluators", multiple=True, metavar="COLUMN=VALUE", help=EVALUATOR)
@click.option("--closed-domain", is_flag=True, help=CLOSED)
@click.option("--seed", type=SEED, default=0, show_default=True, help="of resampling")
def diagnose(results: Path, as_json: bool, evaluators: tuple[str, ...], **options: Any) -> None:
    """Tell gaps of knowledge from want of robustness, and which module fails, by groups of queries that ask
    the same (GRAMMAR).
    """
    from ragassay import api

    found = api.diagnose(results, evaluators=read_numbers(evaluators, "--evaluator"), **options)
    say(found.to_json() if as_json else repr(found))
