"""Do the Lesson's offline checks agree with people? Spearman correlation with the mean human grades of MTRAG,
95 % bootstrap by conversation turn.

Data: MTRAG human evaluation (IBM, `../shared/data/mtrag_human`, Apache-2.0; not part of the project): 276
    answers by three answerers, graded
1 to 4 by about three people each. Questions are the last turn of a conversation: many cannot be understood
alone.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ragassay.errors import KitError
from ragassay.scores import score

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtrag_human" / "dev.jsonl.gz"
RESAMPLES = 1000
GRADES = ("faithfulness", "completeness", "appropriateness", "naturalness")
METRICS = (
    "supported_claims_contained",
    "supported_claims_facts",
    "supported_claims_entailed",
    "supported_claims_rate",
    "no_hallucinated_entities",
    "completeness_checklist",
    "directness",
)


def correlation(values: np.ndarray, people: np.ndarray, clusters: np.ndarray) -> tuple[float, float, float]:
    """Spearman correlation with its percentile interval, clusters resampled."""
    rng, names = np.random.default_rng(0), np.unique(clusters)
    places = {name: np.flatnonzero(clusters == name) for name in names}
    drawn = (
        np.concatenate([places[name] for name in rng.choice(names, len(names))]) for _ in range(RESAMPLES)
    )
    resampled = [spearmanr(values[chosen], people[chosen])[0] for chosen in drawn]
    return (float(spearmanr(values, people)[0]), *np.nanpercentile(resampled, [2.5, 97.5]))


def mean_grade(grades: dict | None) -> float:
    return float(np.mean([float(grade) for grade in grades.values()])) if grades else np.nan


def main() -> int:
    """Print one line per metric and grade, or the reason why there is none."""
    if not DATA.is_file():
        print(f"skipped: {DATA} is not here; see the docstring for the source")
        return 0
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for metric in METRICS:
        for line in _lines(metric, rows):
            print(line)
    return 0


def _lines(metric: str, rows: list[dict]) -> Iterator[str]:
    try:
        values = score(_answers(rows), metrics=[metric])["value"].to_numpy()
    except KitError as why:
        yield f"{metric:28} skipped: {why.what}"
        return
    turns = np.array([row["id"].split("|")[0] for row in rows])
    for grade in GRADES:
        people = np.array([mean_grade(row["human"].get(grade)) for row in rows])
        known = np.isfinite(values) & np.isfinite(people)
        found, low, high = correlation(values[known], people[known], turns[known])
        yield f"{metric:28} {grade:16} {found:6.3f} [{low:.2f}, {high:.2f}] n={known.sum()}"


def _answers(rows: list[dict]) -> pd.DataFrame:
    known = {"ANSWERABLE": True, "UNANSWERABLE": False}
    return pd.DataFrame(
        {
            "case_id": row["id"],
            "system": row["system"],
            "question": row["query"],
            "answer": row["answer"],
            "contexts": row["contexts"],
            "answerable": known.get(row["answerability"]),
        }
        for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())
