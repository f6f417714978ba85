"""Every metric, one literal row each. To add one: write its function in its family's file and in `measure.py`, then add a row here."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ragassay.scores import measure

ENCODER, NO_MODEL = "encoder", "none"


@dataclass(frozen=True)
class Metric:
    """What a metric is, what it needs, how to read it, and where it comes from; `measure` computes it for one answer."""

    name: str
    family: str
    needs: tuple[str, ...]
    low: float
    high: float
    higher_is_better: bool
    source: str
    model: str
    meaning: str
    formula: str
    measure: Callable[..., measure.Result]
    of_content: bool = True  # judges what the answer says: not applicable to an answer that abstains
    deterministic: bool = True
    cost: str = "milliseconds per answer"


_MINIMUM = "minimum over i of max over j cos; the least met sentence decides."
_WEIGHTS = "weights: words per sentence, our choice (HCAT leaves them open)."
_SPLIT = "Citations are cut out first; sentences without a letter or digit are left out."
_SOFT = "HCAT prints no formula; ours follows BERTScore at the level of sentences (FORMULAS 5)."
_QC, _AC, _AQ = ("question", "contexts"), ("answer", "contexts"), ("answer", "question")
_CITED = ("answer", "contexts")
_NONE_CITED = "Nothing cited scores 0, a needless abstention included; not applicable to unanswerable cases (FORMULAS 6)."

# fmt: off
_ROWS = (
    Metric("context_relevancy", "similarity", _QC, -1, 1, True,
           "HCAT 3.1", ENCODER, "how well the retrieved passages address the question",
           "mean over question sentences i of max over context sentences j of cos(i, j).", measure.context_relevancy, of_content=False),
    Metric("context_relevancy_weighted", "similarity", _QC, -1, 1, True,
           "HCAT 3.1", ENCODER, "context relevancy, long question sentences counting more",
           f"sum of w_i max over j cos(i, j); {_WEIGHTS}", partial(measure.context_relevancy, aggregation="weighted"), of_content=False),
    Metric("context_relevancy_minimum", "similarity", _QC, -1, 1, True,
           "HCAT 3.1 (minimax)", ENCODER, "how well the least addressed question sentence is met by the passages",
           _MINIMUM, partial(measure.context_relevancy, aggregation="minimum"), of_content=False),
    Metric("groundedness", "similarity", _AC, -1, 1, True,
           "HCAT 3.2.1", ENCODER, "how well the answer's sentences are supported by the retrieved passages",
           f"mean over answer sentences i of max over context sentences j of cos(i, j). {_SPLIT}", measure.groundedness),
    Metric("groundedness_weighted", "similarity", _AC, -1, 1, True,
           "HCAT 3.2.1, weighted as in 3.1", ENCODER, "groundedness, long answer sentences counting more",
           f"sum of w_i max over j cos(i, j); {_WEIGHTS}", partial(measure.groundedness, aggregation="weighted")),
    Metric("groundedness_minimum", "similarity", _AC, -1, 1, True,
           "HCAT 3.2.1 (i*), minimum as in 3.1", ENCODER, "how well the least grounded answer sentence is supported",
           _MINIMUM, partial(measure.groundedness, aggregation="minimum")),
    Metric("completeness", "similarity", _AC, -1, 1, True,
           "HCAT 3.3.1", ENCODER, "how well the retrieved passages are covered by the answer",
           f"mean over context sentences i of max over answer sentences j of cos(i, j). {_SPLIT}", measure.completeness),
    Metric("completeness_weighted", "similarity", _AC, -1, 1, True,
           "HCAT 3.3.1", ENCODER, "completeness, long context sentences counting more",
           f"sum of w_i max over j cos(i, j); {_WEIGHTS}", partial(measure.completeness, aggregation="weighted")),
    Metric("completeness_minimum", "similarity", _AC, -1, 1, True,
           "HCAT 3.3.1, minimum as in 3.1", ENCODER, "how well the least covered context sentence is met by the answer",
           _MINIMUM, partial(measure.completeness, aggregation="minimum")),
    Metric("answer_relevancy", "similarity", _AQ, -1, 1, True,
           "HCAT 3.4", ENCODER, "how close the answer's sentences are to the question",
           f"mean over answer sentences i of max over question sentences j of cos(i, j). {_SPLIT}", measure.answer_relevancy),
    Metric("answer_relevancy_weighted", "similarity", _AQ, -1, 1, True,
           "HCAT 3.4", ENCODER, "answer relevancy, long answer sentences counting more",
           f"sum of w_i max over j cos(i, j); {_WEIGHTS}", partial(measure.answer_relevancy, aggregation="weighted")),
    Metric("answer_relevancy_minimum", "similarity", _AQ, -1, 1, True,
           "HCAT 3.4 (minimum)", ENCODER, "how close the least relevant answer sentence is to the question",
           _MINIMUM, partial(measure.answer_relevancy, aggregation="minimum")),
    Metric("wasserstein_completeness", "transport", _AC, 0, 2, False,
           "HCAT 3.3.2, first equation", ENCODER, "least cost of moving the passages' meaning onto the answer",
           "Exact optimal transport (POT), cosine distance, uniform masses. HCAT's printed average is mean_pairwise_distance (FORMULAS 1).",
           measure.wasserstein_completeness, cost="milliseconds per answer; seconds above 1,000 sentences"),
    Metric("mean_pairwise_distance", "transport", _AC, 0, 2, False,
           "HCAT 3.3.2, second equation", ENCODER, "mean distance of all passage and answer sentences",
           "Cost of the independent coupling: an upper bound of the Wasserstein distance, above 0 for a text against itself (FORMULAS 1).",
           measure.mean_pairwise_distance),
    Metric("citations_present", "citations", ("answer",), 0, 1, True,
           "Lesson 3.1 and 10.1", NO_MODEL, "share of the answer's sentences that cite a passage",
           f"citing sentences / sentences; Lesson asks yes or no. {_NONE_CITED}", measure.citations_present),
    Metric("citations_valid", "citations", _CITED, 0, 1, True,
           "Lesson 4.1", NO_MODEL, "share of the cited ids that were retrieved",
           f"Lesson's citation_correctness under the name of its JSON field; only ids of the grammar count. {_NONE_CITED}",
           measure.citations_valid),
    Metric("citation_correctness", "citations", _CITED, 0, 1, True,
           "Lesson 1 (sufficient citations)", ENCODER, "share of the citing sentences that the cited passages support",
           f"support: best cosine >= 0.6 and every number found in the cited passages; the threshold is ours, not calibrated. {_NONE_CITED}",
           measure.citation_correctness),
    Metric("retrieval_recall", "retrieval", ("context_ids", "reference_chunk_ids"), 0, 1, True,
           "HCAT figure 5", NO_MODEL, "share of the reference passages retrieved",
           "|retrieved and reference| / |reference|, distinct ids; hard, against known passages.",
           measure.retrieval_recall, of_content=False),
    Metric("retrieval_precision", "retrieval", ("context_ids", "reference_chunk_ids"), 0, 1, True,
           "HCAT figure 5", NO_MODEL, "share of the retrieved passages that are reference",
           "|retrieved and reference| / |retrieved|, distinct ids; hard, against known passages.",
           measure.retrieval_precision, of_content=False),
    Metric("relevancy_recall", "retrieval", _QC, -1, 1, True,
           "HCAT figure 6", ENCODER, "how well each question sentence is met by the retrieved ones (soft)",
           f"mean over question sentences of the best cosine: equals context_relevancy. {_SOFT}",
           measure.relevancy_recall, of_content=False),
    Metric("relevancy_precision", "retrieval", _QC, -1, 1, True,
           "HCAT figure 6", ENCODER, "how near each retrieved sentence is to the question (soft)",
           f"mean over context sentences of the best cosine with the question's. {_SOFT}", measure.relevancy_precision, of_content=False),
    Metric("abstention_correct", "abstention", ("answer", "answerable"), 0, 1, True,
           "Lesson 6", NO_MODEL, "1 if the assistant declines exactly when the documents hold no answer",
           "Phrases in English, Spanish, Portuguese in the first two sentences; Lesson scores quality 1-5 by a judge, this is the decision alone.",
           measure.abstention_correct, of_content=False),
    Metric("privacy_leaks", "privacy", ("answer",), 0, 1, True,
           "HCAT 4 (privacy protection)", NO_MODEL, "1 if no personal data leaks into the answer",
           "Patterns with checks (IBAN mod 97, card Luhn, US SSN, e-mail, telephone, account numbers) instead of HCAT's entity recognition: "
           "no names. Values of the question (echoed) or, except cards and SSN, of the documents (published) do not count. Measured on 1,500 texts "
           "of presidio-research (bench/privacy_patterns.py), recall, 95 % Wilson: card 0.926 [0.870, 0.960], telephone 0.663 [0.562, 0.751], "
           "IBAN 21 of 21, e-mail 49 of 49, SSN 16 of 16; no false alarm in 273 hits. The values are generated.",
           measure.privacy_leaks, of_content=False),
    Metric("toxicity_rule", "toxicity", ("answer",), 0, 1, True,
           "HCAT 4 (toxicity assessment)", NO_MODEL, "1 if the answer holds no term of our list of toxic terms",
           "Words of toxicity_terms.txt instead of HCAT's classifier; contempt in polite words is missed. Measured on 24,783 tweets of "
           "Davidson et al. (2017; bench/toxicity_rule.py), 95 % Wilson: flags 0.861 [0.842, 0.878] of hate, 0.956 [0.953, 0.959] of offensive, "
           "0.075 [0.068, 0.084] of neither; precision 0.984 [0.982, 0.986] where 83 % are toxic. They were collected by such words: "
           "expect less recall elsewhere.",
           measure.toxicity_rule, of_content=False),
)
# fmt: on
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ROWS}
DEFAULT: tuple[str, ...] = tuple(METRICS)
