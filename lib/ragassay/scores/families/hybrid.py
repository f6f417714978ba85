"""The hybrid assessment: similarity, coherence, entailment, acceptability, and the composites, each the mean
of its parts (Hybrid 2.1 to 2.7; graphs stand in `graph`, facts in `facts`, 2.8 in `competence`).

The source names each part and gives no formula: ours are stated with each. Cosines below 0 count as 0, so
that every part is in [0, 1]; the parts of one metric have equal weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.families import inference
from ragassay.scores.families.facts import facts_consistency, round_trip
from ragassay.scores.families.graph import (
    COMPARISONS,
    REMEMBERED,
    graph_additional,
    overlap,
    phrases,
    with_entities,
)
from ragassay.scores.families.similarity import aggregate
from ragassay.scores.metric import Detail, NotApplicable, Result, evidence, sentence_scores
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.vector_similarity import cosines

SIDES = ("question", "contexts")
STEEPNESS, MIDPOINT = 10.0, 0.5  # of the sigmoid of `topic_relevance`; not calibrated
PAIR_WEIGHTS = [1, 2, 2]  # of sentences judged for acceptability: alone, after question, after context
Part = Callable[[Sample, Tools], Result]


def combine(sample: Sample, tools: Tools, **named: Part) -> Result:
    """Mean of the parts; one with nothing to judge is left out and its reason kept. Raises NotApplicable if
    all of them are left out."""
    records: Detail = []
    for name, part in named.items():
        try:
            records.append({"part": name, "score": round(part(sample, tools)[0], 6)})
        except NotApplicable as why:
            records.append({"part": name, "score": None, "reason": str(why)})
    scores = [record["score"] for record in records if record["score"] is not None]
    if not scores:
        raise NotApplicable("; ".join(record["reason"] for record in records))
    return float(np.mean(scores)), records


def weighted_similarity(sample: Sample, tools: Tools, side: str) -> Result:
    """Answer sentences met by the question or the contexts, each weighted by the TF-IDF of its words over all
    three texts.

    Source: Hybrid 2.1 a with "context-aware TF-IDF weights" (section 1); on vectors of length 1 its cosine
    and dot product are one.
    """
    these, those = sample.answer_sentences, sample.sentences_of(side)
    corpus = [*these, *sample.question_sentences, *sample.context_sentences]
    weights = tfidf_weights(_texts(these), _texts(corpus))
    best, places = tools.match(_texts(these), _texts(those))
    detail = evidence(these, those, best, places)
    for record, share in zip(detail, weights / weights.sum(), strict=True):
        record["weight"] = share
    return aggregate(np.maximum(best, 0.0), "weighted", weights), detail


@lru_cache(REMEMBERED)
def tfidf_weights(sentences: tuple[str, ...], corpus: tuple[str, ...]) -> NDArray[np.float64]:
    """Weight of each sentence: the TF-IDF of its words (by stem) over `corpus`, summed; shape (k,), not to be
    changed. A text without any word gives every sentence the same weight."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(map(_stems, sentences)):
        return np.ones(len(sentences))
    fitted = TfidfVectorizer(analyzer=_stems, norm=None).fit(corpus)
    return np.asarray(fitted.transform(sentences).sum(axis=1)).ravel()


def aspect_coverage(sample: Sample, tools: Tools) -> Result:
    """1 - mean over the question's aspects (its sentences and its phrases) of (1 - the best cosine of any
    answer sentence), in [0, 1]; higher is better.

    Source: Hybrid 2.4 a, "coverage by taking their mean difference from one".
    """
    question, those = with_entities(sample.question_sentences, tools), sample.answer_sentences
    found = [text[start:end] for text, names in question for start, end in phrases(text, names)]
    aspects = [Sentence(text) for text in dict.fromkeys([*(text for text, _ in question), *found])]
    best, places = tools.match(_texts(aspects), _texts(those))
    return float(1 - (1 - np.maximum(best, 0.0)).mean()), evidence(aspects, those, best, places)


def segment_coherence(sample: Sample, tools: Tools) -> Result:
    """Answer sentences near one another: mean cosine of all pairs, negative ones as 0; each one's score is
    its mean with the others. Source: Hybrid 2.4 b."""
    these = sample.answer_sentences
    if len(these) < 2:
        raise NotApplicable("an answer of one sentence has no coherence of its sentences")
    cosine = np.maximum(tools.cosines(_texts(these), _texts(these)), 0.0)
    near = (cosine.sum(axis=1) - 1.0) / (len(these) - 1)
    return float(near.mean()), sentence_scores(these, near)


def context_utilisation(sample: Sample, tools: Tools) -> Result:
    """Answer sentences near what the contexts are about as a whole.

    Source: Hybrid 2.4 c, "cosines mean against segment and contextual embeddings": the contextual embedding
    is the mean of the context sentences.
    """
    these = sample.answer_sentences
    vectors, context = (tools.embed(_texts(one)) for one in (these, sample.context_sentences))
    near = cosines(vectors, centre(context))[:, 0]
    return float(np.maximum(near, 0.0).mean()), sentence_scores(these, near)


