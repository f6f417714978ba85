"""Do the instruments that read numbers tell right answers from wrong ones on tables? AUROC by kind with 95 %
intervals (bootstrap by question), on pairs written by hand (number_pairs.jsonl).

`support` has learned from the half `dev` (training/support.py); nobody looked at the half `held` while the
instruments were made.

python bench/table_numbers.py [--metrics NAMES] [--out FILE]: FILE (table_numbers.json) gets every figure;
what it has of other metrics stays.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ragassay.scores import METRICS
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

HERE = Path(__file__).resolve().parent
DRAWS = 1000
NUMERIC = ("numeric_groundedness", "numeric_consistency", "support")


class Pair(NamedTuple):
    kind: str
    question: str
    passages: tuple[str, ...]
    correct: str
    wrong: str


def main() -> int:
    """Print the tables and write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--metrics", default=",".join(NUMERIC))
    parser.add_argument("--out", type=Path, default=HERE / "table_numbers.json")
    given = parser.parse_args()
    figures = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    for name, pairs in pair_sets().items():
        figures.setdefault(name, {}).update(
            {metric: judged(metric, pairs) for metric in given.metrics.split(",")}
        )
    given.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def pair_sets() -> dict[str, list[Pair]]:
    """The two halves by name."""
    lines = (HERE / "number_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    sets: dict[str, list[Pair]] = {}
    for row in map(json.loads, lines):
        pair = Pair(row["kind"], row["question"], tuple(row["passages"]), row["correct"], row["wrong"])
        sets.setdefault(f"by hand, {row['half']}", []).append(pair)
    return sets


def judged(metric: str, pairs: Sequence[Pair]) -> dict[str, dict]:
    """AUROC of correct against wrong answers, of all pairs and by kind; printed."""
    tools = Tools()
    scores = np.array(
        [[value(metric, pair, said, tools) for said in (pair.correct, pair.wrong)] for pair in pairs]
    )
    kinds = np.array([pair.kind for pair in pairs])
    chosen = {"all": np.ones(len(pairs), dtype=bool)} | {kind: kinds == kind for kind in dict.fromkeys(kinds)}
    found = {name: figure(scores[use]) for name, use in chosen.items()}
    for name, one in found.items():
        interval = f"[{one['low']:.3f}, {one['high']:.3f}]"
        print(
            f"  {metric:26} {name:18} {one['auroc']:.3f} {interval} n={one['pairs']} "
            f"mean of correct {one['mean of correct']:.2f}, of wrong {one['mean of wrong']:.2f}"
        )
    return found


def value(metric: str, pair: Pair, answer: str, tools: Tools) -> float:
    """The metric of one answer; NaN where it does not apply."""
    sample = Sample("c", "s", answer=answer, question=pair.question, contexts=pair.passages)
    try:
        return float(METRICS[metric].measure(sample, tools)[0])
    except NotApplicable:
        return float("nan")


def figure(scores: NDArray) -> dict[str, float]:
    """AUROC with its interval, pairs drawn with replacement; how many had no value."""
    draw = np.random.default_rng(0)
    kept = scores[~np.isnan(scores).any(axis=1)]
    drawn = (
        [auroc(kept[draw.integers(0, len(kept), len(kept))]) for _ in range(DRAWS)] if len(kept) else [np.nan]
    )
    low, high = np.percentile(drawn, [2.5, 97.5])
    common = max(np.unique(kept, return_counts=True)[1], default=0) / max(1, kept.size)
    return {
        "auroc": round(auroc(kept), 4), "low": round(float(low), 4), "high": round(float(high), 4),
        "mean of correct": _mean(kept[:, 0]), "mean of wrong": _mean(kept[:, 1]),
        "pairs": len(kept), "left out": len(scores) - len(kept),
        "share of the commonest value": round(float(common), 4),
    }  # fmt: skip


def _mean(values: NDArray) -> float:
    return round(float(values.mean()), 4) if len(values) else float("nan")


def auroc(scores: NDArray) -> float:
    """How often a correct answer scores above a wrong one, ties half."""
    if not len(scores):
        return float("nan")
    ranks, n = rankdata(scores.T.ravel()), len(scores)
    return float((ranks[:n].sum() - n * (n + 1) / 2) / n**2)


if __name__ == "__main__":
    sys.exit(main())
