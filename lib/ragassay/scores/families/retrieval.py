"""Retrieval: were the right passages found (hard, against reference passages), how early do they stand among
those retrieved, or are at least relevant ones there (soft, by sentences)?

HCAT figures 5 and 6 show the hard and the soft and print no formula for either; the definitions here are
ours, after decision 5. Soft recall, what BERTScore calls recall with the question as reference and the
contexts as candidate, is the mean context relevancy. For ranks the passages count in the order in which the
assistant names them; a passage named twice counts where it stands first.
"""

import math
from collections.abc import Collection, Sequence

from ragassay.scores.families.similarity import best_matches
from ragassay.scores.metric import Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def recall(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct reference passages that were retrieved, in [0, 1]; higher is better.

    Raises ValueError if there is no reference passage. Source: HCAT figure 5 (hard recall, against known
    passages).
    """
    if not reference:
        raise ValueError("no reference passage: recall does not exist")
    return len(set(retrieved) & set(reference)) / len(set(reference))


def precision(retrieved: Collection[str], reference: Collection[str]) -> float:
    """Share of the distinct retrieved passages that are reference passages, in [0, 1]; higher is better.

    Raises ValueError if nothing was retrieved or there is no reference passage. Source: HCAT figure 5 (hard
    precision).
    """
    if not reference:
        raise ValueError("no reference passage: precision does not exist")
    if not retrieved:
        raise ValueError("nothing was retrieved: precision does not exist")
    return len(set(retrieved) & set(reference)) / len(set(retrieved))


def hit(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """1 if a reference passage was retrieved, else 0; higher is better.

    Raises ValueError if there is no reference passage. Source: Karpukhin et al. (2020), top-k accuracy
    with k the number of passages retrieved.
    """
    return float(bool(ranks(retrieved, reference)))


def reciprocal_rank(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """1 / rank of the first reference passage retrieved, in [0, 1]; 0 where none was; higher is better.

    Raises as `hit`. Source: Voorhees (1999); its mean over questions is MRR.
    """
    found = ranks(retrieved, reference)
    return 1 / found[0] if found else 0.0


def ndcg(retrieved: Sequence[str], reference: Collection[str]) -> float:
    """Gain of the reference passages retrieved, discounted by rank, over that of the best order of all of
    them, in [0, 1]; higher is better.

    Every reference passage has gain 1, the discount is 1 / log2(rank + 1), and nothing is cut off: a
    reference passage that was not retrieved lowers the value, as in trec_eval. Raises as `hit`. Source:
    Järvelin and Kekäläinen (2002), with the discount of Burges et al. (2005).
    """
    best = range(1, len(set(reference)) + 1)
    return _gain(ranks(retrieved, reference)) / _gain(best)


def ranks(retrieved: Sequence[str], reference: Collection[str]) -> list[int]:
    """The ranks, from 1 and rising, of the reference passages among the distinct passages retrieved.

    Raises
    ------
    ValueError
        If there is no reference passage.
    """
    if not reference:
        raise ValueError("no reference passage: no rank exists")
    return [rank for rank, one in enumerate(dict.fromkeys(retrieved), 1) if one in set(reference)]


def _gain(places: Collection[int]) -> float:
    return sum(1 / math.log2(place + 1) for place in places)


def retrieval_recall(sample: Sample, tools: Tools) -> Result:
    """Reference passages that were retrieved."""
    retrieved, reference = _passages(sample)
    return recall(retrieved, reference), _members(reference, retrieved)


def retrieval_precision(sample: Sample, tools: Tools) -> Result:
    """Retrieved passages that are reference passages."""
    retrieved, reference = _passages(sample)
    if not retrieved:
        raise NotApplicable("no passage was retrieved")
    return precision(retrieved, reference), _members(retrieved, reference)


def relevancy_precision(sample: Sample, tools: Tools) -> Result:
    """Soft precision: mean over the retrieved sentences of the best cosine with the question's, in [-1, 1];
    higher is better.

    Low where much was retrieved that does not bear on the question; the least relevant retrieved sentence is
    flagged. Source: HCAT figure 6 (relevancy, sentence precision); Zhang et al. (2020), section 3.
    """
    return best_matches(sample.context_sentences, sample.question_sentences, tools)


def retrieval_hit_rate(sample: Sample, tools: Tools) -> Result:
    """Whether a reference passage was retrieved."""
    return hit(*_passages(sample)), _ranked(sample)


def retrieval_mrr(sample: Sample, tools: Tools) -> Result:
    """The reciprocal rank of the first reference passage."""
    return reciprocal_rank(*_passages(sample)), _ranked(sample)


def retrieval_ndcg(sample: Sample, tools: Tools) -> Result:
    """The discounted gain of the reference passages, as a share of the best."""
    return ndcg(*_passages(sample)), _ranked(sample)


def _passages(sample: Sample) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return sample.context_ids or (), sample.reference_chunk_ids or ()


def _ranked(sample: Sample) -> Detail:
    """Each reference passage with the rank it was retrieved at, None if it was not."""
    retrieved, reference = _passages(sample)
    place = {one: rank for rank, one in enumerate(dict.fromkeys(retrieved), 1)}
    return [{"id": one, "rank": place.get(one)} for one in dict.fromkeys(reference)]


def _members(these: Collection[str], those: Collection[str]) -> Detail:
    return [{"id": one, "score": float(one in those)} for one in dict.fromkeys(these)]
