"""The classical scores of an answer against a reference answer, for comparison (they count shared words, not
truth), and perplexity. BLEU is sacrebleu's, ROUGE is rouge-score's, METEOR is nltk's on this kit's English
synonyms (WordNet is not carried), BERTScore its definition (Zhang et al. 2020, section 3) on the kit's
encoder."""

import math
import re
from functools import cache, partial
from types import SimpleNamespace

from numpy.typing import ArrayLike

from ragassay.scores.metric import Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import word_comparison
from ragassay.scores.vector_similarity import cosines

_WORD = re.compile(r"\w+|[^\w\s]")


def meteor(answer: str, reference: str, language: str = "en") -> float:
    """METEOR in [0, 1], higher is better: unigram F-mean by exact word, stem and synonym (English alone),
    with a penalty for scattered matches. Raises ValueError if a text has no word. Source: Banerjee and Lavie
    (2005), by nltk (alpha 0.9, beta 3, gamma 0.5)."""
    from nltk.translate.meteor_score import single_meteor_score

    known = _synonyms() if language.lower().startswith("en") else {}
    wordnet = SimpleNamespace(synsets=lambda stem: [_synset(known[stem])] if stem in known else [])
    return float(single_meteor_score(_words(_head(reference)), _words(_head(answer)), wordnet=wordnet))


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    """By nltk's stemmer: its third stage gets the stems that the second left."""
    from nltk.stem.porter import PorterStemmer

    return word_comparison.groups("synonyms.txt", PorterStemmer().stem)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _synset(words: frozenset[str]) -> SimpleNamespace:
    """Words as nltk takes a synset of WordNet."""
    lemmas = [SimpleNamespace(name=partial(str, word)) for word in sorted(words)]
    return SimpleNamespace(lemmas=lambda: lemmas)


LONGEST = 2_000  # words of a text that are read: the alignments below take quadratic time


def bleu(answer: str, reference: str) -> float:
    """Sentence BLEU in [0, 1], higher is better: geometric mean of 1- to 4-gram precision, exponential
    smoothing, effective order, brevity penalty. Raises ValueError if a text has no word. Source: Papineni et
    al. (2002), as sacrebleu computes it (Post 2018), over 100."""
    return _bleu().sentence_score(_head(answer), [_head(reference)]).score / 100


def rouge(answer: str, reference: str, kind: str) -> float:
    """F1 in [0, 1], higher is better, of shared words (`rouge1`), word pairs (`rouge2`) or the longest common
    subsequence (`rougeL`).

    Raises as `bleu`. Source: Lin (2004), by rouge-score, without stemming.
    """
    return float(_rouge(kind).score(_head(reference), _head(answer))[kind].fmeasure)


def bertscore(answer: ArrayLike, reference: ArrayLike) -> tuple[float, float, float]:
    """BERTScore precision, recall and F1 of token vectors (n, d) and (m, d), each in [-1, 1], higher is
    better: recall is the mean over the reference's tokens of the best cosine with a token of the answer,
    precision the converse; F1 is NaN where they do not sum above 0.

    Raises ValueError if a text has no token. Source: Zhang et al. (2020), section 3, greedy matching, without
    idf weights and baseline rescaling.
    """
    cosine = cosines(answer, reference)
    precision, recall = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else float("nan")


def overlap(sample: Sample, tools: Tools, formula: str) -> Result:
    """What a formula (bleu, meteor, rouge1, rouge2, rougeL) gives for the answer without its citations and
    the reference answer; the evidence are the two texts."""
    answer, reference = sample.uncited, sample.reference_answer or ""
    if formula == "meteor":
        value = meteor(answer, reference, sample.language)
    elif formula.startswith("rouge"):
        value = rouge(answer, reference, formula)
    else:
        value = bleu(answer, reference)
    return value, [{"text": answer, "evidence": reference}]


def compare_tokens(sample: Sample, tools: Tools, part: str) -> Result:
    """BERTScore: its part precision, recall or f1."""
    answer, reference = sample.uncited, sample.reference_answer or ""
    found = bertscore(*tools.ask("tokens", [answer, reference]))
    detail = [{"text": answer, "evidence": reference}]
    return found[("precision", "recall", "f1").index(part)], detail


def _head(text: str) -> str:
    """The first LONGEST words of the text; ValueError if it holds no word."""
    if not any(map(str.isalnum, text)):
        raise ValueError("the text has no word")
    return " ".join(text[: LONGEST * 20].split()[:LONGEST])


@cache
def _bleu():
    from sacrebleu.metrics import BLEU

    return BLEU(effective_order=True)


@cache
def _rouge(kind: str):
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind])


MOST = 1_000_000.0  # higher values are cut to it


def perplexity(sample: Sample, tools: Tools) -> Result:
    """exp of the mean negative log-likelihood of the answer's tokens, citations apart; lower is likelier."""
    value = float(tools.ask("perplexity", [sample.uncited])[0])
    if math.isnan(value):
        raise ValueError("the answer has no token that the language model could predict")
    return min(value, MOST), [{"text": sample.uncited}]
