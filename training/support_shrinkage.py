"""Chooses how much the support model's coefficients are shrunk (SHRINKAGE of training/support.py):
python training/support_shrinkage.py [--data ../shared/data]

Of every power of ten the agreement with people on each set by a model that saw nothing of it (Spearman for
mtrag_human, AUROC for the others, SummEdits the mean of its domains), and the mean over the sets, each
weighing alike. The greatest mean is taken; no figure of one set decides. Writes bench/support_shrinkage.json.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.shared_instruments import Tools
from support_agreement import SEEN, agreement, judged, mean_auroc
from support_cases import Case, inputs, learned_from

FIGURES = Path(__file__).parents[1] / "bench" / "support_shrinkage.json"
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = learned_from(parser.parse_args().data)
    table = inputs(given, Tools())
    kept = ~np.isnan(table).any(axis=1)
    cases = [case for case, one in zip(given, kept, strict=True) if one]
    found = [_printed(one, of_sets(cases, table[kept], one)) for one in GRID]
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"chosen: {chosen(found):g}")


def chosen(found: Sequence[dict]) -> float:
    """The shrinkage of the greatest mean."""
    return max(found, key=lambda one: one["mean"])["shrinkage"]


def of_sets(cases: Sequence[Case], table: NDArray, shrinkage: float) -> dict[str, float]:
    """By set the agreement with people of models fitted on the other sets, each with this shrinkage."""
    sets = np.array([SEEN.get(case.data, case.data) for case in cases])
    score = judged(cases, table, sets, shrinkage=shrinkage)
    return {str(one): _agreement(str(one), cases, score, sets == one) for one in sorted(set(sets))}


def _agreement(name: str, cases: Sequence[Case], score: NDArray, of: NDArray) -> float:
    measure = mean_auroc if name == "summedits" else agreement(name)
    return measure([case for case, one in zip(cases, of, strict=True) if one], score[of])


def _printed(shrinkage: float, sets: dict[str, float]) -> dict:
    """What is written of one shrinkage, printed as well."""
    mean, each = float(np.mean(list(sets.values()))), {name: round(value, 4) for name, value in sets.items()}
    print(f"{shrinkage:g}: mean {mean:.4f} {each}", flush=True)
    return {"shrinkage": shrinkage, "mean": round(mean, 4), "sets": each}


if __name__ == "__main__":
    main()
