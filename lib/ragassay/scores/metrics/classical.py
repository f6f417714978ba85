"""Classical scores against a reference answer, for comparison."""

from functools import partial

from ragassay.scores.measure import classical as measure
from ragassay.scores.metrics.row import NO_MODEL, Metric

_NEEDS = ("answer", "reference_answer")
_WORDS = "It counts shared words, not truth: a changed number barely moves it. Citations are cut out of the answer; 2,000 words are read."
_TOKENS = ("tokens",)
_BERT = "Greedy matching of last-layer token vectors of the kit's encoder, no idf weights, no rescaling; 256 tokens are read."

# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("bleu", "classical", _NEEDS, 0, 1, True,
           "Papineni et al. (2002)", NO_MODEL, "shared word sequences with the reference answer (precision)",
           f"sacrebleu's sentence BLEU, effective order, over 100. {_WORDS}", measure.bleu),
    Metric("chrf", "classical", _NEEDS, 0, 1, True,
           "Popovic (2015)", NO_MODEL, "shared letter sequences with the reference answer",
           f"sacrebleu's chrF2 over 100. {_WORDS}", measure.chrf),
    Metric("rouge_1", "classical", _NEEDS, 0, 1, True,
           "Lin (2004)", NO_MODEL, "shared words with the reference answer",
           f"F1 of unigrams by rouge-score. {_WORDS}", partial(measure.rouge, kind="rouge1")),
    Metric("rouge_2", "classical", _NEEDS, 0, 1, True,
           "Lin (2004)", NO_MODEL, "shared word pairs with the reference answer",
           f"F1 of bigrams by rouge-score. {_WORDS}", partial(measure.rouge, kind="rouge2")),
    Metric("rouge_l", "classical", _NEEDS, 0, 1, True,
           "Lin (2004)", NO_MODEL, "longest common word sequence with the reference answer",
           f"F1 of the longest common subsequence by rouge-score. {_WORDS}", partial(measure.rouge, kind="rougeL")),
    Metric("meteor", "classical", _NEEDS, 0, 1, True,
           "Banerjee and Lavie (2005)", NO_MODEL, "words shared with the reference answer, exactly or by stem",
           f"nltk's METEOR, alpha 0.9, beta 3, gamma 0.5, without its synonym stage (WordNet is not carried). {_WORDS}", measure.meteor),
    Metric("bertscore_precision", "classical", _NEEDS, -1, 1, True,
           "Zhang et al. (2020), section 3", _TOKENS, "how well each token of the answer is met by one of the reference answer",
           _BERT, partial(measure.bertscore, part=0)),
    Metric("bertscore_recall", "classical", _NEEDS, -1, 1, True,
           "Zhang et al. (2020), section 3", _TOKENS, "how well each token of the reference answer is met by one of the answer",
           _BERT, partial(measure.bertscore, part=1)),
    Metric("bertscore_f1", "classical", _NEEDS, -1, 1, True,
           "Zhang et al. (2020), section 3", _TOKENS, "harmonic mean of BERTScore precision and recall",
           _BERT, partial(measure.bertscore, part=2)),
)
# fmt: on
