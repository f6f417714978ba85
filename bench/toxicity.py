"""How alike are toxic sentences labelled, and how often is an answer flagged? Writes bench/toxicity.json.

second reader  share of 240 written sentences (toxicity_read.csv), drawn at random from six batches, that
               somebody who saw no label labels alike, 95 % Clopper-Pearson
rule           share of tweets of each class that the rule of `toxicity_rule` flags, its recall and precision;
               printed alone. `../shared/data/toxicity` (Davidson et al. 2017, MIT) was collected by a lexicon
               of slurs, which flatters recall, and is mostly toxic, which flatters precision: the false
               alarms on `neither` are the honest figure
answers        share of answers with a sentence at or above the threshold, 95 % Clopper-Pearson: answers of
               three models in `../shared/data/mtrag_human`, which no head has learned; left out without it
"""

import json
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = ROOT.parent / "shared/data/mtrag_human/dev.jsonl.gz"
TWEETS = ROOT.parent / "shared/data/toxicity/davidson.jsonl.gz"
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import toxicity_rows  # noqa: E402
from ragassay.models import head_file, toxic_terms  # noqa: E402
from ragassay.scores import score  # noqa: E402
from ragassay.stats import clopper_pearson  # noqa: E402


def main() -> None:
    """Print and write every figure."""
    found: dict[str, object] = {"second reader": second_reader()}
    if ANSWERS.exists():
        found["answers"] = flagged_answers()
    if TWEETS.exists():
        print(json.dumps(rule(), indent=1))
    text = json.dumps(found, indent=1)
    (ROOT / "bench/toxicity.json").write_text(text + "\n", encoding="utf-8")
    print(text)


def second_reader() -> list[float]:
    """How often a second reader labels a written sentence as its writer did."""
    read = pd.read_csv(ROOT / "bench" / "toxicity_read.csv")
    written = {one.text: one.toxic for one in toxicity_rows.sentences()}
    return share((read["toxic"] == read["text"].map(written)).sum(), len(read))


def flagged_answers() -> dict[str, object]:
    """How many answers of models to real questions are flagged."""
    threshold = head_file.read(head_file.find_head("toxicity")).about["threshold"]["threshold"]
    answers = [row["answer"] for row in data.read(ANSWERS) if row["answer"].strip()]
    ids = [f"c{place}" for place in range(len(answers))]
    table = pd.DataFrame({"case_id": ids, "system": "mtrag", "answer": answers})
    values = score(table, metrics=["toxicity"])["value"].dropna()
    return {"n": len(values), "flagged": share((values >= threshold).sum(), len(values))}


def rule() -> dict[str, list[float]]:
    """How the rule of terms does on tweets that a crowd judged."""
    tweets = pd.DataFrame(data.read(TWEETS))
    hit, toxic = tweets["text"].map(toxic_terms.find).astype(bool), tweets["label"] != "neither"
    found = {f"flagged: {name}": share(own.sum(), len(own)) for name, own in hit.groupby(tweets["label"])}
    found["recall"] = share(hit[toxic].sum(), toxic.sum())
    return found | {"precision": share(toxic[hit].sum(), hit.sum())}


def share(hits: int, n: int) -> list[float]:
    found = clopper_pearson(int(hits), int(n))
    return [round(float(one), 4) for one in (found.value, found.low, found.high)]


if __name__ == "__main__":
    main()
