"""How often `scores.same_answer` finds a difference between a text and its retelling, and another statement.

Written pairs (training/distorted_pairs): a text beside its retelling in other words (the same), a distorted
retelling, one that adds to it, and the retelling of another text. The rules of same_answer.py were written
with four batches in view; the two others are reported apart. Writes bench/same_answers.json.
"""

import json
import sys
from pathlib import Path

from ragassay.scores.families import same_answer
from ragassay.stats import clopper_pearson

HERE = Path(__file__).resolve().parent
PAIRS = HERE.parent / "training" / "distorted_pairs"
REPORTED = ("newsroom", "operations")  # the last two by name; the others were in view
KINDS = ("same", "distorted", "stronger", "other")


def pairs_of(batch: str) -> dict[str, list[tuple[str, str]]]:
    """By kind, each text beside what is told of it; `other` is the retelling of the next text."""
    lines = (PAIRS / f"{batch}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = {kind: [(row["premise"], told) for row in rows for told in row[kind]] for kind in KINDS[:3]}
    following = zip(rows, [*rows[1:], rows[0]], strict=True)
    return found | {"other": [(row["premise"], other["same"][0]) for row, other in following]}


def rates(batches: list[str]) -> dict[str, dict]:
    """By kind the share of pairs in which no difference was found, with its exact interval."""
    parts = [pairs_of(batch) for batch in batches]
    return {kind: _rate([pair for part in parts for pair in part[kind]]) for kind in KINDS}


def _rate(pairs: list[tuple[str, str]]) -> dict:
    found = same_answer.compare_answers(pairs)
    share = clopper_pearson(sum(each.same for each in found), len(found))
    return {"no_difference": round(share.value, 3), "low": round(share.low, 3), "high": round(share.high, 3),
            "n": share.n}  # fmt: skip


def main() -> None:
    """Both halves, printed and written."""
    batches = sorted(path.stem for path in PAIRS.glob("*.jsonl"))
    seen = [batch for batch in batches if batch not in REPORTED]
    found = {
        "in view": {"batches": seen, **rates(seen)},
        "reported": {"batches": list(REPORTED), **rates(list(REPORTED))},
    }
    text = json.dumps(found, indent=1) + "\n"
    sys.stdout.write(text)
    (HERE / "same_answers.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
