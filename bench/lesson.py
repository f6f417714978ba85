"""Do the Lesson's offline checks agree with people? Spearman correlation with the mean human grades of MTRAG,
95 % bootstrap by conversation turn.

Data: MTRAG human evaluation (IBM, `../shared/data/mtrag_human`, Apache-2.0; not part of the project): 276
answers by three answerers, graded 1 to 4 by about three people each. Questions are the last turn of a
conversation: many cannot be understood alone.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = ROOT.parent / "shared/data/mtrag_human/dev.jsonl.gz"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
from ragassay.scores import score  # noqa: E402

GRADES = ("faithfulness", "completeness", "appropriateness", "naturalness")
CLAIMS = [
    *(f"supported_claims_rate:{one}" for one in ("contained", "facts", "entailed")),
    "supported_claims_rate",
]
METRICS = [*CLAIMS, "no_hallucinated_entities", "completeness_checklist", "directness", "answers_question"]
ANSWERABLE = {"ANSWERABLE": True, "UNANSWERABLE": False}


def main() -> None:
    """Print one line per metric and grade."""
    if not ANSWERS.is_file():
        sys.exit(f"skipped: {ANSWERS} is not here; see the docstring for the source")
    rows = data.read(ANSWERS)
    answers = pd.DataFrame(rows)[["id", "system", "query", "answer", "contexts"]]
    answers = answers.rename(columns={"id": "case_id", "query": "question"})
    answers["answerable"] = [ANSWERABLE.get(row["answerability"]) for row in rows]
    turns = np.array([row["id"].split("|")[0] for row in rows])
    for metric in METRICS:
        values = score(answers, metrics=[metric])["value"].to_numpy()
        for grade in GRADES:
            people = np.array([mean_grade(row["human"].get(grade)) for row in rows])
            known = np.isfinite(values) & np.isfinite(people)
            x, y = values[known], people[known]
            found, low, high = data.interval(turns[known], lambda i, x=x, y=y: spearmanr(x[i], y[i])[0])
            print(f"{metric:28} {grade:16} {found:6.3f} [{low:.2f}, {high:.2f}] n={known.sum()}")


def mean_grade(grades: dict | None) -> float:
    return float(np.mean([float(grade) for grade in grades.values()])) if grades else np.nan


if __name__ == "__main__":
    main()
