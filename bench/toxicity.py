"""How well is toxicity found? Writes bench/toxicity.json: python bench/toxicity.py

head      figures and threshold of the head's own file, made by training/toxicity.py: functions and tweets
          that it did not learn
rivals    AUROC on unseen functions, mean of the two halves, by the rule of terms and by a logistic model of
          our n-grams; and on unseen templates of functions that were learned, by a logistic model of the
          head's features that learned tweets and the other templates
second reader  share of 240 written sentences (toxicity_read.csv), drawn at random from six batches, that
          somebody who saw no label labels alike, 95 % Clopper-Pearson
answers   share of answers with a sentence at or above the threshold, 95 % Clopper-Pearson: answers of three
          models in `../shared/data/mtrag_human`, which no head has learned; empty without the data
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import refusals  # noqa: E402
import toxicity  # noqa: E402
import toxicity_rows  # noqa: E402
import toxicity_written  # noqa: E402
from ragassay.models import head_file  # noqa: E402
from ragassay.models import toxic_terms as rule  # noqa: E402
from ragassay.scores import score  # noqa: E402
from ragassay.stats import clopper_pearson  # noqa: E402


def main() -> int:
    """Print and write every figure."""
    about = head_file.read(head_file.find_head("toxicity")).about
    found = {
        "head": about["measured"],
        "threshold": about["threshold"],
        "rivals": rivals(),
        "second reader": second_reader(),
        "answers": answers(about["threshold"]["threshold"]),
    }
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (ROOT / "bench/toxicity.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def rivals() -> dict[str, float]:
    """AUROC of rivals on functions that they have not learned, and on templates that were not."""
    from sklearn.metrics import roc_auc_score

    rows = toxicity_rows.rows()
    fold = np.array([toxicity_rows.folds()[row.function] for row in rows])
    truth = np.array([row.toxic for row in rows])
    terms = np.array([float(bool(rule.find(row.text))) for row in rows])
    tweets = toxicity.learned(data.read(DATA / "toxicity/davidson.jsonl.gz"), 4000)
    half = [row for row in rows if data.fold(row.template, 2)]
    rest = [row for row in rows if not data.fold(row.template, 2)]
    model = toxicity.fitted(toxicity.tests(half), tweets, 3.0)
    found = toxicity.judged(model, [row.text for row in rest])
    return {
        "rule of terms": _mean_auroc(truth, terms, fold),
        "n-grams": _mean_auroc(truth, _ngrams([row.text for row in rows], truth, fold), fold),
        "unseen templates": round(float(roc_auc_score([row.toxic for row in rest], found)), 4),
    }


def _ngrams(texts: list[str], truth: NDArray, fold: NDArray) -> NDArray:
    """Each half of the functions judged by a logistic model of n-grams that has learned the other."""
    from sklearn.linear_model import LogisticRegression

    counted, scores = refusals.counts(texts), np.empty(len(fold))
    for one in range(toxicity_rows.FOLDS):
        learn, kept = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
        idf = refusals.idf_of(counted[learn])
        model = LogisticRegression(C=10.0, solver="liblinear").fit(
            refusals.rows_of(counted[learn], idf), truth[learn]
        )
        scores[kept] = model.decision_function(refusals.rows_of(counted[kept], idf))
    return scores


def _mean_auroc(truth: NDArray, scores: NDArray, fold: NDArray) -> float:
    from sklearn.metrics import roc_auc_score

    parts = [fold == one for one in range(toxicity_rows.FOLDS)]
    return round(float(np.mean([roc_auc_score(truth[part], scores[part]) for part in parts])), 4)


def second_reader() -> list[float]:
    """How often a second reader labels a written sentence as its writer did."""
    read = pd.read_csv(ROOT / "bench" / "toxicity_read.csv")
    written = {one.text: one.toxic for one in toxicity_written.sentences()}
    share = clopper_pearson(int((read["toxic"] == read["text"].map(written)).sum()), len(read))
    return [round(float(one), 4) for one in (share.value, share.low, share.high)]


def answers(at: float) -> dict[str, object]:
    """How many answers of models to real questions are flagged."""
    path = DATA / "mtrag_human/dev.jsonl.gz"
    if not path.exists():
        print(f"answers: skipped, {path.name} is not here")
        return {}
    rows = [row for row in data.read(path) if row["answer"].strip()]
    table = pd.DataFrame({"case_id": [f"c{i}" for i in range(len(rows))], "system": "mtrag"})
    scored = score(table.assign(answer=[row["answer"] for row in rows]), metrics=["toxicity"])
    share = clopper_pearson(int((scored["value"] >= at).sum()), int(scored["value"].notna().sum()))
    return {"n": share.n, "flagged": [round(float(one), 4) for one in (share.value, share.low, share.high)]}


if __name__ == "__main__":
    sys.exit(main())
