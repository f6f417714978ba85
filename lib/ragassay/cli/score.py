"""`ragassay score`: scores of answers; `instruments`: a scorer examined; `diagnose`: which module fails."""

import json
from pathlib import Path
from typing import Any

import click

from ragassay import output_files
from ragassay.cli.options import (
    PATH,
    SEED,
    judge_options,
    map_option,
    model_option,
    read_models,
    read_numbers,
    replace_option,
    say,
    take_judge,
)
from ragassay.errors import ParameterError

METRICS = "names, name:option, or file.py:name of yours, with commas; default, judge, all that need no judge"
OUT = (
    "where the scores go: .parquet, .jsonl or .csv; and x.ragas.jsonl the answers with their scores, for "
    "ragas, deepeval, promptfoo, otel_genai; x.summary.csv"
)
CLUSTER = "score on a Ray cluster, or local to start one, in N processes (docs/scale.md)"
PRICE = click.FloatRange(0)
PRICES = "what a million tokens sent to the judge, and received, cost"
SCORER = "offline, judge, rules, or the folder of a small judge"
RESULTS = "one row a query: query, group, correct; retrieval_correct, or retrieved and gold"
EVALUATOR = "hold an evaluator against gold: it calls an answer correct from this value of the column"


@click.command()
@click.argument("source", metavar="INPUT", required=False, type=PATH)
@click.option("--metrics", default="default", show_default=True, help=METRICS)
@click.option("--out", "outs", multiple=True, type=PATH, help=OUT)
@replace_option
@map_option
@click.option("--schema", default="", help="the tool the input comes from; detected where it is not named")
@click.option("--cases", type=PATH, help="what is known of the cases: reference_answer, answerable, ...")
@model_option
@click.option("--cluster", default="", metavar="HOST:PORT[,N]", help=CLUSTER)
@judge_options("for the metrics that need one")
@click.option("--dry-run", is_flag=True, help="say what calls and tokens the judge would take; send nothing")
@click.option("--prices", type=(PRICE, PRICE), default=(0, 0), metavar="IN OUT", help=PRICES)
@click.option("--list", "listing", is_flag=True, help="show every metric and what it needs")
def score(source: Path | None, outs: tuple[Path, ...], dry_run: bool, listing: bool, **options: Any) -> None:
    """Score the answers in INPUT (jsonl, csv, tsv, parquet, json, xlsx),
    with our column names or those of another tool.
    """
    from ragassay.answers.answer_batches import mapping_lines, open_answers, read_case_facts
    from ragassay.api import Cluster, score_files, scoring
    from ragassay.scores import METRICS, metric_registry
    from ragassay.scores.score import dry_run as estimate

    if listing:
        say(metric_registry.card_text().strip())
        return
    if source is None:
        raise click.UsageError("Missing argument 'INPUT'.")
    named, cluster, prices = (options.pop(name) for name in ("named", "cluster", "prices"))
    judge = take_judge(options, dry_run, price_in=prices[0], price_out=prices[1])
    names = scoring.metric_names(options["metrics"])
    if judge and not any("judge" in METRICS[name].models for name in names):
        raise ParameterError("none of the metrics needs a judge", found=options["metrics"])
    how = {"schema": options.pop("schema"), "mapping": options.pop("mapping")}
    if judge and dry_run:  # calls, tokens and, where prices are given, money; nothing is sent
        known = read_case_facts(options["cases"]) if options["cases"] else None
        budget = estimate(open_answers(source, **how), names, judge, known)
        say(f"dry run: nothing was sent to {judge.endpoint}, model {judge.model}\n{budget}")
        cost = f"{budget.cost(*prices):,.4f} at {prices[0]:g} per million sent, {prices[1]:g} received"
        say(f"cost: {f'at most {cost}' if any(prices) else 'not known; give --prices'}")
        return
    out, of_tools = score_files.sort_outputs(outs)
    output_files.check(*of_tools.values(), out, inputs=[source], replace=options["replace"])
    models, (address, _, workers) = read_models(named), cluster.partition(",")
    if workers and not workers.isdecimal():
        raise ParameterError("--cluster cannot be read", found=cluster, expected="HOST:PORT,64, or local")
    if cluster:
        options["cluster"] = Cluster("" if address == "local" else address, int(workers or 0))
    options |= {"model": models.pop("encoder", ""), "out": out, **models, **how}
    scores = scoring.score(source, progress=True, instruments={"judge": judge}, **options)
    mapped = [line[:200] for line in mapping_lines(scores.mapped)]
    say(*mapped, *scores.problems(), err=True)
    say(repr(scores))
    if judge:
        say(f"judge {judge.model} at {judge.endpoint}: {judge.spent}")
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")
    score_files.write_tool_files(source, scores, of_tools, **how)
    say(*(f"written: {path}" for path in of_tools.values()))


@click.command()
@click.argument("suite", required=False, type=PATH)
@click.option("--scorer", default="offline", show_default=True, help=SCORER)
@click.option("--against", default="", metavar="SCORER", help="another, whose marks are compared")
@click.option("--verbosity", "length", is_flag=True, help="score ten pairs of a short and a long answer too")
@click.option("--json", "as_json", is_flag=True, help="pass rates as JSON, beside those of rules alone")
@model_option
@judge_options("for the scorer `judge`")
def instruments(suite: Path | None, scorer: str, against: str, **options: Any) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE,
    or the bundled 144 tests on banking questions.
    """
    from ragassay.api import examining
    from ragassay.examination.instruments import further_tables
    from ragassay.models import load_instrument

    judge = take_judge(options)
    if judge and "judge" not in (scorer, against):
        raise ParameterError("a judge is named, and the scorer is none", do="--scorer judge, or leave it out")
    with load_instrument.use_models(**read_models(options["named"])):
        found = examining.examine(suite, scorer, judge=judge)
        other = examining.find_scorer(against, judge) if against else None
        own = judge if scorer == "judge" else None
        tables = further_tables(found.tests, found, judge=own, against=other, length=options["length"])
    if options["as_json"]:  # what is undefined is null
        records = {name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}
        say(json.dumps(json.loads(found.to_json()) | records, indent=2, ensure_ascii=False))
        return
    say(repr(found))
    for name, table in tables.items():
        say(f"\n{name}\n{table.to_string(index=False, na_rep='', float_format='%.3f')}")


@click.command()
@click.option("--results", required=True, type=PATH, help=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="the diagnosis as JSON")
@click.option("--cluster", default="", metavar="COLUMN", help="contrast the two linguistic clusters it names")
@click.option("--evaluator", "evaluators", multiple=True, metavar="COLUMN=VALUE", help=EVALUATOR)
@click.option("--closed-domain", is_flag=True, help="an answer whose retrieval failed counts as incorrect")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of resampling")
def diagnose(results: Path, as_json: bool, evaluators: tuple[str, ...], **options: Any) -> None:
    """Tell gaps of knowledge from want of robustness, and which module fails, by groups of queries that ask
    the same (GRAMMAR).
    """
    from ragassay import api

    found = api.diagnose(results, evaluators=read_numbers(evaluators, "--evaluator"), **options)
    say(found.to_json() if as_json else repr(found))
