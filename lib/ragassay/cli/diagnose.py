"""`ragassay diagnose`: what the assistant does not know, what it knows in some words only, which module
fails."""

import math
from pathlib import Path

import click

from ragassay.cli.options import PATH, SEED
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

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
def diagnose(
    results: Path, as_json: bool, cluster: str, evaluators: tuple[str, ...], closed_domain: bool, seed: int
) -> None:
    """Tell gaps of knowledge from want of robustness, and which module fails, by groups of queries that ask
    the same (GRAMMAR).
    """
    from ragassay.api.diagnosing import diagnose as diagnose_results

    named = {}
    for written in evaluators:  # self_check=1
        name, _, value = written.rpartition("=")
        try:
            named[name] = float(value)
        except ValueError:
            named[name] = math.nan
        if not name or math.isnan(named[name]):
            what, expected = "--evaluator is no column with a value", "COLUMN=VALUE, such as self_check=1"
            raise ParameterError(what, where="the command line", found=written, expected=expected)
    found = diagnose_results(
        results, cluster=cluster, evaluators=named, closed_domain=closed_domain, seed=seed
    )
    say(found.to_json() if as_json else repr(found))
