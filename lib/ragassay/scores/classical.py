"""The classical scores of an answer against a reference answer, for comparison: they count shared words and letters, not truth.

BLEU and chrF are sacrebleu's, ROUGE is rouge-score's, METEOR is nltk's with its exact and stem stages (its synonym stage needs WordNet, which
is not carried). BERTScore is its definition on the kit's encoder (Zhang et al. 2020, section 3), without baseline rescaling.
"""

import functools
import re
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST = 2_000  # words of a text that are read: the alignments below take quadratic time
_WORD = re.compile(r"\w+|[^\w\s]")
_PIECE = re.compile(r"\S+")


def bleu(answer: str, reference: str) -> float:
    """Sentence BLEU in [0, 1], higher is better: geometric mean of 1- to 4-gram precision, exponential smoothing, effective order, brevity penalty.

    Raises ValueError if a text has no word. Source: Papineni et al. (2002), as sacrebleu computes it (Post 2018), over 100.
    """
    return _bleu().sentence_score(_head(answer), [_head(reference)]).score / 100


def chrf(answer: str, reference: str) -> float:
    """chrF2 in [0, 1], higher is better: F-score (beta 2) of character 1- to 6-grams. Raises as `bleu`. Source: Popovic (2015), by sacrebleu."""
    return _chrf().sentence_score(_head(answer), [_head(reference)]).score / 100


def rouge(answer: str, reference: str, kind: str) -> float:
    """F1 in [0, 1], higher is better, of shared words (`rouge1`), word pairs (`rouge2`) or the longest common subsequence (`rougeL`).

    Raises as `bleu`. Source: Lin (2004), by rouge-score, without stemming.
    """
    return float(_rouge(kind).score(_head(reference), _head(answer))[kind].fmeasure)


def meteor(answer: str, reference: str) -> float:
    """METEOR in [0, 1], higher is better: unigram F-mean by exact word and stem, with a penalty for scattered matches.

    Raises as `bleu`. Source: Banerjee and Lavie (2005), by nltk (alpha 0.9, beta 3, gamma 0.5), synonym stage left out.
    """
    from nltk.translate.meteor_score import single_meteor_score

    no_synonyms = SimpleNamespace(synsets=lambda word: [])
    return float(single_meteor_score(_words(_head(reference)), _words(_head(answer)), wordnet=no_synonyms))


def bertscore(answer: ArrayLike, reference: ArrayLike) -> tuple[float, float, float]:
    """BERTScore precision, recall and F1 of token vectors (n, d) and (m, d), each in [-1, 1], higher is better.

    Recall is the mean over the reference's tokens of the best cosine with a token of the answer; precision the converse. F1 is undefined (NaN)
    where precision and recall do not sum above 0. Raises ValueError if a text has no token.
    Source: Zhang et al. (2020), section 3, greedy matching, without idf weights and baseline rescaling.
    """
    candidate, truth = _unit(answer), _unit(reference)
    cosine = np.clip(candidate @ truth.T, -1.0, 1.0)
    precision, recall = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else float("nan")


def _head(text: str) -> str:
    """The first LONGEST words of the text; ValueError if it holds no word."""
    if not any(map(str.isalnum, text)):
        raise ValueError("the text has no word")
    pieces = _PIECE.finditer(text)
    last = next((piece for place, piece in enumerate(pieces, 1) if place == LONGEST), None)
    return text[: last.end() if last else None][: LONGEST * 20]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _unit(tokens: ArrayLike) -> NDArray[np.float64]:
    vectors = np.asarray(tokens, dtype=float)
    if len(vectors) == 0:
        raise ValueError("the text has no token")
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@functools.cache
def _bleu():
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=True)


@functools.cache
def _chrf():
    from sacrebleu.metrics import CHRF

    return CHRF()


@functools.cache
def _rouge(kind: str):
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind])
