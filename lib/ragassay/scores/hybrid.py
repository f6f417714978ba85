"""The parts of the hybrid assessment on arrays (Hybrid sections 2.1 to 2.6). The source names each and gives no formula: ours are stated here.

Cosines below 0 count as 0, so that every part is in [0, 1]; the parts of one metric have equal weights.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.similarity import aggregate
from ragassay.scores.vectors import best_match, cosines

STEEPNESS, MIDPOINT = 10.0, 0.5  # of the sigmoid of `topic_relevance`; not calibrated
ALONE, PAIRED = (
    1.0,
    2.0,
)  # weights of the texts judged for acceptability: the answer's sentence, and that sentence after question or context
ROWS = 1_000  # of a table of cosines held at a time


def equal_parts(parts: Sequence[float]) -> float:
    """Mean of the parts, in [0, 1]. Raises ValueError if there is none."""
    if len(parts) == 0:
        raise ValueError("no part to combine")
    return float(np.mean(parts))


def tfidf_weights(sentences: Sequence[Sequence[str]], corpus: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Weight of each sentence: the TF-IDF of its words, summed; shape (k,).

    A word's IDF is ln((1 + n) / (1 + sentences that have it)) + 1 over the n sentences of `corpus`. Sentences and corpus are lists of words.
    A text without any word gives every sentence the same weight.
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


def weighted_similarity(these: ArrayLike, those: ArrayLike, weights: ArrayLike) -> float:
    """How well sentences (k, d) are met by others (n, d), weighted (k,), in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If a text has no sentence.

    Source
    ------
    Hybrid 2.1 a with "context-aware TF-IDF weights" (section 1); on vectors of length 1 its cosine and dot product are one.
    """
    return aggregate(np.maximum(best_match(these, those), 0.0), "weighted", weights)


def aspect_coverage(aspects: ArrayLike, segments: ArrayLike) -> float:
    """How well the question's aspects (m, d) are met by the answer's segments (k, d), in [0, 1]; higher is better.

    Source
    ------
    Hybrid 2.4 a, "coverage by taking their mean difference from one": 1 - mean over aspects of (1 - the best cosine of any segment).
    """
    return float(1 - (1 - np.maximum(best_match(aspects, segments), 0.0)).mean())


def segment_coherence(segments: ArrayLike) -> float:
    """How near the answer's segments (k, d) are to one another: mean cosine of all pairs, in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If there are fewer than two segments.

    Source
    ------
    Hybrid 2.4 b.
    """
    return float(nearness(segments).mean())


def nearness(segments: ArrayLike) -> NDArray[np.float64]:
    """Each segment's mean cosine with the others (k,), negative ones as 0; 1,000 rows of the table of cosines are held at a time.

    Raises ValueError if there are fewer than two segments.
    """
    vectors = np.asarray(segments, dtype=float)
    if len(vectors) < 2:
        raise ValueError("one sentence alone has no coherence")
    blocks = [vectors[start : start + ROWS] for start in range(0, len(vectors), ROWS)]
    totals = np.concatenate([np.maximum(cosines(block, vectors), 0.0).sum(axis=1) for block in blocks])
    return (totals - 1.0) / (len(vectors) - 1)


def context_utilisation(segments: ArrayLike, contexts: ArrayLike) -> float:
    """How near the answer's segments (k, d) are to what the contexts (n, d) are about as a whole, in [0, 1]; higher is better.

    Source
    ------
    Hybrid 2.4 c, "cosines mean against segment and contextual embeddings": the contextual embedding is the mean of the context sentences.
    """
    return float(np.maximum(cosines(segments, centre(contexts)), 0.0).mean())


def topic_relevance(segments: ArrayLike, question: ArrayLike, contexts: ArrayLike) -> float:
    """Sigmoid of the cosine between the answer as a whole and its topic, in (0, 1); higher is better; not calibrated.

    The topic is the mean of what the question (m, d) and the contexts (n, d) are about; 1 / (1 + exp(-STEEPNESS (cos - MIDPOINT))).

    Source
    ------
    Hybrid 2.4 d, "non-linear modeling sigmoid over contextual embeddings".
    """
    topic = centre(np.vstack([centre(question), centre(contexts)]))
    return float(1 / (1 + np.exp(-STEEPNESS * (cosines(centre(segments), topic)[0, 0] - MIDPOINT))))


def centre(sentences: ArrayLike) -> NDArray[np.float64]:
    """Mean of sentence vectors (n, d) of length 1; shape (1, d). Raises ValueError if there is none, or they cancel out."""
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("no sentences: the text is empty")
    mean = vectors.mean(axis=0, keepdims=True)
    length = np.linalg.norm(mean)
    if length < 1e-9:
        raise ValueError("the sentences cancel out: their mean has no direction")
    return mean / length


def nli_coherence(probabilities: ArrayLike) -> float:
    """Mean over sentences of the probability of entailment and half that of neutral, in [0, 1]; higher is better.

    probabilities : (k, 3) of entailment, neutral, contradiction

    Source
    ------
    Hybrid 2.5 a, "entailment given full weight and neutral given half weight".
    """
    return float((_judged(probabilities) @ [1.0, 0.5, 0.0]).mean())


def contradiction(probabilities: ArrayLike) -> float:
    """Mean over sentences of the probability of contradiction (k, 3), in [0, 1]; LOWER is better. Source: Hybrid 2.6 a."""
    return float(_judged(probabilities)[:, 2].mean())


def pair_acceptability(alone: ArrayLike, after_question: ArrayLike, after_context: ArrayLike) -> float:
    """Mean probability that a text is acceptable English, of the answer's sentences alone (k,) and in pairs, in [0, 1]; higher is better.

    after_question, after_context : (k,) of each sentence joined to the question or to its nearest context sentence; these count twice

    Source
    ------
    Hybrid 2.5 b, "higher weights given to query-response and context-response pairs"; weights 1, 2, 2 are ours.
    """
    means = [np.mean(np.asarray(part, dtype=float)) for part in (alone, after_question, after_context)]
    return float(np.average(means, weights=[ALONE, PAIRED, PAIRED]))


def _judged(probabilities: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(probabilities, dtype=float)
    if len(found) == 0:
        raise ValueError("no sentence was judged")
    return found
