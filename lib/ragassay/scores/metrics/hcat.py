"""HCAT section 3: similarity, transport, entailment, retrieval."""

from functools import partial

from ragassay.scores.measure import entailment
from ragassay.scores.measure import hcat as measure
from ragassay.scores.metrics.row import ENCODER, ENTAILMENT, NO_MODEL, Metric

_MINIMUM = "minimum over i of max over j cos; the least met sentence decides."
_WEIGHTS = "weights: words per sentence, our choice (HCAT leaves them open)."
_SPLIT = "Citations are cut out first; sentences without a letter or digit are left out."
_SOFT = "HCAT prints no formula; ours follows BERTScore at the level of sentences (FORMULAS 5)."
_NLI = (
    "Premise: the three context sentences nearest to the sentence. w: entailment's weights less the mean of the other two classes' (FORMULAS 3); "
    "a score, not a probability."
)
_PAIRS = "one pass of the network per answer sentence"
_QC, _AC, _AQ = ("question", "contexts"), ("answer", "contexts"), ("answer", "question")

# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("groundedness_nli", "inference", _AC, 0, 1, True,
           "HCAT 3.2.2", ENTAILMENT, "how far the answer's sentences lie on the entailed side of the passages",
           f"mean over answer sentences i of sigma(D_i), D = z / |w|. {_NLI}", entailment.groundedness_nli, cost=_PAIRS, headline=5, after="groundedness_min"),
    Metric("groundedness_nli_weighted", "inference", _AC, 0, 1, True,
           "HCAT 3.2.2, weighted as in 3.1", ENTAILMENT, "groundedness by entailment, long answer sentences counting more",
           f"sum of w_i sigma(D_i); {_WEIGHTS} {_NLI}", partial(entailment.groundedness_nli, aggregation="weighted"), cost=_PAIRS),
    Metric("groundedness_nli_min", "inference", _AC, 0, 1, True,
           "HCAT 3.2.2, minimum as in 3.1", ENTAILMENT, "how far the least entailed answer sentence lies on the entailed side",
           f"minimum over i of sigma(D_i). {_NLI}", partial(entailment.groundedness_nli, aggregation="minimum"), cost=_PAIRS),
    Metric("wasserstein_completeness", "transport", _AC, 0, 2, False,
           "HCAT 3.3.2, first equation", ENCODER, "least cost of moving the passages' meaning onto the answer",
           "Exact optimal transport (POT), cosine distance, uniform masses. HCAT's printed average is mean_pairwise_distance (FORMULAS 1).",
           measure.wasserstein_completeness, cost="milliseconds per answer; seconds above 1,000 sentences"),
    Metric("mean_pairwise_distance", "transport", _AC, 0, 2, False,
           "HCAT 3.3.2, second equation", ENCODER, "mean distance of all passage and answer sentences",
           "Cost of the independent coupling: an upper bound of the Wasserstein distance, above 0 for a text against itself (FORMULAS 1).",
           measure.mean_pairwise_distance),
    Metric("retrieval_recall", "retrieval", ("context_ids", "reference_chunk_ids"), 0, 1, True,
           "HCAT figure 5", NO_MODEL, "share of the reference passages retrieved",
           "|retrieved and reference| / |reference|, distinct ids; hard, against known passages.",
           measure.retrieval_recall, of_content=False, headline=1, in_figures=True),
    Metric("retrieval_precision", "retrieval", ("context_ids", "reference_chunk_ids"), 0, 1, True,
           "HCAT figure 5", NO_MODEL, "share of the retrieved passages that are reference",
           "|retrieved and reference| / |retrieved|, distinct ids; hard, against known passages.",
           measure.retrieval_precision, of_content=False, in_figures=True),
    Metric("relevancy_recall", "retrieval", _QC, -1, 1, True,
           "HCAT figure 6", ENCODER, "how well each question sentence is met by the retrieved ones (soft)",
           f"mean over question sentences of the best cosine: equals context_relevancy. {_SOFT}",
           measure.relevancy_recall, of_content=False),
    Metric("relevancy_precision", "retrieval", _QC, -1, 1, True,
           "HCAT figure 6", ENCODER, "how near each retrieved sentence is to the question (soft)",
           f"mean over context sentences of the best cosine with the question's. {_SOFT}", measure.relevancy_precision, of_content=False, in_figures=True),
)
# fmt: on
