"""Three-way accuracy of `models.entail` as it ships, on pairs it did not learn from: python
bench/entailment.py [--data ../shared/data]

nli/dev are crowd-written pairs on other premises; of nli/breaking only the premises that no head has seen;
intervals by premise.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))

import data
import entailment
from ragassay import models


def main() -> None:
    given = data.arguments(__doc__)
    if not (given.data / "nli").is_dir():
        print(f"skipped: {given.data / 'nli'} is not on this machine")
        return
    swaps = {pair[:2] for pair in entailment.as_pairs(data.read(given.data / "nli/breaking.jsonl.gz"))}
    kept = [pair for pair in entailment.human(given.data)[1] if pair[:2] in swaps]
    for name, pairs in (
        ("nli/dev", entailment.as_pairs(data.read(given.data / "nli/dev.jsonl.gz"))),
        ("nli/breaking, premises kept", kept),
    ):
        right = models.entail([pair[:2] for pair in pairs]).probabilities.argmax(axis=1) == [
            entailment.LABELS.index(pair[2]) for pair in pairs
        ]
        value, low, high = data.interval(
            [pair[0] for pair in pairs], lambda rows, right=right: float(right[rows].mean())
        )
        print(f"{name}: {value:.3f} [{low:.3f}, {high:.3f}] n={len(pairs)}")


if __name__ == "__main__":
    main()
