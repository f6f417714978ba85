"""`ragassay instruments`: the result as text or JSON, and into a folder where one is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import FOLDER, PATH, dry_run_option, endpoint_options, model_options, replace_option
from ragassay.cli.score import say_budget
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.api.examining import Examined
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
@model_options
@endpoint_options()
@dry_run_option
def instruments(
    suite: Path | None, scorer: str, as_json: bool, out: Path | None, replace: bool, **options: Any
) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE,
    or the bundled 144 tests on banking questions.
    """
    from ragassay import output_files
    from ragassay.api import examining, judge_options
    from ragassay.examination.judge_comparison import further_tables
    from ragassay.models import user_models
    from ragassay.show import clean

    if out is not None:
        names = (*FILES, *(f"{name}.csv" for name in TABLES))
        output_files.check(*(out / name for name in names), inputs=[suite], replace=replace)
    asked = {name: options.pop(name) for name in ("against", "length")}
    named = {kind: options.pop(kind) for kind in user_models.NAMED}
    dry_run, needed = options.pop("dry_run"), "judge" in (scorer, asked["against"])
    if not needed and (options["judge"] or options["judge_model"] or dry_run):
        what, do = "a judge is named, and the scorer is none", "--scorer judge, or leave the judge out"
        raise ParameterError(what, found=f"--scorer {scorer}", do=do)
    metric = "judge_grouse_answer_relevancy"
    judge = judge_options.take_judge(options, metric, dry_run) if needed else None
    if dry_run and judge is not None:
        _say_budget(suite, judge, asked)
        return
    with user_models.using(**named):
        found = examining.examine(suite, scorer, judge=judge)
        other = asked.pop("against")
        against = examining.find_scorer(other, judge) if other else None
        own = judge if scorer == "judge" else None
        tables = further_tables(found.tests, found, judge=own, against=against, **asked)
    if as_json:  # what is undefined is null
        records = {name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}
        say(json.dumps(json.loads(found.to_json()) | records, indent=2, ensure_ascii=False))
    else:
        say(repr(found))
        for name, table in tables.items():
            shown = table.to_string(index=False, na_rep="", float_format="%.3f")
            say(f"\n{clean(name, 0)}\n{clean(shown, 0)}")
    if out is not None:
        _write(found, tables, out)


def _say_budget(suite: Path | None, judge: Judge, asked: dict[str, Any]) -> None:
    """The most calls and tokens of the tests, and of the pairs where they are asked for."""
    from ragassay.examination import minimal_pairs, scorers
    from ragassay.examination import unit_test_suite as tests

    rows = [test.row for test in tests.read(suite or tests.BUNDLED)]
    marks = ",".join(f"judge_grouse_{mark}" for mark in tests.MARKS)
    say("the tests")
    say_budget(scorers.answers_of(rows), judge, {"metrics": marks})
    if asked["length"]:
        say("pairs of a short and a long answer")
        answers = minimal_pairs.answers_of(minimal_pairs.read(minimal_pairs.VERBOSITY))
        say_budget(answers, judge, {"metrics": ",".join(minimal_pairs.VERBOSITY_JUDGED)})


def _write(found: Examined, tables: dict[str, Any], out: Path) -> None:
    """Write checks.csv, pass_rates.json, matrix.svg and the tables of an examination into a folder."""
    from ragassay import output_files
    from ragassay.api.scoring_result import drawing
    from ragassay.spreadsheet_injection import to_csv

    texts = (to_csv(found.to_pandas()), found.to_json() + "\n", drawing(found.plot()))
    files = dict(zip(FILES, texts, strict=True)) | {
        f"{name}.csv": to_csv(each) for name, each in tables.items()
    }
    for name, text in files.items():
        output_files.write_text(out / name, text)
        say(f"  {out / name}", err=True)
