"""What the meaning guard of the perturbations lets pass and leaves out; writes bench/meaning_guard.json.

    python bench/meaning_guard.py draw   # 200 kept perturbations in two orders, to be read: two CSV files
    python bench/meaning_guard.py        # the threshold, the shares rejected, and what the two readings found

The threshold of entailment is the one of greatest balanced accuracy on `question_pairs.jsonl`, question pairs
written by hand, half of which ask the same; beside it stands what half of their bases choose, measured on
the other half. The readings are `perturbations_read.csv`: `same_1` and `same_2` say whether the
perturbed question still asks the same, by two readers apart, in two orders: neither saw the other's verdicts,
the kind of change, or how the questions are made. Both are the maintainers'. They were drawn while two
heads judged together; what the head of now keeps of them is told apart. Earlier draws (seeds 2026 to 2028)
were read by one reader twice; after the first two words were taken off the lists.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import cases, models, provenance
from ragassay.cases.perturbations import meaning_guard
from ragassay.stats import clopper_pearson

HERE = Path(__file__).parent
SEED, PARENTS, READ = 2029, 100, 200
THRESHOLDS = np.round(np.arange(0.1, 0.95, 0.05), 2)


def main(what: str = "") -> None:
    """Draw what is to be read, or measure."""
    kept, rejected, parents = perturbed()
    if what == "draw":
        draw(kept, parents)
        return
    found = {
        "script": "bench/meaning_guard.py",
        "threshold": threshold(),
        "left_out": left_out(kept, rejected),
        "read": read(),
    }
    (HERE / "meaning_guard.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def perturbed() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Perturbations of the example bank's answerable questions: those kept, those left out, their parents."""
    lines = [
        json.loads(line)
        for path in sorted(provenance.source("bundled:questions").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    rows = [
        {
            "case_id": f"q{i:03d}",
            "question": line["question"],
            "language": line.get("language") or "en",
            "answerable": bool(line["evidence"]),
            "answer_type": "short_fact",
            "query_type": "factual",
            "reference_chunk_ids": [],
        }
        for i, line in enumerate(lines)
    ]
    parents = cases.sample_parents(pd.DataFrame(rows), PARENTS, SEED)
    made = cases.perturb(parents, [1, 2, 3], np.random.default_rng(SEED))
    return *cases.guard_meaning(made, parents), parents


def draw(kept: pd.DataFrame, parents: pd.DataFrame) -> None:
    """As many of each kind as of any other, as far as there are, in two orders."""
    rng = np.random.default_rng(SEED)
    turns = kept.sample(frac=1, random_state=SEED)
    turns = turns.assign(turn=turns.groupby("kind").cumcount()).sort_values("turn", kind="stable").head(READ)
    original = turns["parent_id"].map(parents.set_index("case_id")["question"])
    listed = turns.assign(original=original)[["case_id", "kind", "intensity", "original", "question"]]
    for name in ("first", "second"):
        order = rng.permutation(len(listed))
        listed.iloc[order].to_csv(HERE / f"to_read_{name}.csv", index=False)


def threshold() -> dict:
    """The threshold of greatest balanced accuracy, and its rates on the half of the bases left out."""
    pairs = [json.loads(line) for line in (HERE / "question_pairs.jsonl").read_text().splitlines()]
    texts = [(pair["question"], pair["variant"]) for pair in pairs]
    both = models.entail([*texts, *((other, one) for one, other in texts)]).probabilities[:, 0]
    chance, same = both.reshape(2, -1).min(axis=0), np.array([pair["same"] for pair in pairs])
    half = np.array([pair["base"] % 2 == 0 for pair in pairs])
    held_out = [rates(chance[~part], same[~part], best(chance[part], same[part])) for part in (half, ~half)]
    return {
        "pairs": len(pairs),
        "chosen_on_all": best(chance, same),
        "used": meaning_guard.SAME_MEANING,
        "at_used": rates(chance, same, meaning_guard.SAME_MEANING),
        "chosen_on_one_half_and_measured_on_the_other": held_out,
        "curve": [rates(chance, same, cut) for cut in THRESHOLDS],
    }


def best(chance: np.ndarray, same: np.ndarray) -> float:
    """The highest threshold of greatest balanced accuracy."""
    balanced = [(chance[same] >= cut).mean() + (chance[~same] < cut).mean() for cut in THRESHOLDS]
    return float(THRESHOLDS[len(balanced) - 1 - int(np.argmax(balanced[::-1]))])


def rates(chance: np.ndarray, same: np.ndarray, cut: float) -> dict:
    """At a threshold: the share of same pairs kept, and of others kept, each with its interval and n."""
    return {
        "threshold": float(cut),
        "same_kept": share(chance[same] >= cut),
        "others_kept": share(chance[~same] >= cut),
    }


def left_out(kept: pd.DataFrame, rejected: pd.DataFrame) -> list[dict]:
    """How many of each kind were made, and how many of them left out, by reason."""
    lost = rejected[rejected["reason"] != meaning_guard.UNCHANGED]
    made = pd.concat([kept["kind"], lost["kind"]]).value_counts()
    counts = lost.groupby(["kind", "reason"]).size().rename("left_out").reset_index()
    return counts.assign(made=counts["kind"].map(made)).to_dict("records")


def read() -> dict:
    """What the two readings found."""
    rows = pd.read_csv(HERE / "perturbations_read.csv")
    one, two, kept = rows["same_1"] == "yes", rows["same_2"] == "yes", still_kept(rows)
    return {
        "same_at_first_reading": share(one),
        "same_at_second_reading": share(two),
        "same_at_both": share(one & two),
        "kept_now": share(kept),
        "same_at_both_of_those_kept_now": share((one & two)[kept]),
        "read_alike": share(one == two),
        "by_kind": {str(kind): share((one & two)[part.index]) for kind, part in rows.groupby("kind")},
    }


def still_kept(rows: pd.DataFrame) -> pd.Series:
    """Whether the guard of now keeps each of those read."""
    parents = pd.DataFrame({"case_id": rows.index.astype(str), "question": rows["original"]})
    variants = rows.assign(case_id=rows.index, parent_id=parents["case_id"], language="en")
    kept, _ = cases.guard_meaning(variants, parents)
    return rows.index.to_series().isin(kept["case_id"])


def share(held: np.ndarray | pd.Series) -> dict:
    """A share with its Clopper-Pearson interval and n."""
    found = clopper_pearson(int(held.sum()), len(held))
    return {
        "value": round(found.value, 3),
        "low": round(found.low, 3),
        "high": round(found.high, 3),
        "n": len(held),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
