"""The hybrid assessment: similarity, coherence, entailment, acceptability; the composites, each the mean of
its parts (Hybrid 2.1 to 2.7; graphs and facts stand in `facts`); and generator competence, one number per
answer from six composites, weighted by what they themselves show (2.8).

The source names each part and gives no formula: ours are stated with each. Cosines below 0 count as 0, so
that every part is in [0, 1]; the parts of one metric have equal weights. Competence has three weightings: the
first principal component, entropy, and the coefficient of variation (the source's "adaptive" has no formula:
our choice, decision 13). The harmonic mean of the three weighted harmonic means is one with the mean of the
three weightings.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.families.facts import (
    NUMBER,
    PLACE,
    REMEMBERED,
    TIME,
    facts_consistency,
    graph_additional,
    lost_in_round_trip,
    overlap,
    phrases,
    with_entities,
)
from ragassay.scores.families.similarity import aggregate, choose_premises
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools, cosines, evidence, sentence_scores
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.text_reading import word_lists

STEEPNESS, MIDPOINT = 10.0, 0.5  # of the sigmoid of `topic_relevance`; not calibrated
PAIR_WEIGHTS = [1, 2, 2]  # of sentences judged for acceptability: alone, after question, after context


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
    weighed = TfidfVectorizer(analyzer=_stems, norm=None).fit(corpus).transform(sentences)
    return np.asarray(weighed.sum(axis=1)).ravel()


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
    answer, question, contexts = (
        centre(tools.embed(_texts(one)))
        for one in (sample.answer_sentences, sample.question_sentences, sample.context_sentences)
    )
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
    return [word.stem for word in word_lists.words(text)]


def nli(sample: Sample, tools: Tools, side: str, contradicts: bool = False) -> Result:
    """How the sentences of the question or the contexts nearest to each answer sentence speak for it: the
    probability of entailment and half that of neutral, their mean, in [0, 1]; higher is better. Or the mean
    probability that they contradict it; LOWER is better.

    Source: Hybrid 2.5 a, "entailment given full weight and neutral given half weight"; 2.6 a.
    """
    these, those = _texts(sample.answer_sentences), _texts(sample.sentences_of(side))
    premises = [held for held, _ in choose_premises(these, those, tools)]
    found = tools.entail(list(zip(premises, these, strict=True))).probabilities
    each = found @ ([0.0, 0.0, 1.0] if contradicts else [1.0, 0.5, 0.0])
    detail = sentence_scores(sample.answer_sentences, each, lowest=not contradicts)
    for record, row in zip(detail, found.tolist(), strict=True):
        record |= zip(("entailment", "neutral", "contradiction"), row, strict=True)
    return float(each.mean()), detail


def acceptability(sample: Sample, tools: Tools) -> Result:
    """Answer sentences that are acceptable English."""
    found = np.array(tools.ask("acceptable", _texts(sample.answer_sentences)))
    return float(np.mean(found)), sentence_scores(sample.answer_sentences, found)


def pair_acceptability(sample: Sample, tools: Tools) -> Result:
    """Mean probability that the answer's sentences are acceptable English: alone, after the question, and
    after the nearest context sentence; in [0, 1]; higher is better. Source: Hybrid 2.5 b, "higher weights
    given to query-response and context-response pairs"; the weights are ours."""
    these, asked = _texts(sample.answer_sentences), " ".join(_texts(sample.question_sentences))
    nearest = choose_premises(these, _texts(sample.context_sentences), tools, 1)
    texts = [*these, *(f"{asked} {text}" for text in these)]
    texts += [f"{context} {text}" for (context, _), text in zip(nearest, these, strict=True)]
    found = np.reshape(tools.ask("acceptable", texts), (3, len(these)))
    return float(np.average(found.mean(axis=1), weights=PAIR_WEIGHTS)), [
        {"text": text, "score": alone, "after_question": after_question, "after_context": after_context}
        for text, (alone, after_question, after_context) in zip(these, found.T, strict=True)
    ]


def composite(sample: Sample, tools: Tools, name: str, option: str = "") -> Result:
    """Mean of the composite's parts that apply, or the part that `option` names, in [0, 1]; higher is better,
    but for hallucination; a part left out is recorded with its reason.

    In answer_correctness the reference answer stands in the place of the question, or of the contexts.
    Raises NotApplicable if no part applies.
    """
    name = option or name
    if name in PARTS:
        return PARTS[name](sample, tools)
    records: Detail = []
    for part in COMPOSITES[name]:
        seen = _with_truth(sample, part) if name == "answer_correctness" else sample
        try:
            records.append({"part": part, "score": round(composite(seen, tools, part)[0], 6)})
        except NotApplicable as why:
            records.append({"part": part, "score": None, "reason": str(why)})
    scores = [record["score"] for record in records if record["score"] is not None]
    if not scores:
        raise NotApplicable("; ".join(record["reason"] for record in records))
    return float(np.mean(scores)), records


@lru_cache(REMEMBERED)
def _with_truth(sample: Sample, part: str) -> Sample:
    if part == "query_relevance":
        return replace(sample, question=sample.reference_answer, contexts=(), context_ids=None)
    return replace(sample, contexts=(sample.reference_answer or "",), context_ids=None)


