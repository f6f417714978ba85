"""In what share of failing cases `analysis.blame` names what is at fault, where that is known because it was
planted.

The bundled bank's own answerable questions, in English, with their reference answers and passages; 40 of
them, drawn by seed, for each fault. What was retrieved is made: four passages that share most words with the
question, with the reference passages (generator; declining, where the answer is a refusal), without them
(retriever), with the first of several alone (retriever, part retrieved). `documents lack it`: the
reference passages are taken out of the documents, and the case names none. `faulty question`: the reference
answer is that of a question about another document. `no passages named`: the same where the case names no
reference passage, so that the extractive oracle alone decides. No other wording, and no answer with passages
given or taken away, is there to help. Writes bench/blame.json.

HOLDS and LACKS of the oracle were chosen on these very questions (the shares that its docstring quotes), the
faults and the rules were not.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay import documents, provenance
from ragassay.analysis import blame, failing_answer_facts
from ragassay.cases import own_questions
from ragassay.cases.question_filter import Index
from ragassay.stats import clopper_pearson

HERE = Path(__file__).resolve().parent
N, RETRIEVED, SEED = 40, 4, 0
WRONG = "The branch in Harbour Street opens at nine."
REFUSAL = "I could not find this in the documents."


class Fault(NamedTuple):
    """What is at fault; whether the reference passages are retrieved, and named; what is answered."""

    blamed: str
    retrieved: str
    named: bool = True
    answer: str = WRONG


FAULTS = {
    "retriever": Fault("retriever", "none"),
    "generator": Fault("generator", "all"),
    "retriever, no passages named": Fault("retriever", "none", named=False),
    "generator, no passages named": Fault("generator", "all", named=False),
    "documents lack it": Fault("documents lack it", "none", named=False),
    "faulty question": Fault("faulty question", "all"),
    "declining": Fault("declining", "all", answer=REFUSAL),
    "declining, no passages named": Fault("declining", "all", named=False, answer=REFUSAL),
    "retriever, and declined": Fault("retriever", "none", answer=REFUSAL),
    "retriever, part retrieved": Fault("retriever", "part"),
}


def planted(fault: str, cases: pd.DataFrame, chunks: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The failing cases with what is known of each, and `blamed`."""
    _, retrieved, names, answer = FAULTS[fault]
    if retrieved == "part":
        cases = cases[cases["reference_chunk_ids"].map(len) > 1]
    drawn = cases.iloc[rng.permutation(len(cases))[:N]].reset_index(drop=True)
    gold = drawn["reference_chunk_ids"].tolist()
    there = chunks
    if fault == "documents lack it":
        there = chunks[~chunks["chunk_id"].isin([name for each in gold for name in each])]
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    found = [_retrieved(q, ids, there, retrieved) for q, ids in zip(drawn["question"], gold, strict=True)]
    rows = drawn.assign(
        context_ids=found,
        contexts=[[texts[name] for name in each] for each in found],
        answer=answer,
        error="",
        correct=0.0,
        judged_by=failing_answer_facts.RATERS,
    )
    if not names:
        rows["reference_chunk_ids"] = [[] for _ in gold]
    if fault == "faulty question":
        rows["reference_answer"] = [_of_another(row, cases, rng) for row in rows.to_dict("records")]
    return blame.blame(failing_answer_facts.gather_evidence(rows, there))


def _retrieved(question: str, gold: list[str], chunks: pd.DataFrame, which: str) -> list[str]:
    ids = chunks["chunk_id"].tolist()
    near = [ids[place] for place in Index(chunks["text"].tolist()).top(question, RETRIEVED + len(gold))]
    others = [name for name in near if name not in gold]
    first = {"all": gold, "part": gold[:1], "none": []}[which]
    return [*first, *others][:RETRIEVED]


def _of_another(row: dict, cases: pd.DataFrame, rng: np.random.Generator) -> str:
    document = row["reference_chunk_ids"][0].split("#")[0]
    others = cases[[not ids[0].startswith(document) for ids in cases["reference_chunk_ids"]]]
    return others["reference_answer"].iloc[int(rng.integers(len(others)))]


def shares(fault: str, found: pd.DataFrame) -> dict:
    """How often each was blamed; the share right with its exact interval."""
    share = clopper_pearson(int((found["blamed"] == FAULTS[fault].blamed).sum()), len(found))
    told = {
        "right": round(share.value, 3),
        "low": round(share.low, 3),
        "high": round(share.high, 3),
        "n": share.n,
    }
    return told | {"blamed": found["blamed"].value_counts().to_dict()}


def main() -> None:
    """One line a fault, printed and written."""
    rng = np.random.default_rng(SEED)
    chunks = documents.chunk(documents.load(provenance.source("bundled:documents"))[0])
    asked = own_questions.read_cases(provenance.source("bundled:questions"), chunks)[0]
    known = asked["answerable"] & (asked["language"] == "en") & (asked["reference_chunk_ids"].map(len) > 0)
    results = {fault: shares(fault, planted(fault, asked[known], chunks, rng)) for fault in FAULTS}
    right = sum(round(one["right"] * one["n"]) for one in results.values())
    whole = clopper_pearson(right, sum(one["n"] for one in results.values()))
    results["all"] = {
        "right": round(whole.value, 3),
        "low": round(whole.low, 3),
        "high": round(whole.high, 3),
        "n": whole.n,
    }
    text = json.dumps(results, indent=1) + "\n"
    sys.stdout.write(text)
    (HERE / "blame.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
