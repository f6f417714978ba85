"""The hybrid assessment: each of its composites is the mean of its parts (Hybrid 2.1 to 2.7);
2.8 is `competence`.

The parts stand in hybrid_similarity, graph, facts, hybrid_entailment and round_trip.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

from ragassay.scores.families.facts import facts_consistency
from ragassay.scores.families.graph import COMPARISONS, graph_additional, overlap
from ragassay.scores.families.hybrid_entailment import contradiction, nli_coherence, pair_acceptability
from ragassay.scores.families.hybrid_parts import REMEMBERED, SIDES, Part, combine
from ragassay.scores.families.hybrid_similarity import (
    aspect_coverage,
    context_utilisation,
    segment_coherence,
    topic_relevance,
    weighted_similarity,
)
from ragassay.scores.families.round_trip import round_trip
from ragassay.scores.metric import Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def composite(
    sample: Sample, tools: Tools, name: str, prepare: Callable[[Sample], Sample] | None = None
) -> Result:
    """Mean of the composite's parts that apply, in [0, 1]; higher is better, but for hallucination.

    prepare : what is made of the answer before
    """
    return combine(prepare(sample) if prepare else sample, tools, **COMPOSITES[name])


def _lost(sample: Sample, tools: Tools) -> Result:
    value, detail = round_trip(sample, tools)
    return 1 - value, detail


@lru_cache(REMEMBERED)
def _asked_for_truth(sample: Sample) -> Sample:
    """The reference answer in the place of the question."""
    return replace(sample, question=sample.reference_answer, contexts=(), context_ids=None)


@lru_cache(REMEMBERED)
def _held_to_truth(sample: Sample) -> Sample:
    """The reference answer in the place of the contexts."""
    return replace(sample, contexts=(sample.reference_answer or "",), context_ids=None)


def _graph(side: str) -> dict[str, Part]:
    return {f"graph_{kind}": partial(overlap, kind=kind, side=side) for kind in COMPARISONS}


_TO = {side: partial(weighted_similarity, side=side) for side in SIDES}
_GRAPH: dict[str, Part] = {side: partial(composite, name=f"graph_{side}") for side in SIDES}
COMPOSITES: dict[str, dict[str, Part]] = {
    "graph_question": _graph("question") | {"graph_additional": graph_additional},  # 2.1 b
    "graph_contexts": _graph("contexts"),  # 2.2 c
    "query_relevance": {  # 2.1
        "question_similarity": _TO["question"],
        "graph_question": _GRAPH["question"],
        "facts_consistency": facts_consistency,
    },
    "factual_accuracy": {  # 2.2
        "question_similarity": _TO["question"],
        "context_similarity": _TO["contexts"],
        "graph_contexts": _GRAPH["contexts"],
        "facts_consistency": facts_consistency,
    },
    "context_consistency": {  # 2.3
        "nli_coherence_contexts": partial(nli_coherence, side="contexts"),
        "context_similarity": _TO["contexts"],
        "graph_contexts": _GRAPH["contexts"],
    },
    "semantic_relevance": {  # 2.4
        "aspect_coverage": aspect_coverage,
        "segment_coherence": segment_coherence,
        "context_utilisation": context_utilisation,
        "topic_relevance": topic_relevance,
    },
    "nli_coherence": {  # 2.5 a
        f"nli_coherence_{side}": partial(nli_coherence, side=side) for side in SIDES
    },
    "semantic_coherence": {  # 2.5
        "nli_coherence": partial(composite, name="nli_coherence"),
        "pair_acceptability": pair_acceptability,
    },
    "hallucination": {"contradiction": contradiction, "lost_in_round_trip": _lost},  # 2.6
    "answer_correctness": {  # 2.7
        "query_relevance": partial(composite, name="query_relevance", prepare=_asked_for_truth),
        "factual_accuracy": partial(composite, name="factual_accuracy", prepare=_held_to_truth),
        "context_consistency": partial(composite, name="context_consistency", prepare=_held_to_truth),
    },
}
