"""The classical scores of an answer against its reference answer: one value and no sentence-level evidence but the two texts."""

from ragassay.scores import classical
from ragassay.scores.measure.result import SHOWN, Detail, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def bleu(material: Sample, tools: Tools) -> Result:
    """Shared n-grams of words (sacrebleu)."""
    return classical.bleu(*_texts(material)), _shown(material)


def chrf(material: Sample, tools: Tools) -> Result:
    """Shared n-grams of characters (sacrebleu)."""
    return classical.chrf(*_texts(material)), _shown(material)


def rouge(material: Sample, tools: Tools, kind: str) -> Result:
    """Shared words, pairs of words, or the longest common subsequence (rouge-score)."""
    return classical.rouge(*_texts(material), kind), _shown(material)


def meteor(material: Sample, tools: Tools) -> Result:
    """Words matched exactly or by stem, with a penalty for scattered matches (nltk)."""
    return classical.meteor(*_texts(material)), _shown(material)


def bertscore(material: Sample, tools: Tools, part: int) -> Result:
    """Best cosines of token vectors: precision (part 0), recall (1) or F1 (2)."""
    answer, reference = tools.tokens(_texts(material))
    return classical.bertscore(answer, reference)[part], _shown(material)


def _texts(material: Sample) -> tuple[str, str]:
    """The answer without its citations, and the reference answer."""
    return material.uncited, material.reference_answer or ""


def _shown(material: Sample) -> Detail:
    answer, reference = _texts(material)
    return [{"text": answer[:SHOWN], "evidence": reference[:SHOWN]}]
