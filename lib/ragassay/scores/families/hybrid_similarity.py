"""Parts of the hybrid assessment by similarity:
weighted by TF-IDF, aspects covered, coherence, use, topic (Hybrid 2.1 to 2.4).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.families.hybrid_parts import REMEMBERED, NamedTexts, embed, with_entities
from ragassay.scores.families.similarity import aggregate
from ragassay.scores.metric import NotApplicable, Result, evidence, sentence_scores
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.text_reading.concept_graph import phrases
from ragassay.scores.vector_similarity import cosines

STEEPNESS, MIDPOINT = 10.0, 0.5  # of the sigmoid of `topic_relevance`; not calibrated
BLOCK = 1_000  # rows of a table of cosines held at a time


def weighted_similarity(sample: Sample, tools: Tools, side: str) -> Result:
    """Answer sentences met by the question or the contexts, each weighted by the TF-IDF of its words over all
    three texts.

    Source: Hybrid 2.1 a with "context-aware TF-IDF weights" (section 1); on vectors of length 1 its cosine
    and dot product are one.
    """
    these, those = sample.answer_sentences, sample.sentences_of(side)
    beside = (*sample.question_sentences, *sample.context_sentences)
    weights, met = _weights(_texts(these), _texts(beside)), tools.match(_texts(these), _texts(those))
    detail = evidence(these, those, met.best, met.nearest, flagged=met.least)
    shares = weights / weights.sum()
    value = aggregate(np.maximum(met.best, 0.0), "weighted", weights)
    return value, [
        record | {"weight": round(float(share), 6)} for record, share in zip(detail, shares, strict=True)
    ]


@lru_cache(REMEMBERED)
def _weights(these: tuple[str, ...], beside: tuple[str, ...]) -> NDArray[np.float64]:
    """`tfidf_weights` of these texts over all, not to be changed: the same texts give the same array."""
    corpus = [_stems(text) for text in (*these, *beside)]
    weights = tfidf_weights(corpus[: len(these)], corpus)
    weights.flags.writeable = False
    return weights


def tfidf_weights(sentences: Sequence[Sequence[str]], corpus: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Weight of each sentence: the TF-IDF of its words, summed; shape (k,).

    A word's IDF is ln((1 + n) / (1 + sentences that have it)) + 1 over the n sentences of `corpus`. Sentences
    and corpus are lists of words. A text without any word gives every sentence the same weight.
    """
    counts = Counter(word for sentence in corpus for word in set(sentence))
    found = np.array(
        [
            sum(np.log((1 + len(corpus)) / (1 + counts[word])) + 1 for word in sentence)
            for sentence in sentences
        ],
        dtype=float,
    )
    return found if found.sum() > 0 else np.ones(len(sentences))


def aspect_coverage(sample: Sample, tools: Tools) -> Result:
    """Aspects of the question (its sentences and its phrases) met by the answer's sentences.

    Source: Hybrid 2.4 a, "coverage by taking their mean difference from one".
    """
    aspects, those = _aspects(with_entities(sample.question_sentences, tools)), sample.answer_sentences
    met = tools.match(_texts(aspects), _texts(those))
    return coverage(met.best), evidence(aspects, those, met.best, met.nearest, flagged=met.least)


def coverage(best: ArrayLike) -> float:
    """1 - mean over aspects of (1 - the best cosine (m,) of any sentence), in [0, 1]; higher is better."""
    return float(1 - (1 - np.maximum(np.asarray(best, dtype=float), 0.0)).mean())


def segment_coherence(sample: Sample, tools: Tools) -> Result:
    """Answer sentences near one another: mean cosine of all pairs;
    each one's score is its mean with the others. Source: Hybrid 2.4 b.
    """
    these = sample.answer_sentences
    if len(these) < 2:
        raise NotApplicable("an answer of one sentence has no coherence of its sentences")
    near = nearness(embed(these, tools))
    return float(near.mean()), sentence_scores(these, near)


def nearness(segments: ArrayLike) -> NDArray[np.float64]:
    """Each segment's mean cosine with the others (k,), negative ones as 0;
    1,000 rows of the table of cosines are held at a time.

    Raises ValueError if there are fewer than two segments.
    """
    vectors = np.asarray(segments, dtype=float)
    if len(vectors) < 2:
        raise ValueError("one sentence alone has no coherence")
    blocks = [vectors[start : start + BLOCK] for start in range(0, len(vectors), BLOCK)]
    totals = np.concatenate([np.maximum(cosines(block, vectors), 0.0).sum(axis=1) for block in blocks])
    return (totals - 1.0) / (len(vectors) - 1)


def context_utilisation(sample: Sample, tools: Tools) -> Result:
    """Answer sentences near what the contexts are about as a whole.

    Source: Hybrid 2.4 c, "cosines mean against segment and contextual embeddings": the contextual embedding
    is the mean of the context sentences.
    """
    these = sample.answer_sentences
    near = cosines(embed(these, tools), centre(embed(sample.context_sentences, tools)))[:, 0]
    return float(np.maximum(near, 0.0).mean()), sentence_scores(these, near)


def topic_relevance(sample: Sample, tools: Tools) -> Result:
    """The answer as a whole near its topic."""
    texts = (sample.answer_sentences, sample.question_sentences, sample.context_sentences)
    return on_topic(*(embed(text, tools) for text in texts)), []


def on_topic(segments: ArrayLike, question: ArrayLike, contexts: ArrayLike) -> float:
    """Sigmoid of the cosine between the answer as a whole and its topic, in (0, 1); higher is better;
    not calibrated.

    The topic is the mean of what the question (m, d) and the contexts (n, d) are about; 1 / (1 +
    exp(-STEEPNESS (cos - MIDPOINT))).

    Source: Hybrid 2.4 d, "non-linear modeling sigmoid over contextual embeddings".
    """
    topic = centre(np.vstack([centre(question), centre(contexts)]))
    return float(1 / (1 + np.exp(-STEEPNESS * (cosines(centre(segments), topic)[0, 0] - MIDPOINT))))


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


def _aspects(question: NamedTexts) -> list[Sentence]:
    found = [text[start:end] for text, names in question for start, end in phrases(text, names)]
    return [Sentence(text) for text in dict.fromkeys([*(text for text, _ in question), *found])]


def _texts(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    return tuple(one.text for one in sentences)


def _stems(text: str) -> list[str]:
    return [word.stem for word in word_comparison.words(text)]
