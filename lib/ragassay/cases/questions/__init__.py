"""Questions from the passages themselves, without a language model (HCAT section 2, step 5, by rules).

units.py     passages into sentences, steps and table rows, each with its title and heading
words.py     verbs, values and names by closed lists;   clauses.py  a sentence as subject, verb and rest
english.py   one pattern per kind of fact;   yes_no.py  claims asked back;   lists.py  steps and tables;   romance.py  Spanish and Portuguese
context.py   the document named where the question needs it;   checks.py  what is kept, and why the rest is not
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ragassay import models
from ragassay.cases import rows, sampling
from ragassay.cases.questions import checks, context, english, lists, romance, units, words, yes_no
from ragassay.cases.questions.candidate import Candidate

POOL = 3  # questions compared with their passages, per question wanted
REJECTED = ["question", "reason", "family", "chunk_id", "similarity"]


def generate(
    chunks: pd.DataFrame,
    n: int,
    *,
    seed: int = 0,
    allocation: str = "proportional",
    weights: dict[str, float] | None = None,
    model: str = "minilm",
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n questions over the strata, and those that failed the checks.

    Facts are taken from sentences, table rows and numbered steps by rules, and asked in their own words; the document is named where
    the question would not be clear without it. Strata are served by `sampling.allocate`; within one, kinds of question take turns and
    passages not yet asked about come first. Fewer than n come back where the passages do not hold n good ones.

    Parameters
    ----------
    chunks : chunk_id, doc_id, text; topic, language, heading and title where known
    allocation : "proportional" to the passages of a stratum, "equal", or "weighted" by `weights`

    Returns
    -------
    cases : rows of the cases table, kind "generated", with key_fact, family and similarity (cosine with its passage) besides
    rejected : question, reason, family, chunk_id, similarity; in the order they were made. Only three times n questions of good form
        are compared with their passages, so a large collection does not cost more than n asks for
    """
    rng = np.random.default_rng(seed)
    formed, flawed = _formed(list(candidates(chunks, rng)))
    pool = _drawn(formed, chunks, POOL * n, allocation, weights, rng)
    near, far = _measured(pool, chunks, model, encode)
    drawn = _drawn(near, chunks, n, allocation, weights, rng)
    failed = sorted(flawed + far, key=lambda row: row["order"])
    cases = [{"case_id": f"g-{i:04d}"} | row for i, row in enumerate(drawn, start=1)]
    return rows.frame(cases, extra=["key_fact", "family", "similarity"]), pd.DataFrame(_named(failed), columns=REJECTED)


def candidates(chunks: pd.DataFrame, rng: np.random.Generator) -> Iterator[Candidate]:
    """Every question the rules make, in the order of the passages: sentences first, then tables and steps."""
    vocabulary = words.small_words(chunks["text"])
    sentences, blocks = units.read(chunks)
    for unit in sentences:
        if unit.language in romance.PATTERNS:
            yield from romance.questions(unit)
        elif unit.language == "en":
            yield from english.questions(unit, vocabulary)
            yield from yes_no.questions(unit, vocabulary, rng)
    for block in blocks:
        yield from lists.questions(block, vocabulary)


def _formed(made: list[Candidate]) -> tuple[list[dict], list[dict]]:
    """Candidates of good form, each question once (the first is kept), and the others with their flaw."""
    found = [_row(candidate) | {"order": i} for i, candidate in enumerate(made)]
    seen: set[str] = set()
    for row in found:
        key = checks.asked_before(row["question"])
        row["reason"] = row["reason"] or ("is asked already" if key in seen else "")
        seen |= set() if row["reason"] else {key}
    return [row for row in found if not row["reason"]], [row for row in found if row["reason"]]


def _measured(pool: list[dict], chunks: pd.DataFrame, model: str, encode: Callable) -> tuple[list[dict], list[dict]]:
    """Those near enough to their passage, and those too far from it."""
    text = chunks.set_index("chunk_id")["text"]
    passages = [text[row["reference_chunk_ids"][0]] for row in pool]
    for row, similarity in zip(pool, checks.similarities([row["question"] for row in pool], passages, model, encode), strict=True):
        row["similarity"] = float(similarity)
        row["reason"] = "is far from its passage" if similarity < checks.NEAR_ENOUGH else ""
    return [row for row in pool if not row["reason"]], [row for row in pool if row["reason"]]


def _named(failed: list[dict]) -> list[dict]:
    return [row | {"chunk_id": row["reference_chunk_ids"][0]} for row in failed]


def _row(candidate: Candidate) -> dict:
    source = candidate.source
    question = context.place(candidate.question, source.title, source.language)
    reason = "needs its document named, and the document has no title" if question is None else checks.flaw(question, candidate)
    return {
        "question": question or candidate.question,
        "reason": reason,
        "answer_type": candidate.answer_type,
        "query_type": candidate.query_type,
        "topic": source.topic,
        "reference_answer": candidate.answer,
        "reference_chunk_ids": list(candidate.chunk_ids),
        "language": source.language,
        "kind": "generated",
        "key_fact": candidate.key_fact,
        "family": candidate.family,
        "similarity": np.nan,
    }


def _drawn(
    passed: list[dict], chunks: pd.DataFrame, n: int, allocation: str, weights: dict[str, float] | None, rng: np.random.Generator
) -> list[dict]:
    """n rows over the strata, in the order of the strata; a stratum's share follows its passages, not its candidates."""
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    sizes = dict.fromkeys(sorted(names.unique()), 0)
    for row in passed:
        sizes[row["topic"] or ""] += 1
    passages = {str(name): float(count) for name, count in names.value_counts().items()}
    how, shares = ("equal", None) if allocation == "equal" else ("weighted", weights if allocation == "weighted" else passages)
    counts = sampling.allocate(sizes, n, how, shares)
    return [row for name in sorted(counts) for row in _turns([row for row in passed if (row["topic"] or "") == name], counts[name], rng)]


def _turns(inside: list[dict], count: int, rng: np.random.Generator) -> list[dict]:
    """`count` rows of a stratum: kinds take turns, from passages asked least so far; order settled by the seed."""
    shuffled = [inside[i] for i in rng.permutation(len(inside))]
    used: dict[str, int] = {}
    kinds: dict[str, int] = {}
    chosen: list[dict] = []
    while len(chosen) < count:
        best = min(range(len(shuffled)), key=lambda i: (kinds.get(shuffled[i]["family"], 0), used.get(shuffled[i]["reference_chunk_ids"][0], 0), i))
        row = shuffled.pop(best)
        used[row["reference_chunk_ids"][0]] = used.get(row["reference_chunk_ids"][0], 0) + 1
        kinds[row["family"]] = kinds.get(row["family"], 0) + 1
        chosen.append(row)
    return chosen
