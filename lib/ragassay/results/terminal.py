"""`ragassay score` at the terminal: what is detected, assumed and unreadable on stderr, the result on stdout."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragassay.answers.adapters import parse_mapping
from ragassay.models.judge import Judge
from ragassay.results import judging
from ragassay.results.progress import Progress
from ragassay.results.scoring import score as score_answers
from ragassay.show import clean


def score(source: Path, pairs: tuple[str, ...], say: Callable[[str], None], *, out: Path | None, **options: Any) -> None:
    """Score a file; say what was found in it, the summary, and where the scores are. A dry run only says what the judge would take."""
    wish = judging.Wish.taken(options)
    judge = wish.judge_for(options.get("metrics", "default"))
    if wish.dry_run and judge is not None:
        _rehearse(source, pairs, say, judge, options)
        return
    scores = score_answers(source, mapping=parse_mapping(pairs), out=out, progress=Progress(), instruments={"judge": judge}, **options)
    late = [note for note in scores.notes if "repeat" in note]
    for line in [*late, *scores.problems()]:
        print(clean(line, 0), file=sys.stderr)
    say(repr(scores))
    if judge is not None:
        say(clean(judging.said_after(judge), 0))
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")


def _rehearse(source: Path, pairs: tuple[str, ...], say: Callable[[str], None], judge: Judge, options: dict[str, Any]) -> None:
    wanted = {name: value for name, value in options.items() if name != "model"}
    budget = judging.budget_of(source, judge, mapping=parse_mapping(pairs), **wanted)
    say(clean(judging.said_before(budget, judge), 0))


def listing() -> str:
    """Every metric: what it needs, its range and direction, where it comes from, what computes it."""
    from ragassay.scores.cards import text

    return text().strip()
