"""The parts of the hybrid assessment: similarity, graphs, facts, topic, entailment, acceptability, round trip (Hybrid 2.1 to 2.6)."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragassay.models.kinds import Entity
from ragassay.scores import facts, graph, hybrid, premises, round_trip, vectors, wording
from ragassay.scores.measure.result import SHOWN, Detail, NotApplicable, Result, evidence
from ragassay.scores.sample import Sample, Sentence
from ragassay.scores.tools import Tools

if TYPE_CHECKING:
    import networkx

SIDES = ("question", "contexts")
LISTED = 20  # concepts or facts named as evidence
REMEMBERED = 64  # texts whose graphs and facts are kept: the metrics of one answer come one after the other
Compare = Callable[..., float]
Named = tuple[tuple[str, tuple[Entity, ...]], ...]  # texts with their entities


def weighted_similarity(material: Sample, tools: Tools, side: str) -> Result:
    """Answer sentences met by the question or the contexts, each weighted by the TF-IDF of its words over all three texts."""
    these, those = material.answer_sentences, _sentences(material, side)
    corpus = [_stems(one.text) for one in (*these, *material.question_sentences, *material.context_sentences)]
    weights = hybrid.tfidf_weights(corpus[: len(these)], corpus)
    one, other = _vectors(these, tools), _vectors(those, tools)
    cosine = vectors.cosines(one, other)
    detail = evidence(
        these,
        those,
        cosine.max(axis=1),
        vectors.nearest(cosine),
        flagged=vectors.least_met(cosine.max(axis=1)),
    )
    shares = weights / weights.sum()
    value = hybrid.weighted_similarity(one, other, weights)
    return value, [
        record | {"weight": round(float(share), 6)} for record, share in zip(detail, shares, strict=True)
    ]


def graph_nodes(material: Sample, tools: Tools, side: str) -> Result:
    """Concepts shared."""
    return _compared(graph.node_overlap, *_sides(material, tools, side))


def graph_edges(material: Sample, tools: Tools, side: str) -> Result:
    """Pairs of concepts shared."""
    return _compared(graph.edge_overlap, *_sides(material, tools, side))


def graph_centrality(material: Sample, tools: Tools, side: str) -> Result:
    """Whether the same concepts are central."""
    return _compared(graph.centrality_similarity, *_sides(material, tools, side))


def graph_additional(material: Sample, tools: Tools) -> Result:
    """Concepts that the answer adds to the question's and the contexts hold."""
    if not material.context_sentences:
        raise NotApplicable("no passage was retrieved")
    asked, answer = _sides(material, tools, "question")
    held = _sides(material, tools, "contexts")[1]
    added = sorted((node in _graph(held), node) for node in set(_graph(answer)) - set(_graph(asked)))
    value = _laid_over(graph.additional, answer, asked, held)
    return value, [{"concept": node[:SHOWN], "score": float(shared)} for shared, node in added[:LISTED]]


def facts_consistency(material: Sample, tools: Tools, kind: str = "") -> Result:
    """Facts of the answer that stand in the question or the contexts, of one kind; without a kind, the mean over the kinds that it states."""
    texts = material.answer_sentences
    named = _named(texts, tools) if kind in ("", facts.PLACE) else tuple((one.text, ()) for one in texts)
    stated = [fact for text, names in named for fact in facts.find(text, names) if kind in ("", fact.kind)]
    if not stated:
        raise NotApplicable(f"the answer states no {kind or 'fact: no number, place, date or time'}")
    source = _source((*(one.text for one in material.question_sentences), *(material.contexts or ())))
    held = [(fact, facts.held(fact, source)) for fact in stated]
    shares = [
        facts.consistency(some)
        for one in facts.KINDS
        if (some := [found for fact, found in held if fact.kind == one])
    ]
    missing_first = sorted(held, key=lambda pair: pair[1])
    return hybrid.equal_parts(shares), [
        {"kind": fact.kind, "text": fact.text.strip()[:SHOWN], "score": float(found)}
        for fact, found in missing_first[:LISTED]
    ]


