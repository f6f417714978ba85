"""Questions on guidance prose, by the earlier rules alone and by all: how many are made, how many a reader
accepts. Writes bench/guidance_questions.json: python bench/guidance_questions.py [--read FILE]

The handbook of `../shared/data/occ_handbook` is asked for 120 questions, as `ragassay questions` would ask.
`--read` writes 60 of the questions that the looser rules added, drawn at random, and all that the earlier
rules made, shuffled together, without their rules: whoever reads them gives each a verdict in
bench/guidance_read.csv (the question's SHA-256 cut to 12 digits, and the fault, if it has one). A question is
accepted if it is

natural     good English, and clear to somebody who has not read the passage
determined  answered by its reference answer rightly and whole; no other passage answers it otherwise
telling     worth asking: its answer does not follow from the question

The reader is one of the maintainers, who knows the forms: not blind in the strict sense. Counts carry
Clopper-Pearson intervals of 95 %.
"""

import argparse
import csv
import hashlib
import json
from collections import Counter
from pathlib import Path
from unittest import mock

import pandas as pd

from ragassay import cases, documents, models, stats
from ragassay.cases import rule_questions

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data" / "occ_handbook"
N, READ, SEED = 120, 60, 0


def main() -> int:
    """Print and write the figures, or say why there are none."""
    if not DATA.is_dir():
        print(f"skipped: {DATA.name} is not here; see the docstring for the source")
        return 0
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--read", type=Path, help="where to write the questions for a person")
    asked = parser.parse_args()
    chunks = cases.build_topics(documents.chunk(documents.load(DATA)[0]), seed=SEED).chunks
    now = generated(chunks)
    with mock.patch.object(rule_questions, "_looser", lambda *_: ([], [])):
        before = generated(chunks)
    added = now[~now["question"].isin(before["question"])].sample(READ, random_state=SEED)
    if asked.read:
        both = pd.concat([added, before]).sample(frac=1, random_state=SEED)
        both[["question", "reference_answer"]].to_json(asked.read, orient="records", lines=True)
    found = {
        "asked for": N,
        "passages": len(chunks),
        "made by the earlier rules": len(before) + silent(before),
        "made by all rules": len(now) + silent(now),
        "of them without an answer": silent(now),
        "by family": dict(Counter(now["family"]).most_common()),
        "read, earlier rules": accepted(before),
        "read, added by the looser rules": accepted(added),
    }
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (HERE / "guidance_questions.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def generated(chunks: pd.DataFrame) -> pd.DataFrame:
    """The answerable questions; how many of the others there are stands in its attrs."""
    found, _ = cases.generate(chunks, N, seed=SEED, entail=models.entail)
    answerable = found[found["answerable"]]
    answerable.attrs["silent"] = int((~found["answerable"]).sum())
    return answerable


def silent(found: pd.DataFrame) -> int:
    """How many questions without an answer were made beside these."""
    return int(found.attrs["silent"])


def accepted(found: pd.DataFrame) -> dict:
    """How many of these questions were read and accepted, with the interval, and the faults of the others."""
    verdicts = {row["sha256"]: row["fault"] for row in csv.DictReader((HERE / "guidance_read.csv").open())}
    names = [hashlib.sha256(question.encode()).hexdigest()[:12] for question in found["question"]]
    faults = [verdicts[name] for name in names if name in verdicts]
    good, n = faults.count(""), len(faults)
    share = stats.clopper_pearson(good, n)
    return {
        "questions": len(found),
        "read": n,
        "accepted": good,
        "share": [round(value, 3) for value in (share.value, share.low, share.high)],
        "faults": dict(Counter(fault for fault in faults if fault).most_common()),
    }


if __name__ == "__main__":
    raise SystemExit(main())
