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
from ragassay.analysis import blame
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


def planted(fault: Fault, name: str, cases: pd.DataFrame, chunks: pd.DataFrame, rng) -> pd.DataFrame:
    """The failing cases with what is known of each, and `blamed`."""
    if fault.retrieved == "part":
        cases = cases[cases["reference_chunk_ids"].map(len) > 1]
    drawn = cases.iloc[rng.permutation(len(cases))[:N]].reset_index(drop=True)
    gold, there = drawn["reference_chunk_ids"].tolist(), chunks
    if name == "documents lack it":
        there = chunks[~chunks["chunk_id"].isin([one for each in gold for one in each])]
    ids, index = there["chunk_id"].tolist(), Index(there["text"].tolist())
    found = []
    for question, own in zip(drawn["question"], gold, strict=True):
        near = [ids[place] for place in index.top(question, RETRIEVED + len(own))]
        first = {"all": own, "part": own[:1], "none": []}[fault.retrieved]
        found.append([*first, *(one for one in near if one not in own)][:RETRIEVED])
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    contexts = [[texts[one] for one in each] for each in found]
    rows = drawn.assign(context_ids=found, contexts=contexts, answer=fault.answer, error="", correct=0.0)
    rows = rows.assign(judged_by=blame.RATERS)
    if not fault.named:
        rows["reference_chunk_ids"] = [[] for _ in gold]
    if name == "faulty question":  # the reference answer to a question about another document
        document = cases["reference_chunk_ids"].str[0].str.partition("#")[0]
        others = [cases["reference_answer"][document != own[0].split("#")[0]] for own in gold]
        rows["reference_answer"] = [one.iloc[int(rng.integers(len(one)))] for one in others]
    return blame.blame(blame.gather_evidence(rows, there))


def share(right: int, n: int) -> dict:
    """The share right with its exact interval."""
    found = clopper_pearson(right, n)
    return {"right": round(found.value, 3), "low": round(found.low, 3), "high": round(found.high, 3), "n": n}


def main() -> None:
    """One line a fault, printed and written."""
    rng = np.random.default_rng(SEED)
    chunks = documents.chunk(documents.load(provenance.source("bundled:documents"))[0])
    asked = own_questions.read_cases(provenance.source("bundled:questions"), chunks)[0]
    known = asked["answerable"] & (asked["language"] == "en") & (asked["reference_chunk_ids"].map(len) > 0)
    results, right, n = {}, 0, 0
    for name, fault in FAULTS.items():
        blamed = planted(fault, name, asked[known], chunks, rng)["blamed"]
        hits = int((blamed == fault.blamed).sum())
        results[name] = share(hits, len(blamed)) | {"blamed": blamed.value_counts().to_dict()}
        right, n = right + hits, n + len(blamed)
    results["all"] = share(right, n)
    text = json.dumps(results, indent=1) + "\n"
    sys.stdout.write(text)
    (HERE / "blame.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
