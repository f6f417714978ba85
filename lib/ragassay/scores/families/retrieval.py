"""Retrieval: were the reference passages found, how early, and do the passages hold the question's key terms?

HCAT figures 5 and 6 print no formula; the definitions are ours, after decision 5. For ranks a passage named
twice counts where it stands first.
"""

import json
import math
from collections.abc import Collection, Sequence
from functools import cache

from ragassay.scores.metric import NotApplicable, Result, Tools
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import word_lists
from ragassay.scores.text_reading.word_lists import Word


def recall(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """Share of the distinct reference passages that were retrieved, in [0, 1]; higher is better. Raises
    ValueError if there is no reference passage. Source: HCAT figure 5 (hard recall)."""
    return len(ranks(retrieved, reference)) / len(set(reference))


def precision(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """Share of the distinct retrieved passages that are reference passages, in [0, 1]; higher is better.
    Raises NotApplicable if nothing was retrieved, ValueError if there is no reference passage. Source: HCAT
    figure 5."""
    if not retrieved:
        raise NotApplicable("no passage was retrieved")
    return len(ranks(retrieved, reference)) / len(set(retrieved))


def hit(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """1 if a reference passage was retrieved, else 0; higher is better. Raises ValueError if there is no
    reference passage. Source: Karpukhin et al. (2020), top-k accuracy with k the number retrieved."""
    return float(bool(ranks(retrieved, reference)))


def reciprocal_rank(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """1 / rank of the first reference passage retrieved, in [0, 1]; 0 where none was; higher is better.

    Raises as `hit`. Source: Voorhees (1999); its mean over questions is MRR.
    """
    found = ranks(retrieved, reference)
    return 1 / found[0] if found else 0.0


def ndcg(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """Gain of the reference passages retrieved, 1 each, discounted by 1 / log2(rank + 1), over that of the
    best order of all of them, in [0, 1]; higher is better. Nothing is cut off: one that was not retrieved
    lowers the value, as in trec_eval. Raises as `hit`. Source: Järvelin and Kekäläinen (2002), with the
    discount of Burges et al. (2005)."""
    gain = sum(1 / math.log2(rank + 1) for rank in ranks(retrieved, reference))
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, len(set(reference)) + 1))


def ranks(retrieved: Sequence[str], reference: Collection[str]) -> list[int]:
    """The ranks, from 1 and rising, of the reference passages among the distinct passages retrieved.

    Raises ValueError if there is no reference passage.
    """
    if not reference:
        raise ValueError("no reference passage: the value does not exist")
    return [rank for rank, one in enumerate(dict.fromkeys(retrieved), 1) if one in set(reference)]


FORMULAS = {"recall": recall, "precision": precision, "": reciprocal_rank, "hit": hit, "ndcg": ndcg}


def ranking(sample: Sample, tools: Tools, option: str = "") -> Result:
    """One of FORMULAS of the reference passages among those retrieved; each with the rank it was retrieved
    at, None if it was not."""
    retrieved, reference = sample.context_ids or (), sample.reference_chunk_ids or ()
    place = {one: rank for rank, one in enumerate(dict.fromkeys(retrieved), 1)}
    detail = [{"id": one, "rank": place.get(one)} for one in dict.fromkeys(reference)]
    return FORMULAS[option](retrieved, reference), detail


def evidence_sufficiency(sample: Sample, tools: Tools) -> Result:
    """Share of the question's key terms that stand in the retrieved passages, by stem or synonym, in [0, 1];
    higher is better.

    Source: Lesson section 9.5 ("if top-k evidence lacks key terms, instruct model to abstain").
    """
    terms = key_terms(sample.question or "")
    there = {word.stem for passage in sample.contexts or () for word in word_lists.words(passage)}
    if not terms:
        raise NotApplicable("the question has no key term")
    known = word_lists.synonyms()
    met = {word.stem for word in terms if word.stem in there or known.get(word.stem, frozenset()) & there}
    detail = [{"text": word.written, "score": float(word.stem in met)} for word in terms]
    return len(met) / len({word.stem for word in terms}), detail


def key_terms(question: str) -> list[Word]:
    """The words of a question that say what it is about, the first of each stem: numbers and all words that
    neither ask nor are stop words of English, Spanish or Portuguese; of words of one or two letters numbers
    and abbreviations."""
    said = [
        word
        for word in word_lists.words(question)
        if (len(word.lower) > 2 or word.lower.isdigit() or word.written.isupper())
        and word.content
        and word.lower not in stop_words()
    ]
    return list({word.stem: word for word in reversed(said)}.values())[::-1]


@cache
def stop_words() -> frozenset[str]:
    """The stop words of English, Spanish and Portuguese, and the words that ask."""
    from ragassay.cases.case_table import DATA

    listed = json.loads((DATA / "stop_words.json").read_text(encoding="utf-8")).values()
    return frozenset(word for text in listed for word in text.split()) | word_lists.kind("asking")
