"""GroUSE's six criteria, offline."""

from ragassay.scores.measure import grouse as measure
from ragassay.scores.metrics.row import ENCODER, ENTAILMENT, Metric

_ALL = ("answer", "question", "contexts")
_GRADES = "Shares as grades: none 1, above 0 2, from 0.5 3, from 0.75 4, all 5."
_OURS = "GroUSE asks a language model (judge_grouse_*); thresholds here are ours, set on two topics of our own suite, not on human labels."
_FIXED = "GroUSE asks a language model (judge_grouse_*); thresholds here are ours, not calibrated."
_BESIDE = "A known reference answer is read beside it, as the source shows it to a judge (`ragassay instruments` measures that)"
_LABEL = "Whether the references answer: by the case's label, the reference answer, or the nearness of their best sentence (0.55)."


def _suite(labelled: int, unlabelled: int, all_topics: int, constant: int) -> str:
    """Cells right in tests/scores/grouse_suite.jsonl, one per test type of table 6 on each of three topics; its test holds these figures."""
    found = f"{labelled}" if labelled == unlabelled else f"{labelled} (without the label {unlabelled})"
    own = f"On our suite (its refusals were known when abstention was written): right in {found} of 16 test types on the topic held out"
    return f"{own}, in {all_topics} of 48 on all three topics; the best constant answer in {constant} and {3 * constant}."


# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("grouse_answer_relevancy", "grouse", _ALL, 1, 5, True,
           "GroUSE 4.1, figure 7", ENCODER, "grade of how much of the response bears on the question",
           f"share of answer sentences that belong to the reference answer (cosine >= 0.45 to a piece of it, or half its words, or citing what it "
           f"cites); without one, with cosine >= 0.35 to the question. {_BESIDE}. {_GRADES} Null for a refusal. {_OURS} {_suite(16, 16, 48, 7)}",
           measure.answer_relevancy, of_content=False),
    Metric("grouse_completeness", "grouse", _ALL, 1, 5, True,
           "GroUSE 4.1, table 6", ENCODER, "grade of how much of what the references say to the question is told",
           f"share of the reference answer's clauses that are told (cosine >= 0.55, or half of the words, or 0.35 and 0.3); without one, of the "
           f"references' relevant sentences (cosine >= 0.55 to the question; told from 0.6). {_BESIDE}. {_GRADES} "
           f"1 for a refusal; null if the references hold no answer. {_LABEL} {_OURS} {_suite(14, 12, 46, 7)}",
           measure.completeness, of_content=False),
    Metric("grouse_usefulness", "grouse", _ALL, 0, 1, True,
           "GroUSE 4.1, figure 9", ENCODER, "1 if all that a refusal adds bears on the question",
           f"the best added sentence has cosine >= 0.22 to the question (0.12 to 0.28 by what the reference answer does). "
           f"{_BESIDE}; null for a response or a bare refusal. {_OURS} {_suite(16, 16, 46, 12)}",
           measure.usefulness, of_content=False),
    Metric("grouse_faithfulness", "grouse", _ALL, 0, 1, True,
           "GroUSE 4.1, figure 10", ENTAILMENT, "1 if every sentence cites and what it cites supports it",
           f"every sentence cites; each cited passage is one that the reference answer cites for the like, or as near as any; numbers and dates in "
           f"digits are found; nothing was changed in a near-quotation; no contradiction. Freely worded distortions "
           f"mostly escape. {_BESIDE}; null for a bare refusal. A missing citation is FM6 by definition, "
           f"printed FM7 in table 6 (FORMULAS 14). {_FIXED} {_suite(16, 16, 46, 10)}",
           measure.faithfulness, of_content=False),
    Metric("positive_acceptance", "grouse", _ALL, 0, 1, True,
           "GroUSE 4.1 (FM4)", ENCODER, "1 if an answerable question is answered, 0 if refused",
           f"By the definition in 4.1; null where the references hold no answer. {_LABEL} {_suite(16, 14, 48, 8)}",
           measure.positive_acceptance, of_content=False),
    Metric("negative_rejection", "grouse", _ALL, 0, 1, True,
           "GroUSE 4.1 (FM2)", ENCODER, "1 if an unanswerable question is refused, 0 if answered",
           f"By the definition in 4.1; null where the references hold an answer. {_LABEL} {_suite(16, 14, 48, 10)}",
           measure.negative_rejection, of_content=False),
)
# fmt: on