GRAPHS = ("nodes", "edges", "centrality")
PARTS: dict[str, Callable[[Sample, Tools], Result]] = {
    "question_similarity": partial(weighted_similarity, side="question"),
    "context_similarity": partial(weighted_similarity, side="contexts"),
    **{
        f"graph_{kind}_{side}": partial(overlap, kind=kind, side=side)
        for side in ("question", "contexts")
        for kind in GRAPHS
    },
    "graph_additional": graph_additional,
    "facts_consistency": facts_consistency,
    "numeric_consistency": partial(facts_consistency, kind=NUMBER),
    "place_consistency": partial(facts_consistency, kind=PLACE),
    "time_consistency": partial(facts_consistency, kind=TIME),
    "aspect_coverage": aspect_coverage,
    "segment_coherence": segment_coherence,
    "context_utilisation": context_utilisation,
    "topic_relevance": topic_relevance,
    "nli_coherence_question": partial(nli, side="question"),
    "nli_coherence_contexts": partial(nli, side="contexts"),
    "acceptability": acceptability,
    "pair_acceptability": pair_acceptability,
    "contradiction": partial(nli, side="contexts", contradicts=True),
    "lost_in_round_trip": lost_in_round_trip,
}
COMPOSITES: dict[str, tuple[str, ...]] = {
    "graph_question": (*(f"graph_{kind}_question" for kind in GRAPHS), "graph_additional"),  # 2.1 b
    "graph_contexts": tuple(f"graph_{kind}_contexts" for kind in GRAPHS),  # 2.2 c
    "nli_coherence": ("nli_coherence_question", "nli_coherence_contexts"),  # 2.5 a
    "query_relevance": ("question_similarity", "graph_question", "facts_consistency"),  # 2.1
    "factual_accuracy": (  # 2.2
        *("question_similarity", "context_similarity", "graph_contexts", "facts_consistency"),
    ),
    "context_consistency": ("nli_coherence_contexts", "context_similarity", "graph_contexts"),  # 2.3
    "semantic_relevance": (  # 2.4
        *("aspect_coverage", "segment_coherence", "context_utilisation", "topic_relevance"),
    ),
    "semantic_coherence": ("nli_coherence", "pair_acceptability"),  # 2.5
    "hallucination": ("contradiction", "lost_in_round_trip"),  # 2.6
    "answer_correctness": ("query_relevance", "factual_accuracy", "context_consistency"),  # 2.7
}


CONSTANT = 1e-9  # a metric that varies less than this over the answers says nothing about any of them


def generator_competence(values: NDArray, names: Sequence[str]) -> list[Result | NotApplicable]:
    """2.8 over a table of metrics (n, m): the competence shown in each answer, in [0, 1], higher is better: a
    weighted harmonic mean, so that a zero gives zero; answers that lack a metric are left out and get the
    reason. Source: Hybrid 2.8 and decision 13."""
    whole = np.isfinite(values).all(axis=1)
    is_lower = [name == "hallucination" for name in names]
    table = np.clip(np.where(is_lower, 1 - values, values), 0.0, 1.0)
    try:
        weighting = weights(table[whole])
    except ValueError as why:
        return [NotApplicable(str(why)) for _ in values]
    scores = harmonic_mean(table, np.mean(list(weighting.values()), axis=0))
    results: list[Result | NotApplicable] = []
    for row, score in zip(table, scores, strict=True):
        lacking = [name for name, value in zip(names, row, strict=True) if not np.isfinite(value)]
        detail = [
            {"metric": name, "score": value} | {strategy: each[i] for strategy, each in weighting.items()}
            for i, (name, value) in enumerate(zip(names, row, strict=True))
        ]
        why_not = NotApplicable("no value of " + ", ".join(lacking))
        results.append(why_not if lacking else (float(score), detail))
    return results


def weights(values: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """Weights (m,) of the metrics (n, m), in [0, 1], by each strategy, each summing to 1; a constant metric
    has weight 0: the absolute loadings of the first principal component of the standardised metrics; 1 less
    the entropy, base n, of a metric's shares over the answers; standard deviation over mean.

    Raises ValueError if there are fewer than two answers, or no metric varies.
    """
    from scipy.stats import entropy

    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        raise ValueError(f"weights need two answers or more; found {len(values)}")
    varying = np.ptp(values, axis=0) >= CONSTANT
    if not varying.any():
        raise ValueError(
            "no metric varies over the answers: there are no weights (two answers that differ are needed)"
        )
    some, n = values[:, varying], len(values)
    standard = (some - some.mean(axis=0)) / some.std(axis=0)
    strategies = {
        "pca": np.abs(np.linalg.eigh(standard.T @ standard / n)[1][:, -1]),
        "entropy": np.maximum(1 - entropy(some, base=n), np.finfo(float).tiny),
        "variation": some.std(axis=0) / some.mean(axis=0),
    }
    found = np.zeros((len(strategies), values.shape[1]))
    found[:, varying] = [each / each.sum() for each in strategies.values()]
    return dict(zip(strategies, found, strict=True))


def harmonic_mean(values: NDArray[np.float64], weighting: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted harmonic mean of each row of values (n, m) in [0, 1], weights (m,) summing to 1; shape (n,); 0
    where a row holds a 0."""
    positive = (values > 0).all(axis=1)
    means = np.zeros(len(values))
    means[positive] = 1 / (weighting / values[positive]).sum(axis=1)
    return np.clip(means, 0.0, 1.0)
