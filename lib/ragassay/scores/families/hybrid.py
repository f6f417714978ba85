"""The hybrid assessment: each of its metrics is the mean of its parts (Hybrid 2.1 to 2.7);
2.8 is `competence`.

The parts stand with their rows in hybrid_similarity, graph, facts, hybrid_entailment and
round_trip.
"""

from dataclasses import replace
from functools import lru_cache, partial

from ragassay.scores.families.facts import facts_consistency
from ragassay.scores.families.graph import graph_contexts, graph_question
from ragassay.scores.families.hybrid_entailment import (
    contradiction,
    nli_coherence,
    nli_coherence_by_side,
    pair_acceptability,
)
from ragassay.scores.families.hybrid_parts import REMEMBERED, combine
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


def query_relevance(sample: Sample, tools: Tools) -> Result:
    """2.1: similarity to the question, the two graphs, facts."""
    return combine(
        sample,
        tools,
        question_similarity=partial(weighted_similarity, side="question"),
        graph_question=graph_question,
        facts_consistency=facts_consistency,
    )


def factual_accuracy(sample: Sample, tools: Tools) -> Result:
    """2.2: similarity to question and contexts, graphs of answer and contexts, facts."""
    return combine(
        sample,
        tools,
        question_similarity=partial(weighted_similarity, side="question"),
        context_similarity=partial(weighted_similarity, side="contexts"),
        graph_contexts=graph_contexts,
        facts_consistency=facts_consistency,
    )


def context_consistency(sample: Sample, tools: Tools) -> Result:
    """2.3: entailment from the contexts, similarity to them, graphs."""
    return combine(
        sample,
        tools,
        nli_coherence_contexts=partial(nli_coherence_by_side, side="contexts"),
        context_similarity=partial(weighted_similarity, side="contexts"),
        graph_contexts=graph_contexts,
    )


def semantic_relevance(sample: Sample, tools: Tools) -> Result:
    """2.4: coverage, coherence, utilisation, relevance."""
    return combine(
        sample,
        tools,
        aspect_coverage=aspect_coverage,
        segment_coherence=segment_coherence,
        context_utilisation=context_utilisation,
        topic_relevance=topic_relevance,
    )


def semantic_coherence(sample: Sample, tools: Tools) -> Result:
    """2.5: entailment and half of neutral from question and contexts; acceptability."""
    return combine(sample, tools, nli_coherence=nli_coherence, pair_acceptability=pair_acceptability)


def hallucination(sample: Sample, tools: Tools) -> Result:
    """2.6: contradiction, and what is lost on the way through questions and back."""
    return combine(sample, tools, contradiction=contradiction, lost_in_round_trip=_lost)


def answer_correctness(sample: Sample, tools: Tools) -> Result:
    """2.7: relevance, accuracy and consistency with the reference answer in the place of the question, and of
    the contexts.
    """
    return combine(
        sample,
        tools,
        query_relevance=lambda given, tools: query_relevance(_asked_for_truth(given), tools),
        factual_accuracy=lambda given, tools: factual_accuracy(_held_to_truth(given), tools),
        context_consistency=lambda given, tools: context_consistency(_held_to_truth(given), tools),
    )


def _lost(sample: Sample, tools: Tools) -> Result:
    value, detail = round_trip(sample, tools)
    return 1 - value, detail


@lru_cache(REMEMBERED)
def _asked_for_truth(sample: Sample) -> Sample:
    return replace(sample, question=sample.reference_answer, contexts=(), context_ids=None)


@lru_cache(REMEMBERED)
def _held_to_truth(sample: Sample) -> Sample:
    return replace(sample, contexts=(sample.reference_answer or "",), context_ids=None)
