"""The answers that people judged, and the features of the support model for each (training/support.py).

BEGIN (fully attributable or not), WiCE (partly supported is not supported), SummEdits, MTRAG (mean
faithfulness), and the right and wrong answers on tables that we wrote (bench/number_pairs.jsonl).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data import read
from ragassay.scores.families import support as support_model
from ragassay.scores.families.support import inspect
from ragassay.scores.metric import NotApplicable, Tools, compute_together
from ragassay.scores.prepared_answer import Sample

SUMMEDITS = ("news", "qmsumm", "sales_email", "samsum", "scitldr")
PAIRS = Path(__file__).resolve().parents[1] / "bench" / "number_pairs.jsonl"
IN_PART = 0.5  # a claim that is partly supported: no for learning, left out where AUROC is measured
WICE = {"supported": 1.0, "partially_supported": IN_PART, "not_supported": 0.0}


@dataclass(frozen=True)
class Case:
    """An answer that people judged: its set, its document (cases of one document stay together), what they
    said (0 to 1), its material (whose system is who answered), and the collection its passages are of."""

    data: str
    document: str
    label: float
    material: Sample
    collection: str = ""

    @property
    def fold(self) -> int:
        """Which fifth it is measured in: a SummEdits domain each, documents of the other sets by their
        hash."""
        domain = self.data.removeprefix("summedits/")
        if domain in SUMMEDITS:
            return SUMMEDITS.index(domain)
        return int(hashlib.md5(self.document.encode()).hexdigest(), 16) % 5


def learned_from(data: Path) -> list[Case]:
    """All that the support model is fitted to: the answers that people judged, and our pairs on tables."""
    return cases(data) + numbers("dev")


def cases(data: Path) -> list[Case]:
    """All answers that people judged, in the order of the files."""
    found = []
    for row in read(data / "begin/dev.jsonl.gz"):
        found.append(_case("begin", row, row["contexts"][0], row["label"] == "Fully attributable"))
    for row in read(data / "wice/dev.jsonl.gz"):
        found.append(_case("wice", row, row["id"], WICE[row["label"]]))
    for row in read(data / "mtrag_human/dev.jsonl.gz"):
        found.append(_case("mtrag_human", row, row["id"].split("<")[0], _faithful(row)))
    for one in (f"summedits/{domain}" for domain in SUMMEDITS):
        for row in read(data / f"{one}.jsonl.gz"):
            found.append(_case(one, row, row["contexts"][0], int(row["label"])))
    return found


def numbers(half: str) -> list[Case]:
    """The right and the wrong answer of every pair on tables of a half, in turn."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = []
    for place, row in enumerate(rows):
        for said in ("correct", "wrong") if row["half"] == half else ():
            one = {"id": f"{place} {said}", "query": row["question"], "answer": row[said]}
            case = one | {"contexts": row["passages"]}
            found.append(_case("numbers", case, row["passages"][0], said == "correct"))
    return found


def inputs(found: Sequence[Case], tools: Tools) -> NDArray[np.float64]:
    """The model's features of every case (n, number of FEATURES); NaN where there is nothing to judge."""
    calls = [partial(_features, one.material, tools) for one in found]
    return np.array(compute_together(calls, tools)).astype(np.float32).astype(float)


def _features(material: Sample, tools: Tools) -> list[float]:
    try:
        findings, chances, _ = inspect(material, tools)
    except NotApplicable:
        return [np.nan] * len(support_model.NAMES)
    return list(support_model.features(findings, chances).values())


def _case(data: str, row: dict, document: str, label: float) -> Case:
    texts = {"answer": row["answer"], "question": row.get("query"), "contexts": tuple(row["contexts"])}
    material = Sample(row["id"], row.get("system") or data, **texts)
    return Case(data, document, float(label), material, row.get("collection") or data)


def _faithful(row: dict) -> float:
    return (float(np.mean([int(vote) for vote in row["human"]["faithfulness"].values()])) - 1) / 3
