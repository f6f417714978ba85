"""The threshold of the perturbations' meaning guard; writes bench/meaning_guard.json.

It is the threshold of entailment of greatest balanced accuracy on `question_pairs.jsonl`, question pairs
written by hand, half of which ask the same; beside it stands what half of their bases choose, measured on the
other half.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragassay import models
from ragassay.cases import perturbations
from ragassay.stats import clopper_pearson

HERE = Path(__file__).parent
THRESHOLDS = np.round(np.arange(0.1, 0.95, 0.05), 2)


def main() -> None:
    """Write the threshold, its curve, and its rates on the half of the bases left out."""
    pairs = [json.loads(line) for line in (HERE / "question_pairs.jsonl").read_text().splitlines()]
    texts = [(pair["question"], pair["variant"]) for pair in pairs]
    both = models.entail([*texts, *((other, one) for one, other in texts)]).probabilities[:, 0]
    chance, same = both.reshape(2, -1).min(axis=0), np.array([pair["same"] for pair in pairs])
    half = np.array([pair["base"] % 2 == 0 for pair in pairs])
    held_out = [rates(chance[~part], same[~part], best(chance[part], same[part])) for part in (half, ~half)]
    found = {
        "pairs": len(pairs),
        "chosen_on_all": best(chance, same),
        "used": perturbations.SAME_MEANING,
        "at_used": rates(chance, same, perturbations.SAME_MEANING),
        "chosen_on_one_half_and_measured_on_the_other": held_out,
        "curve": [rates(chance, same, cut) for cut in THRESHOLDS],
    }
    (HERE / "meaning_guard.json").write_text(json.dumps({"threshold": found}, indent=1) + "\n")


def best(chance: NDArray, same: NDArray) -> float:
    """The highest threshold of greatest balanced accuracy."""
    balanced = [(chance[same] >= cut).mean() + (chance[~same] < cut).mean() for cut in THRESHOLDS]
    return float(THRESHOLDS[len(balanced) - 1 - int(np.argmax(balanced[::-1]))])


def rates(chance: NDArray, same: NDArray, cut: float) -> dict:
    """At a threshold: the share of same pairs kept, and of others kept, each with its interval and n."""
    kept = {"same_kept": chance[same] >= cut, "others_kept": chance[~same] >= cut}
    found: dict = {"threshold": float(cut)}
    for name, hits in kept.items():
        share = clopper_pearson(int(hits.sum()), len(hits))
        figures = {"value": share.value, "low": share.low, "high": share.high}
        found[name] = {key: round(value, 3) for key, value in figures.items()} | {"n": len(hits)}
    return found


if __name__ == "__main__":
    main()