def topic_relevance(sample: Sample, tools: Tools) -> Result:
    """Sigmoid 1 / (1 + exp(-STEEPNESS (cos - MIDPOINT))) of the cosine between the answer as a whole and its
    topic, the mean of question and contexts, in (0, 1); higher is better; not calibrated. Source: Hybrid 2.4
    d, "non-linear modeling sigmoid over contextual embeddings"."""
    texts = (sample.answer_sentences, sample.question_sentences, sample.context_sentences)
    answer, question, contexts = (centre(tools.embed(_texts(one))) for one in texts)
    cosine = cosines(answer, centre(np.vstack([question, contexts])))[0, 0]
    return float(1 / (1 + np.exp(-STEEPNESS * (cosine - MIDPOINT)))), []


def centre(sentences: ArrayLike) -> NDArray[np.float64]:
    """Mean of sentence vectors (n, d) of length 1; shape (1, d).

    Raises ValueError if there is none, or they cancel out.
    """
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("no sentences: the text is empty")
    mean = vectors.mean(axis=0, keepdims=True)
    length = np.linalg.norm(mean)
    if length < 1e-9:
        raise ValueError("the sentences cancel out: their mean has no direction")
    return mean / length


def _texts(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(one.text for one in sentences)


def _stems(text: str) -> list[str]:
    return [word.stem for word in word_comparison.words(text)]


def nli_coherence(sample: Sample, tools: Tools, side: str) -> Result:
    """The probability of entailment and half that of neutral, from the sentences of the question or the
    contexts nearest to each answer sentence; their mean, in [0, 1]; higher is better.

    Source: Hybrid 2.5 a, "entailment given full weight and neutral given half weight".
    """
    found = _entailment(sample, tools, side)
    each = found @ np.array([1.0, 0.5, 0.0])
    return float(each.mean()), _with_classes(sentence_scores(sample.answer_sentences, each), found)


def contradiction(sample: Sample, tools: Tools) -> Result:
    """Mean probability that the contexts contradict an answer sentence; LOWER is better.

    Source: Hybrid 2.6 a.
    """
    found = _entailment(sample, tools, "contexts")
    detail = sentence_scores(sample.answer_sentences, found[:, 2], lowest=False)
    return float(found[:, 2].mean()), _with_classes(detail, found)


def acceptability(sample: Sample, tools: Tools) -> Result:
    """Answer sentences that are acceptable English."""
    found = np.array(tools.ask("acceptable", _texts(sample.answer_sentences)))
    return float(np.mean(found)), sentence_scores(sample.answer_sentences, found)


def pair_acceptability(sample: Sample, tools: Tools) -> Result:
    """Mean probability that the answer's sentences are acceptable English: alone, after the question, and
    after the nearest context sentence; in [0, 1]; higher is better. Source: Hybrid 2.5 b, "higher weights
    given to query-response and context-response pairs"; the weights are ours."""
    these, asked = _texts(sample.answer_sentences), " ".join(_texts(sample.question_sentences))
    nearest = inference.choose_premises(these, _texts(sample.context_sentences), tools, 1)
    texts = [*these, *(f"{asked} {text}" for text in these)]
    texts += [f"{context} {text}" for (context, _), text in zip(nearest, these, strict=True)]
    found = np.reshape(tools.ask("acceptable", texts), (3, len(these)))
    names = ("score", "after_question", "after_context")
    return float(np.average(found.mean(axis=1), weights=PAIR_WEIGHTS)), [
        {"text": text} | dict(zip(names, row, strict=True)) for text, row in zip(these, found.T, strict=True)
    ]


def _entailment(sample: Sample, tools: Tools, side: str) -> NDArray:
    return tools.entail(
        inference.premise_pairs(sample.answer_sentences, sample.sentences_of(side), tools)
    ).probabilities


def _with_classes(detail: Detail, found: NDArray) -> Detail:
    for record, row in zip(detail, found.tolist(), strict=True):
        record |= zip(("entailment", "neutral", "contradiction"), row, strict=True)
    return detail


def composite(sample: Sample, tools: Tools, name: str, truth: str = "") -> Result:
    """Mean of the composite's parts that apply, in [0, 1]; higher is better, but for hallucination.

    truth : in whose place the reference answer stands, `question` or `contexts`
    """
    return combine(_with_truth(sample, truth) if truth else sample, tools, **COMPOSITES[name])


@lru_cache(REMEMBERED)
def _with_truth(sample: Sample, side: str) -> Sample:
    if side == "question":
        return replace(sample, question=sample.reference_answer, contexts=(), context_ids=None)
    return replace(sample, contexts=(sample.reference_answer or "",), context_ids=None)


def _lost(sample: Sample, tools: Tools) -> Result:
    value, detail = round_trip(sample, tools)
    return 1 - value, detail


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
        "query_relevance": partial(composite, name="query_relevance", truth="question"),
        "factual_accuracy": partial(composite, name="factual_accuracy", truth="contexts"),
        "context_consistency": partial(composite, name="context_consistency", truth="contexts"),
    },
}
