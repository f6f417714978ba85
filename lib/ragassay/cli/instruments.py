"""`ragassay instruments`: the result as text or JSON, and into a folder where one is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import FOLDER, PATH, endpoint_options, replace_option
from ragassay.cli.score import say_budget
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.api.examining import Examined
    from ragassay.models.judge import Judge

SCORER = "offline, judge, rules, or the folder of a small judge"
FILES = ("checks.csv", "pass_rates.json", "matrix.svg")
OUT = "folder for every check, the pass rates and the matrix"


@click.command()
@click.argument("suite", required=False, type=PATH)
@click.option("--scorer", default="offline", show_default=True, help=SCORER)
@click.option("--json", "as_json", is_flag=True, help="pass rates as JSON, beside those of rules alone")
@click.option("--out", type=FOLDER, help=OUT)
@replace_option
@endpoint_options()
def instruments(
    suite: Path | None, scorer: str, as_json: bool, out: Path | None, replace: bool, **options: Any
) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE,
    or the bundled 144 tests on banking questions.
    """
    from ragassay import output_files
    from ragassay.api import judging
    from ragassay.api.examining import examine

    if out is not None:
        output_files.check(*(out / name for name in FILES), inputs=[suite], replace=replace)
    chosen = judging.JudgeOptions.take(options)
    if scorer != "judge" and (chosen.judge or chosen.judge_model or chosen.dry_run):
        raise ParameterError(
            "a judge is named, and the scorer is none",
            found=f"--scorer {scorer}",
            do="--scorer judge, or leave the judge out",
        )
    judge = chosen.judge_for("judge_grouse_answer_relevancy") if scorer == "judge" else None
    if chosen.dry_run and judge is not None:
        _say_budget(suite, judge)
        return
    found = examine(suite, scorer, judge=judge)
    say(found.to_json() if as_json else repr(found))
    if out is not None:
        _write(found, out)


def _say_budget(suite: Path | None, judge: Judge) -> None:
    from ragassay.examination import scorers
    from ragassay.examination import suite as tests

    rows = [test.row for test in tests.read(suite or tests.BUNDLED)]
    marks = ",".join(f"judge_grouse_{mark}" for mark in tests.MARKS)
    say_budget(scorers.answers_of(rows), judge, {"metrics": marks})


def _write(found: Examined, out: Path) -> None:
    """Write checks.csv, pass_rates.json and matrix.svg of an examination into a folder."""
    from ragassay import output_files
    from ragassay.api.scores import drawing
    from ragassay.spreadsheet_cells import to_csv

    texts = (to_csv(found.to_pandas()), found.to_json() + "\n", drawing(found.plot()))
    for name, text in zip(FILES, texts, strict=True):
        output_files.write_text(out / name, text)
        say(f"  {out / name}", err=True)
