"""The probability that the contexts support the whole answer."""

from ragassay.scores.measure import support as measure
from ragassay.scores.metrics.row import Metric

# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("support", "support", ("answer", "contexts"), 0, 1, True,
           "this kit; measured in bench/support.py", ("encoder", "entailment_base"),
           "the probability that the retrieved passages support the whole answer",
           "Logistic model over named features: similarity, words and word pairs found, paraphrases, opposites, numbers, dates, names and quantifiers"
           " missing, new negations, entailment and contradiction (mean, hardest sentence); coefficients in scores/support.json.",
           measure.probability, headline=3, in_figures=True),
)