def aspect_coverage(material: Sample, tools: Tools) -> Result:
    """Aspects of the question (its sentences and its phrases) met by the answer's sentences."""
    aspects = _aspects(_named(material.question_sentences, tools))
    those = material.answer_sentences
    cosine = vectors.cosines(_vectors(aspects, tools), _vectors(those, tools))
    value = hybrid.aspect_coverage(_vectors(aspects, tools), _vectors(those, tools))
    return value, evidence(
        aspects,
        those,
        cosine.max(axis=1),
        vectors.nearest(cosine),
        flagged=vectors.least_met(cosine.max(axis=1)),
    )


def segment_coherence(material: Sample, tools: Tools) -> Result:
    """Answer sentences near one another; each one's score is its mean cosine with the others."""
    these = material.answer_sentences
    if len(these) < 2:
        raise NotApplicable("an answer of one sentence has no coherence of its sentences")
    near = hybrid.nearness(_vectors(these, tools))
    return float(near.mean()), _scored(these, near)


def context_utilisation(material: Sample, tools: Tools) -> Result:
    """Answer sentences near what the contexts are about."""
    these = material.answer_sentences
    segments, contexts = _vectors(these, tools), _vectors(material.context_sentences, tools)
    return hybrid.context_utilisation(segments, contexts), _scored(
        these, vectors.cosines(segments, hybrid.centre(contexts))[:, 0]
    )


def topic_relevance(material: Sample, tools: Tools) -> Result:
    """The answer as a whole near its topic."""
    texts = (material.answer_sentences, material.question_sentences, material.context_sentences)
    return hybrid.topic_relevance(*(_vectors(text, tools) for text in texts)), []


def nli_coherence(material: Sample, tools: Tools, side: str) -> Result:
    """Entailment and half of neutral, from the nearest sentences of the question or the contexts to each answer sentence."""
    found = _entailed(material, tools, side)
    return hybrid.nli_coherence(found), _judged(
        material.answer_sentences, found, found @ np.array([1.0, 0.5, 0.0]), lowest=True
    )


def contradiction(material: Sample, tools: Tools) -> Result:
    """Probability that the contexts contradict an answer sentence."""
    found = _entailed(material, tools, "contexts")
    return hybrid.contradiction(found), _judged(material.answer_sentences, found, found[:, 2], lowest=False)


def acceptability(material: Sample, tools: Tools) -> Result:
    """Answer sentences that are acceptable English."""
    found = tools.acceptable([one.text for one in material.answer_sentences])
    return hybrid.equal_parts(list(found)), _scored(material.answer_sentences, found)


def pair_acceptability(material: Sample, tools: Tools) -> Result:
    """Answer sentences alone, after the question, and after the nearest context sentence."""
    these = [one.text for one in material.answer_sentences]
    asked = " ".join(one.text for one in material.question_sentences)
    before = premises.choose(these, [one.text for one in material.context_sentences], tools, 1)
    texts = [
        *these,
        *(f"{asked} {text}" for text in these),
        *(f"{context} {text}" for (context, _), text in zip(before, these, strict=True)),
    ]
    alone, after_question, after_context = tools.acceptable(texts).reshape(3, len(these))
    value = hybrid.pair_acceptability(alone, after_question, after_context)
    return value, [
        {
            "text": text[:SHOWN],
            "score": round(float(a), 6),
            "after_question": round(float(q), 6),
            "after_context": round(float(c), 6),
        }
        for text, a, q, c in zip(these, alone, after_question, after_context, strict=True)
    ]


