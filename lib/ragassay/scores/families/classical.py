"""The classical scores of an answer against a reference answer, for comparison:
they count shared words and letters, not truth.

BLEU and chrF are sacrebleu's, ROUGE is rouge-score's, METEOR is nltk's with its three stages, the last one
on this kit's list of English synonyms (WordNet is not carried). BERTScore is its definition on the
kit's encoder (Zhang et al. 2020, section 3), without baseline rescaling.
"""

import re
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay.scores.metric import NO_MODEL, SHOWN, Detail, Family, Metric, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.meteor import meteor

LONGEST = 2_000  # words of a text that are read: the alignments below take quadratic time
_PIECE = re.compile(r"\S+")


def bleu(answer: str, reference: str) -> float:
    """Sentence BLEU in [0, 1], higher is better:
    geometric mean of 1- to 4-gram precision, exponential smoothing, effective order, brevity penalty.

    Raises ValueError if a text has no word. Source: Papineni et al. (2002), as sacrebleu computes it (Post
    2018), over 100.
    """
    return _bleu().sentence_score(_head(answer), [_head(reference)]).score / 100


def chrf(answer: str, reference: str) -> float:
    """chrF2 in [0, 1], higher is better: F-score (beta 2) of character 1- to 6-grams. Raises as `bleu`.

    Source: Popovic (2015), by sacrebleu.
    """
    return _chrf().sentence_score(_head(answer), [_head(reference)]).score / 100


def rouge(answer: str, reference: str, kind: str) -> float:
    """F1 in [0, 1], higher is better, of shared words (`rouge1`), word pairs (`rouge2`) or the longest common
    subsequence (`rougeL`).

    Raises as `bleu`. Source: Lin (2004), by rouge-score, without stemming.
    """
    return float(_rouge(kind).score(_head(reference), _head(answer))[kind].fmeasure)


def bertscore(answer: ArrayLike, reference: ArrayLike) -> tuple[float, float, float]:
    """BERTScore precision, recall and F1 of token vectors (n, d) and (m, d), each in [-1, 1], higher is
    better.

    Recall is the mean over the reference's tokens of the best cosine with a token of the answer; precision
    the converse. F1 is undefined (NaN) where precision and recall do not sum above 0. Raises ValueError if a
    text has no token. Source: Zhang et al. (2020), section 3, greedy matching, without idf weights and
    baseline rescaling.
    """
    candidate, truth = _unit(answer), _unit(reference)
    cosine = np.clip(candidate @ truth.T, -1.0, 1.0)
    precision, recall = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else float("nan")


def compare_texts(sample: Sample, tools: Tools, formula: Callable[..., float], **options: str) -> Result:
    """What a formula gives for the answer without its citations and the reference answer;
    the evidence are the two texts.
    """
    return formula(*_texts(sample), **options), _evidence(sample)


def compare_by_meteor(sample: Sample, tools: Tools) -> Result:
    """METEOR of the same two texts, with synonyms where they are in English."""
    answer, reference = map(_head, _texts(sample))
    return meteor(answer, reference, sample.language), _evidence(sample)


def compare_tokens(sample: Sample, tools: Tools, part: int) -> Result:
    """BERTScore precision (part 0), recall (1) or F1 (2)."""
    answer, reference = tools.tokens(_texts(sample))
    return bertscore(answer, reference)[part], _evidence(sample)


def _texts(sample: Sample) -> tuple[str, str]:
    return sample.uncited, sample.reference_answer or ""


def _evidence(sample: Sample) -> Detail:
    answer, reference = _texts(sample)
    return [{"text": answer[:SHOWN], "evidence": reference[:SHOWN]}]


def _head(text: str) -> str:
    """The first LONGEST words of the text; ValueError if it holds no word."""
    if not any(map(str.isalnum, text)):
        raise ValueError("the text has no word")
    pieces = _PIECE.finditer(text)
    last = next((piece for place, piece in enumerate(pieces, 1) if place == LONGEST), None)
    return text[: last.end() if last else None][: LONGEST * 20]


