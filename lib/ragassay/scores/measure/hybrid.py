"""The hybrid assessment's own metrics: each the mean of its parts (Hybrid 2.1 to 2.7), and competence over a whole table (2.8)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import competence, hybrid
from ragassay.scores.measure import hybrid_parts as parts
from ragassay.scores.measure.result import Detail, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools

Part = Callable[[Sample, Tools], Result]
LOWER_IS_BETTER = ("hallucination",)

GRAPH = {f"graph_{name}": getattr(parts, f"graph_{name}") for name in ("nodes", "edges", "centrality")}


def query_relevance(material: Sample, tools: Tools) -> Result:
    """2.1: similarity to the question, the two graphs, facts."""
    return _combined(
        material,
        tools,
        question_similarity=partial(parts.weighted_similarity, side="question"),
        graph_question=graph_question,
        facts_consistency=parts.facts_consistency,
    )


def factual_accuracy(material: Sample, tools: Tools) -> Result:
    """2.2: similarity to question and contexts, graphs of answer and contexts, facts."""
    return _combined(
        material,
        tools,
        question_similarity=partial(parts.weighted_similarity, side="question"),
        context_similarity=partial(parts.weighted_similarity, side="contexts"),
        graph_contexts=graph_contexts,
        facts_consistency=parts.facts_consistency,
    )


def context_consistency(material: Sample, tools: Tools) -> Result:
    """2.3: entailment from the contexts, similarity to them, graphs."""
    return _combined(
        material,
        tools,
        nli_coherence_contexts=partial(parts.nli_coherence, side="contexts"),
        context_similarity=partial(parts.weighted_similarity, side="contexts"),
        graph_contexts=graph_contexts,
    )


def semantic_relevance(material: Sample, tools: Tools) -> Result:
    """2.4: coverage, coherence, utilisation, relevance."""
    return _combined(
        material,
        tools,
        aspect_coverage=parts.aspect_coverage,
        segment_coherence=parts.segment_coherence,
        context_utilisation=parts.context_utilisation,
        topic_relevance=parts.topic_relevance,
    )


def semantic_coherence(material: Sample, tools: Tools) -> Result:
    """2.5: entailment and half of neutral from question and contexts; acceptability."""
    return _combined(
        material, tools, nli_coherence=nli_coherence, pair_acceptability=parts.pair_acceptability
    )


def hallucination(material: Sample, tools: Tools) -> Result:
    """2.6: contradiction, and what is lost on the way through questions and back."""
    return _combined(material, tools, contradiction=parts.contradiction, lost_in_round_trip=_lost)


def answer_correctness(material: Sample, tools: Tools) -> Result:
    """2.7: relevance, accuracy and consistency with the reference answer in the place of the question, and of the contexts."""
    return _combined(
        material,
        tools,
        query_relevance=lambda given, tools: query_relevance(_asked_for_truth(given), tools),
        factual_accuracy=lambda given, tools: factual_accuracy(_held_to_truth(given), tools),
        context_consistency=lambda given, tools: context_consistency(_held_to_truth(given), tools),
    )


def graph_question(material: Sample, tools: Tools) -> Result:
    """2.1 b: the question's graph in the answer's, and what the answer adds."""
    kept = {name: partial(part, side="question") for name, part in GRAPH.items()}
    return _combined(material, tools, **kept, graph_additional=parts.graph_additional)


def graph_contexts(material: Sample, tools: Tools) -> Result:
    """2.2 c: the answer's graph in that of the contexts."""
    return _combined(
        material, tools, **{name: partial(part, side="contexts") for name, part in GRAPH.items()}
    )


def nli_coherence(material: Sample, tools: Tools) -> Result:
    """2.5 a: from the question, and from the contexts."""
    return _combined(
        material,
        tools,
        **{f"nli_coherence_{side}": partial(parts.nli_coherence, side=side) for side in parts.SIDES},
    )


def generator_competence(values: NDArray, names: Sequence[str]) -> list[Result | NotApplicable]:
    """2.8 over a table of metrics (n, m): answers that lack one of them are left out and get the reason."""
    whole = np.isfinite(values).all(axis=1)
    table = competence.oriented(values[whole], [name not in LOWER_IS_BETTER for name in names])
    try:
        scores, weights = competence.generator_competence(table), competence.weights(table)
    except ValueError as why:
        return [NotApplicable(str(why)) for _ in values]
    results = iter(
        [
            (float(score), _weighed(row, names, table, weights))
            for score, row in zip(scores, table, strict=True)
        ]
    )
    return [
        next(results) if complete else _lacking(row, names)
        for complete, row in zip(whole, values, strict=True)
    ]


def _lacking(row: NDArray, names: Sequence[str]) -> NotApplicable:
    return NotApplicable(
        f"no value of {', '.join(name for name, value in zip(names, row, strict=True) if not np.isfinite(value))}"
    )


def _weighed(row: NDArray, names: Sequence[str], table: NDArray, weights: dict[str, NDArray]) -> Detail:
    constant = competence.constant(table)
    return [
        {"metric": name, "score": round(float(row[i]), 6), "constant": bool(constant[i])}
        | {strategy: round(float(found[i]), 6) for strategy, found in weights.items()}
        for i, name in enumerate(names)
    ]


def _lost(material: Sample, tools: Tools) -> Result:
    value, detail = parts.there_and_back(material, tools)
    return 1 - value, detail


def _combined(material: Sample, tools: Tools, **named: Part) -> Result:
    """Mean of the parts; one with nothing to judge is left out and its reason kept. The evidence names the weakest sentence of each part.

    Raises
    ------
    NotApplicable
        If all of them are left out.
    """
    records: Detail = []
    for name, part in named.items():
        try:
            value, detail = part(material, tools)
            records.append(
                {
                    "part": name,
                    "score": round(value, 6),
                    "weakest": next((one for one in detail if one.get("weakest")), None),
                }
            )
        except NotApplicable as why:
            records.append({"part": name, "score": None, "reason": str(why)})
    scores = [record["score"] for record in records if record["score"] is not None]
    if not scores:
        raise NotApplicable("; ".join(record["reason"] for record in records))
    return hybrid.equal_parts(scores), records


@lru_cache(parts.REMEMBERED)
def _asked_for_truth(material: Sample) -> Sample:
    return replace(material, question=material.reference_answer, contexts=(), context_ids=None)


@lru_cache(parts.REMEMBERED)
def _held_to_truth(material: Sample) -> Sample:
    return replace(material, contexts=(material.reference_answer or "",), context_ids=None)