def there_and_back(material: Sample, tools: Tools) -> Result:
    """Answer sentences, turned into questions, beside the context sentence nearest to each question."""
    made = [
        (text, asked)
        for text, names in _named(material.answer_sentences, tools)
        for asked in _questions(text, names)
    ]
    if not made:
        raise NotApplicable("no question could be made of the answer")
    candidates = [one.text for one in material.context_sentences]
    cosine = vectors.cosines(tools.embed([asked for _, asked in made]), tools.embed(candidates))
    answers = [candidates[place] for place in vectors.nearest(cosine)]
    pair = tools.embed([text for text, _ in made]), tools.embed(answers)
    scores = round_trip.returned(*pair)
    return round_trip.round_trip(*pair), [
        {
            "text": text[:SHOWN],
            "question": asked[:SHOWN],
            "evidence": answer[:SHOWN],
            "score": round(float(score), 6),
        }
        for (text, asked), answer, score in zip(made, answers, scores, strict=True)
    ]


def _sides(material: Sample, tools: Tools, side: str) -> tuple[Named, Named]:
    """What is looked for, and where: the question's concepts in the answer, or the answer's in the contexts."""
    answer, other = _named(material.answer_sentences, tools), _named(_sentences(material, side), tools)
    return (other, answer) if side == "question" else (answer, other)


def _compared(compare: Compare, these: Named, those: Named) -> Result:
    held = _graph(those)
    found = sorted((node in held, node) for node in _graph(these))[:LISTED]
    return _laid_over(compare, these, those), [
        {"concept": node[:SHOWN], "score": float(shared)} for shared, node in found
    ]


@lru_cache(4 * REMEMBERED)
def _laid_over(compare: Compare, *texts: Named) -> float:
    try:
        return compare(*map(_graph, texts))
    except ValueError as nothing:
        raise NotApplicable(str(nothing)) from None


def _entailed(material: Sample, tools: Tools, side: str) -> NDArray:
    return tools.entail(
        premises.pairs(material.answer_sentences, _sentences(material, side), tools)
    ).probabilities


def _judged(these: Sequence[Sentence], found: NDArray, scores: NDArray, lowest: bool) -> Detail:
    names = ("entailment", "neutral", "contradiction")
    rows = [dict(zip(names, (round(float(one), 6) for one in row), strict=True)) for row in found]
    return [record | row for record, row in zip(_scored(these, scores, lowest), rows, strict=True)]


def _scored(these: Sequence[Sentence], scores: NDArray, lowest: bool = True) -> Detail:
    flagged = vectors.least_met(scores if lowest else -scores)
    return [
        {"text": one.text[:SHOWN], "score": round(float(score), 6), "weakest": i == flagged}
        for i, (one, score) in enumerate(zip(these, scores, strict=True))
    ]


def _sentences(material: Sample, side: str) -> list[Sentence]:
    return material.question_sentences if side == "question" else material.context_sentences


def _aspects(question: Named) -> list[Sentence]:
    phrases = [text[start:end] for text, names in question for start, end in graph.phrases(text, names)]
    return [Sentence(text) for text in dict.fromkeys([*(text for text, _ in question), *phrases])]


def _named(sentences: Sequence[Sentence], tools: Tools) -> Named:
    texts = [one.text for one in sentences]
    return tuple((text, tuple(found)) for text, found in zip(texts, tools.entities(texts), strict=True))


def _vectors(sentences: Sequence[Sentence], tools: Tools) -> NDArray:
    return tools.embed([one.text for one in sentences])


def _stems(text: str) -> list[str]:
    return [word.stem for word in wording.words(text)]


@lru_cache(REMEMBERED)
def _graph(sentences: Named) -> "networkx.Graph":
    return graph.build(graph.concepts(text, names) for text, names in sentences)


@lru_cache(REMEMBERED)
def _source(texts: tuple[str, ...]) -> facts.Source:
    return facts.Source(texts)


@lru_cache(REMEMBERED)
def _questions(text: str, names: tuple[Entity, ...]) -> list[str]:
    return round_trip.questions(text, names)
