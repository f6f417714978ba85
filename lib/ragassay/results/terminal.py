"""`ragassay score` at the terminal: what is detected, assumed and unreadable on stderr, the result on stdout."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragassay.answers.adapters import parse_mapping
from ragassay.results.progress import Progress
from ragassay.results.scoring import score as score_answers
from ragassay.show import clean


def score(source: Path, pairs: tuple[str, ...], say: Callable[[str], None], *, out: Path | None, **options: Any) -> None:
    """Score a file; say what was found in it, the summary, and where the scores are."""
    scores = score_answers(source, mapping=parse_mapping(pairs), out=out, progress=Progress(), **options)
    late = [note for note in scores.notes if "repeat" in note]
    for line in [*late, *scores.problems()]:
        print(clean(line, 0), file=sys.stderr)
    say(repr(scores))
    say(f"written: {out}" if out else "nothing written: name a file with --out to keep the scores")


def listing() -> str:
    """Every metric: what it needs, its range and direction, where it comes from, what computes it."""
    from ragassay.scores.cards import text

    return text().strip()
