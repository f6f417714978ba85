"""What the entailment thresholds are chosen on: per use and data set the score of every judged item.

Answers that people judged (support_cases.py) serve claims and citations: an answer is supported if its least
supported piece is. MTRAG's long answers are left out: one label says little of their many claims.
Pairs that no head has learned from serve contradiction: the part of nli/train and nli/breaking that is kept,
pairs by rule from the OCC handbook (a work of the US government), and distortions written by hand
(bench/grouse_topics.json). What was labelled by machine (conjnli-auto) is left out; nli/dev is for measuring
alone.
"""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import data
import edits
import entailment
import support_cases
from ragassay import documents
from ragassay.scores.families.grouse import OWN
from ragassay.scores.families.similarity import choose_premises
from ragassay.scores.metric import Tools, compute_together
from ragassay.scores.numbers.amounts import missing_numbers
from ragassay.scores.text_reading import claim_text

# most answers of a set (SummEdits: of a domain) by the hash of their ids, and most pairs of a source
MOST = {"begin": 300, "wice": 100, "summedits": 60}
MOST_PAIRS = 600
TOPICS = Path(__file__).resolve().parents[1] / "bench" / "grouse_topics.json"
NEVER = -1.0  # the score of an answer that no threshold lets through: a number is missing


class Item(NamedTuple):
    """A judged item: what is resampled together, whether it is what the use looks for, its score."""

    group: str
    label: int
    score: float


def judged_answers(folder: Path, kind: str, tools: Tools) -> dict[str, list[Item]]:
    """Data set -> answers with the score of their least supported claim or sentence.

    kind : `claims` and `citations`: probability of entailment, of claims or of sentences; `similarity`: the
        greatest cosine, NEVER where a number is missing
    """
    cases = _cases(folder)
    scores = compute_together([partial(_score, case, kind, tools) for case, _ in cases], tools)
    found: dict[str, list[Item]] = {}
    for (case, label), value in zip(cases, scores, strict=True):
        if value is not None:
            found.setdefault(case.data.partition("/")[0], []).append(Item(case.document, label, value))
    return found


def _score(case: support_cases.Case, kind: str, tools: Tools) -> float | None:
    texts = [sentence.text for sentence in case.material.answer_sentences]
    texts = claim_text.cut(texts) if kind == "claims" else texts
    passages = [sentence.text for sentence in case.material.context_sentences]
    if not (texts and passages):
        return None
    measure = _nearest if kind == "similarity" else _entailed
    return measure(texts, passages, case.material.contexts or (), tools)


def _entailed(texts: Sequence[str], passages: Sequence[str], _: Sequence[str], tools: Tools) -> float:
    chosen = zip(choose_premises(texts, passages, tools), texts, strict=True)
    return float(tools.entail([(premise, text) for (premise, _), text in chosen]).probabilities[:, 0].min())


def _nearest(texts: Sequence[str], passages: Sequence[str], whole: Sequence[str], tools: Tools) -> float:
    if any(missing_numbers(text, whole) for text in texts):
        return NEVER
    return float(tools.cosines(texts, passages).max(axis=1).min())


def _cases(folder: Path) -> list[tuple[support_cases.Case, int]]:
    """The judged answers, WiCE's partly supported claims as not supported; BEGIN's generic ones left out."""
    generic = {row["id"] for row in data.read(folder / "begin/dev.jsonl.gz") if row["label"] == "Generic"}
    found: dict[str, list[tuple[support_cases.Case, int]]] = {}
    for case in support_cases.cases(folder):
        if case.data != "mtrag_human" and case.material.case_id not in generic:
            found.setdefault(case.data, []).append((case, int(case.label == 1)))
    ordered = {
        name: sorted(rows, key=lambda row: _hash(row[0].material.case_id)) for name, rows in found.items()
    }
    return [one for name, rows in ordered.items() for one in rows[: MOST[name.partition("/")[0]]]]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def judged_pairs(folder: Path) -> dict[str, list[entailment.Pair]]:
    """Source -> pairs of which no head has learned, with their label."""
    sources = {row["premise"]: row["source"] for row in data.read(folder / "nli/train.jsonl.gz")}
    found: dict[str, list[entailment.Pair]] = {"occ_handbook": _by_rule(folder), "grouse_topics": _topics()}
    for pair in entailment.human(folder)[1]:
        source = sources.get(pair[0], "breaking").replace("-dev", "").replace("-test", "")
        if source != entailment.AUTOMATIC:
            found.setdefault(source, []).append(pair)
    drawn = {
        name: sorted(set(pairs), key=lambda pair: _hash("\0".join(pair))) for name, pairs in found.items()
    }
    return {name: pairs[:MOST_PAIRS] for name, pairs in drawn.items()}


def _by_rule(folder: Path) -> list[entailment.Pair]:
    texts, _ = documents.load(folder / "occ_handbook")
    sentences = [one for text in texts["text"] for one in documents.sentences(text)]
    return edits.pairs(sentences, random.Random(data.SEED))


def _topics() -> list[entailment.Pair]:
    """Each sentence beside those of the reference answer that are as near as GroUSE's rule asks."""
    tools, found = Tools(), list[entailment.Pair]()
    for topic in json.loads(TOPICS.read_text(encoding="utf-8")):
        reference = [text for text, _ in topic["gt"]]
        for kind in ("para", "short", "wrong", "wrong_para"):
            label = "contradiction" if "wrong" in kind else "entailment"
            for text in [next(part for part in one if isinstance(part, str)) for one in topic[kind]]:
                near = tools.cosines([text], reference)[0] >= OWN
                own = " ".join(one for one, is_near in zip(reference, near, strict=True) if is_near)
                found += [(own, text, label)] if own else []
    return found


def contradicted(pairs: Sequence[entailment.Pair], both_ways: bool, entail: Callable) -> list[Item]:
    """The pairs with their probability of contradiction, the smaller of both directions if asked."""
    chances = entail([pair[:2] for pair in pairs]).probabilities[:, 2]
    if both_ways:
        chances = np.minimum(chances, entail([pair[1::-1] for pair in pairs]).probabilities[:, 2])
    judged = zip(pairs, chances, strict=True)
    return [Item(one, int(label == "contradiction"), float(chance)) for (one, _, label), chance in judged]
