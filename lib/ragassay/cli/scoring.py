"""`ragassay score` and `ragassay calibrate` at the terminal: what is detected, assumed and unreadable on stderr, the result on stdout."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragassay.answers.adapters import parse_mapping
from ragassay.api import judging
from ragassay.api.progress import Progress
from ragassay.api.scoring import score as score_answers
from ragassay.errors import ParameterError
from ragassay.models.judge import Judge
from ragassay.show import clean


def score(
    source: Path, pairs: tuple[str, ...], say: Callable[[str], None], *, out: Path | None, **options: Any
) -> None:
    """Score a file; say what was found in it, the summary, and where the scores are. A dry run only says what the judge would take."""
    wish = judging.Wish.taken(options)
    judge = wish.judge_for(options.get("metrics", "default"))
    if wish.dry_run and judge is not None:
        _rehearse(source, pairs, say, judge, options)
        return
    scores = score_answers(
        source,
        mapping=parse_mapping(pairs),
        out=out,
        progress=Progress(),
        instruments={"judge": judge},
        **options,
    )
    late = [note for note in scores.notes if "repeat" in note]
    for line in [*late, *scores.problems()]:
        print(clean(line, 0), file=sys.stderr)
    say(repr(scores))
    if judge is not None:
        say(clean(judging.said_after(judge), 0))
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")


def _rehearse(
    source: Path, pairs: tuple[str, ...], say: Callable[[str], None], judge: Judge, options: dict[str, Any]
) -> None:
    wanted = {name: value for name, value in options.items() if name != "model"}
    budget = judging.budget_of(source, judge, mapping=parse_mapping(pairs), **wanted)
    say(clean(judging.said_before(budget, judge), 0))


def calibrate(say: Callable[[str], None], *, scores: Path, labels: Path, out: Path, **options: Any) -> None:
    """Calibrate a metric; say what was found and where the files are."""
    from ragassay.api import calibration_files
    from ragassay.api.calibrating import calibrate as calibrate_scores

    found = calibrate_scores(scores, labels, **options)
    say(repr(found))
    for path in calibration_files.write(found, out):
        say(f"  {clean(path, 0)}")


def instruments(
    say: Callable[[str], None],
    *,
    suite: Path | None,
    scorer: str,
    as_json: bool,
    out: Path | None,
    **options: Any,
) -> None:
    """Examine a scorer on a suite; the result as text or JSON, and into a folder where one is named."""
    from ragassay.api.examining import examine
    from ragassay.examination import scorers
    from ragassay.examination import suite as tests

    wish = judging.Wish.taken(options)
    if scorer != "judge" and (wish.judge or wish.judge_model or wish.dry_run):
        raise ParameterError(
            "a judge is named, and the scorer is none",
            found=f"--scorer {scorer}",
            do="--scorer judge, or leave the judge out",
        )
    judge = wish.judge_for("judge_grouse_answer_relevancy") if scorer == "judge" else None
    if wish.dry_run and judge is not None:
        rows = [test.row for test in tests.read(suite or tests.BUNDLED)]
        wanted = ",".join(f"judge_grouse_{mark}" for mark in tests.conditions.MARKS)
        say(
            clean(
                judging.said_before(
                    judging.budget_of(scorers.answers_of(rows), judge, metrics=wanted), judge
                ),
                0,
            )
        )
        return
    found = examine(suite, scorer, judge=judge)
    say(found.to_json() if as_json else repr(found))
    if out is not None:
        for path in examination_files(found, out):
            print(clean(f"  {path}", 0), file=sys.stderr)


def examination_files(found: Any, out: Path) -> list[Path]:
    """Write checks.csv, pass_rates.json and matrix.svg of an examination into a folder; the paths."""
    from ragassay.api.scores import drawing

    out.mkdir(parents=True, exist_ok=True)
    texts = {
        "checks.csv": found.to_pandas().to_csv(index=False),
        "pass_rates.json": found.to_json() + "\n",
        "matrix.svg": drawing(found.plot()),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in texts]


def listing() -> str:
    """Every metric: what it needs, its range and direction, where it comes from, what computes it."""
    from ragassay.scores.cards import text

    return text().strip()
