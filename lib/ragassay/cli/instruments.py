"""`ragassay instruments`: a scorer examined; `diagnose`: gaps, robustness, the module that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import (
    FOLDER,
    PATH,
    SEED,
    WHERE,
    dry_run_option,
    judge_options,
    model_option,
    read_models,
    read_numbers,
    replace_option,
    take_judge,
)
from ragassay.cli.score import say_budget
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.models.judge import Judge

SCORER = "offline, judge, rules, or the folder of a small judge"
FILES = ("checks.csv", "pass_rates.json", "matrix.svg")
TABLES = ("failure_modes", "agreement", "verbosity")
OUT = "folder for every check, the pass rates, the matrix and the tables"
AGAINST = f"another scorer whose marks are compared (Spearman, macro-F1): {SCORER}"
VERBOSITY = "score ten pairs of a short and a long answer that say the same"


@click.command()
@click.argument("suite", required=False, type=PATH)
@click.option("--scorer", default="offline", show_default=True, help=SCORER)
@click.option("--against", default="", metavar="SCORER", help=AGAINST)
@click.option("--verbosity", "length", is_flag=True, help=VERBOSITY)
@click.option("--json", "as_json", is_flag=True, help="pass rates as JSON, beside those of rules alone")
@click.option("--out", type=FOLDER, help=OUT)
@replace_option
@model_option
@judge_options("for the scorer `judge`")
@dry_run_option
def instruments(
    suite: Path | None,
    scorer: str,
    against: str,
    length: bool,
    as_json: bool,
    out: Path | None,
    replace: bool,
    named: tuple[str, ...],
    dry_run: bool,
    **options: Any,
) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE,
    or the bundled 144 tests on banking questions.
    """
    from ragassay import output_files
    from ragassay.api import examining
    from ragassay.api.scoring_result import drawing
    from ragassay.examination.judge_comparison import further_tables
    from ragassay.models import load_instrument
    from ragassay.show import clean
    from ragassay.spreadsheet_injection import to_csv

    if out is not None:
        names = (*FILES, *(f"{name}.csv" for name in TABLES))
        output_files.check(*(out / name for name in names), inputs=[suite], replace=replace)
    judge = take_judge(options, dry_run)
    if judge and "judge" not in (scorer, against):
        what, do = "a judge is named, and the scorer is none", "--scorer judge, or leave the judge out"
        raise ParameterError(what, where=WHERE, found=f"--scorer {scorer}", do=do)
    if judge and dry_run:
        _say_budget(suite, judge, length)
        return
    with load_instrument.use_models(**read_models(named)):
        found = examining.examine(suite, scorer, judge=judge)
        other = examining.find_scorer(against, judge) if against else None
        own = judge if scorer == "judge" else None
        tables = further_tables(found.tests, found, judge=own, against=other, length=length)
    if as_json:  # what is undefined is null
        records = {name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}
        say(json.dumps(json.loads(found.to_json()) | records, indent=2, ensure_ascii=False))
    else:
        say(repr(found))
        for name, table in tables.items():
            shown = table.to_string(index=False, na_rep="", float_format="%.3f")
            say(f"\n{clean(name, 0)}\n{clean(shown, 0)}")
    if out is not None:
        texts = (to_csv(found.to_pandas()), found.to_json() + "\n", drawing(found.plot()))
        files = dict(zip(FILES, texts, strict=True))
        files |= {f"{name}.csv": to_csv(table) for name, table in tables.items()}
        for name, text in files.items():
            output_files.write_text(out / name, text)
            say(f"  {out / name}", err=True)


def _say_budget(suite: Path | None, judge: Judge, length: bool) -> None:
    """The most calls and tokens of the tests, and of the pairs where they are asked for."""
    from ragassay.examination import examine, minimal_pairs

    rows = [test.row for test in examine.read_suite(suite or examine.BUNDLED)]
    say("the tests")
    say_budget(examine.answers_of(rows), judge, [f"grouse_{mark}:judge" for mark in examine.MARKS])
    if length:
        say("pairs of a short and a long answer")
        answers = minimal_pairs.answers_of(minimal_pairs.read(minimal_pairs.VERBOSITY))
        say_budget(answers, judge, list(minimal_pairs.VERBOSITY_JUDGED))


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
