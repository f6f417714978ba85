"""Do the instruments that read numbers tell right answers from wrong ones on tables? AUROC by kind with 95 %
intervals (bootstrap by question), on pairs written by hand (number_pairs.jsonl). Writes table_numbers.json.

`support` has learned from the half `dev` (training/support.py); nobody looked at the half `held` while the
instruments were made.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from ragassay.scores import METRICS
from ragassay.scores.metric import NotApplicable, Tools
from ragassay.scores.prepared_answer import Sample

HERE = Path(__file__).resolve().parent
DRAWS = 1000
NUMERIC = ("numeric_groundedness", "query_relevance:numeric_consistency", "support")


def main() -> None:
    """Print the tables and write them."""
    rows = [json.loads(line) for line in (HERE / "number_pairs.jsonl").read_text("utf-8").splitlines()]
    figures = {}
    for half in dict.fromkeys(row["half"] for row in rows):
        pairs = [row for row in rows if row["half"] == half]
        figures[f"by hand, {half}"] = {metric: judged(metric, pairs) for metric in NUMERIC}
    (HERE / "table_numbers.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def judged(metric: str, pairs: list[dict]) -> dict[str, dict]:
    """AUROC of correct against wrong answers, of all pairs and by kind; printed."""
    tools = Tools()
    scores = np.array(
        [[value(metric, pair, pair[said], tools) for said in ("correct", "wrong")] for pair in pairs]
    )
    kinds = np.array([pair["kind"] for pair in pairs])
    chosen = {"all": np.ones(len(pairs), dtype=bool)} | {kind: kinds == kind for kind in dict.fromkeys(kinds)}
    found = {name: figure(scores[use]) for name, use in chosen.items()}
    for name, one in found.items():
        interval = f"{one['auroc']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"
        print(f"  {metric:26} {name:18} {interval} n={one['pairs']}")
    return found


def value(metric: str, pair: dict, answer: str, tools: Tools) -> float:
    """The metric of one answer; NaN where it does not apply."""
    contexts = tuple(pair["passages"])
    sample = Sample("c", "s", answer=answer, question=pair["question"], contexts=contexts)
    try:
        return float(METRICS[metric].measure(sample, tools)[0])
    except NotApplicable:
        return float("nan")


def figure(scores: NDArray) -> dict[str, float]:
    """AUROC with its interval, pairs drawn with replacement; how many had no value."""
    kept = scores[~np.isnan(scores).any(axis=1)]
    if not len(kept):
        return {"auroc": np.nan, "low": np.nan, "high": np.nan, "pairs": 0, "left out": len(scores)}
    draw = np.random.default_rng(0)
    drawn = [auroc(kept[draw.integers(0, len(kept), len(kept))]) for _ in range(DRAWS)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    figures = {"auroc": auroc(kept), "low": low, "high": high}
    figures |= {"mean of correct": kept[:, 0].mean(), "mean of wrong": kept[:, 1].mean()}
    rounded = {name: round(float(one), 4) for name, one in figures.items()}
    return rounded | {"pairs": len(kept), "left out": len(scores) - len(kept)}


def auroc(scores: NDArray) -> float:
    """How often a correct answer scores above a wrong one, ties half."""
    return float(roc_auc_score(np.repeat([1, 0], len(scores)), scores.T.ravel()))


if __name__ == "__main__":
    main()
