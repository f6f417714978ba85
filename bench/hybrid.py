"""Do the hybrid assessment's metrics agree with people? Spearman correlation with the mean human grades of
MTRAG, 95 % bootstrap by turn.

Data: MTRAG human evaluation (IBM, `../shared/data/mtrag_human`, Apache-2.0; not part of the project): 276
    answers by three answerers, graded
1 to 4 by about three people each. `python bench/hybrid.py [METRIC ...]`; without names, all of them, beside
plain sentence similarity.
"""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from clustered_correlation import correlation, mean_grade

from ragassay.errors import KitError
from ragassay.scores import METRICS, score

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtrag_human" / "dev.jsonl.gz"
GRADES = ("faithfulness", "completeness", "appropriateness")
BESIDE = ("groundedness", "answer_relevancy")


def main(names: list[str]) -> int:
    """Print one line per metric and grade, or the reason why there is none."""
    if not DATA.is_file():
        print(f"skipped: {DATA} is not here; see the docstring for the source")
        return 0
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for metric in names or [
        *BESIDE,
        *(name for name, metric in METRICS.items() if metric.family == "hybrid"),
    ]:
        try:
            values = score(_answers(rows), metrics=[metric])["value"].to_numpy()
        except KitError as why:
            print(f"{metric:28} skipped: {why.what}")
            continue
        for grade in GRADES:
            print(_line(metric, grade, values, rows))
    return 0


def _answers(rows: list[dict]) -> pd.DataFrame:
    fields = {
        "case_id": "id",
        "system": "system",
        "question": "query",
        "answer": "answer",
        "contexts": "contexts",
        "reference_answer": "reference",
    }
    return pd.DataFrame({name: row.get(field) for name, field in fields.items()} for row in rows)


def _line(metric: str, grade: str, values: np.ndarray, rows: list[dict]) -> str:
    people = np.array([mean_grade(row["human"].get(grade)) for row in rows])
    known = np.isfinite(values) & np.isfinite(people)
    turns = np.array([row["id"].split("|")[0] for row in rows])
    found, low, high = correlation(values[known], people[known], turns[known])
    return f"{metric:28} {grade:16} {found:6.3f} [{low:.2f}, {high:.2f}] n={known.sum()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
