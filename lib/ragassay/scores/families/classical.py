"""The classical scores of an answer against a reference answer, for comparison (they count shared words, not
truth), and perplexity. BLEU is sacrebleu's, ROUGE is rouge-score's, METEOR is nltk's by word and stem
(WordNet is not carried), BERTScore its definition (Zhang et al. 2020, section 3) on the kit's encoder."""

import math
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

from numpy.typing import ArrayLike

from ragassay.scores.metric import Result, Tools, cosines
from ragassay.scores.prepared_answer import Sample

LONGEST = 2_000  # words of a text that are read: the alignments below take quadratic time
MOST = 1_000_000.0  # higher perplexities are cut to it
NO_WORDNET = SimpleNamespace(synsets=lambda stem: [])
_WORD = re.compile(r"\w+|[^\w\s]")
_UNPARTED = re.compile(  # Thai to Myanmar, Khmer, kana, Han, each letter with its marks
    r"[\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a\u1780-\u17b3"
    r"\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    r"\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)


def meteor(answer: str, reference: str) -> float:
    """METEOR in [0, 1], higher is better: unigram F-mean by exact word and stem, with a penalty for scattered
    matches. Raises ValueError if a text has no word. Source: Banerjee and Lavie (2005), by nltk (alpha 0.9,
    beta 3, gamma 0.5), without its third stage, synonyms."""
    from nltk.translate.meteor_score import single_meteor_score

    these, those = (_WORD.findall(_head(text).lower()) for text in (reference, answer))
    return float(single_meteor_score(these, those, wordnet=NO_WORDNET))


def bleu(answer: str, reference: str) -> float:
    """Sentence BLEU in [0, 1], higher is better: geometric mean of 1- to 4-gram precision, exponential
    smoothing, effective order, brevity penalty. Raises ValueError if a text has no word. Source: Papineni et
    al. (2002), as sacrebleu computes it (Post 2018), over 100."""
    from sacrebleu import sentence_bleu

    return sentence_bleu(_head(answer), [_head(reference)]).score / 100


def rouge(answer: str, reference: str, kind: str) -> float:
    """F1 in [0, 1], higher is better, of shared words (`rouge1`), word pairs (`rouge2`) or the longest common
    subsequence (`rougeL`).

    Raises as `bleu`. Source: Lin (2004), by rouge-score, without stemming, on the words of any script.
    """
    from rouge_score.rouge_scorer import RougeScorer

    for text in (answer, reference):
        _head(text)
    scorer = RougeScorer([kind], tokenizer=SimpleNamespace(tokenize=_tokens))
    return float(scorer.score(reference, answer)[kind].fmeasure)


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


def overlap(sample: Sample, tools: Tools, formula: str, option: str = "L") -> Result:
    """`bleu`, `meteor` or `rouge` of the answer without its citations and the reference answer; the evidence
    are the two texts."""
    answer, reference = sample.uncited, sample.reference_answer or ""
    formulas: dict[str, Callable[[str, str], float]] = {
        "bleu": bleu,
        "meteor": meteor,
        "rouge": partial(rouge, kind=f"rouge{option}"),
    }
    return formulas[formula](answer, reference), [{"text": answer, "evidence": reference}]


def bertscore_of(sample: Sample, tools: Tools, option: str = "f1") -> Result:
    """BERTScore of the same two texts: its f1, precision or recall."""
    answer, reference = sample.uncited, sample.reference_answer or ""
    found = bertscore(*tools.ask("tokens", [answer, reference]))
    return found[("precision", "recall", "f1").index(option)], [{"text": answer, "evidence": reference}]


def _head(text: str) -> str:
    """The first LONGEST words of the text; ValueError if it holds no word."""
    if not any(map(str.isalnum, text)):
        raise ValueError("the text has no word")
    return " ".join(text[: LONGEST * 20].split()[:LONGEST])


def _tokens(text: str) -> list[str]:
    """The first LONGEST words of a text, without case and in one composition, letters with their marks; in
    scripts that write no blanks between words each letter is one."""
    plain = unicodedata.normalize("NFKC", text[: LONGEST * 20]).casefold()
    signs = (sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in plain)
    return _UNPARTED.sub(r" \g<0> ", "".join(signs)).split()[:LONGEST]


def perplexity(sample: Sample, tools: Tools) -> Result:
    """exp of the mean negative log-likelihood of the answer's tokens, citations apart; lower is likelier."""
    value = float(tools.ask("perplexity", [sample.uncited])[0])
    if math.isnan(value):
        raise ValueError("the answer has no token that the language model could predict")
    return min(value, MOST), [{"text": sample.uncited}]