def _unit(tokens: ArrayLike) -> NDArray[np.float64]:
    vectors = np.asarray(tokens, dtype=float)
    if len(vectors) == 0:
        raise ValueError("the text has no token")
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@cache
def _bleu():
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=True)


@cache
def _chrf():
    from sacrebleu.metrics import CHRF

    return CHRF()


@cache
def _rouge(kind: str):
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind])


_NEEDS = ("answer", "reference_answer")
_WORDS = (
    "It counts shared words, not truth: a changed number barely moves it. Citations are cut out of the "
    "answer; 2,000 words are read."
)
_TOKENS = ("tokens",)
_BERT = (
    "Greedy matching of last-layer token vectors of the kit's encoder, no idf weights, no rescaling; 256 "
    "tokens are read."
)

# fmt: off
FAMILY = Family(
    name="classical",
    source="classical",
    metrics=(
        Metric("bleu", "classical", _NEEDS, 0, 1, True, "Papineni et al. (2002)", NO_MODEL,
               "shared word sequences with the reference answer (precision)",
               f"sacrebleu's sentence BLEU, effective order, over 100. {_WORDS}",
               partial(compare_texts, formula=bleu), display="BLEU"),
        Metric("chrf", "classical", _NEEDS, 0, 1, True, "Popovic (2015)", NO_MODEL,
               "shared letter sequences with the reference answer",
               f"sacrebleu's chrF2 over 100. {_WORDS}",
               partial(compare_texts, formula=chrf), display="chrF"),
        Metric("rouge_1", "classical", _NEEDS, 0, 1, True, "Lin (2004)", NO_MODEL,
               "shared words with the reference answer",
               f"F1 of unigrams by rouge-score. {_WORDS}",
               partial(compare_texts, formula=rouge, kind="rouge1"), display="ROUGE-1"),
        Metric("rouge_2", "classical", _NEEDS, 0, 1, True, "Lin (2004)", NO_MODEL,
               "shared word pairs with the reference answer",
               f"F1 of bigrams by rouge-score. {_WORDS}",
               partial(compare_texts, formula=rouge, kind="rouge2"), display="ROUGE-2"),
        Metric("rouge_l", "classical", _NEEDS, 0, 1, True, "Lin (2004)", NO_MODEL,
               "longest common word sequence with the reference answer",
               f"F1 of the longest common subsequence by rouge-score. {_WORDS}",
               partial(compare_texts, formula=rouge, kind="rougeL"), display="ROUGE-L"),
        Metric("meteor", "classical", _NEEDS, 0, 1, True, "Banerjee and Lavie (2005)", NO_MODEL,
               "words shared with the reference answer, exactly, by stem or by synonym",
               "nltk's METEOR, alpha 0.9, beta 3, gamma 0.5; synonyms by this kit's English list in place of "
               f"WordNet, which is not carried: none in another language. {_WORDS}",
               compare_by_meteor, display="METEOR"),
        Metric("bertscore_precision", "classical", _NEEDS, -1, 1, True, "Zhang et al. (2020), section 3",
               _TOKENS,
               "how well each token of the answer is met by one of the reference answer",
               _BERT,
               partial(compare_tokens, part=0), display="BERTScore precision"),
        Metric("bertscore_recall", "classical", _NEEDS, -1, 1, True, "Zhang et al. (2020), section 3",
               _TOKENS,
               "how well each token of the reference answer is met by one of the answer",
               _BERT,
               partial(compare_tokens, part=1), display="BERTScore recall"),
        Metric("bertscore_f1", "classical", _NEEDS, -1, 1, True, "Zhang et al. (2020), section 3", _TOKENS,
               "harmonic mean of BERTScore precision and recall",
               _BERT,
               partial(compare_tokens, part=2), display="BERTScore F1"),
    ),
)
# fmt: on
