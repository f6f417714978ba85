"""GroUSE's six criteria by our own instruments: what bears on the question, is told, is cited rightly.

Where the reference answer is known, it is read beside the answer, as the source shows it to a judge: it says
whether the references answer, which facts are wanted, and which passages hold them. Where it is not, nearness
to the question has to do. The grades stand in grouse_grades.py. The thresholds are ours: RELEVANT, ANSWERS
and COVERED were set on two topics of tests/scores/families/grouse_suite.jsonl, on no human labels; what came
right on the third stands in the metrics' rows.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ragassay.scores import vector_similarity
from ragassay.scores.grouse import grouse_grades
from ragassay.scores.grouse.grouse_faithfulness import check_sentence
from ragassay.scores.grouse.grouse_grades import Situation
from ragassay.scores.grouse.grouse_reference import ANSWERS, facts_told, informative, record, sentences_wanted
from ragassay.scores.metric import ENCODER, ENTAILMENT, Detail, Family, Metric, Result
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import read

RELEVANT = 0.35  # cosine of a sentence with the question from which it counts as bearing on it
COVERED = 0.6  # cosine of a reference's sentence with the nearest of the answer from which it counts as told
USEFUL = 0.22  # cosine of a refusal's best addition with the question from which its additions are related
# the same by what the reference answer does: a bare refusal found nothing related
USEFUL_IF = {"bare": 0.28, "adds": 0.12, "answers": 0.18}


def grouse_answer_relevancy(sample: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that bear on the question, as a grade from 1 to 5; higher is better."""
    found = situation(sample, tools)
    if sample.reference_answer is not None and found.responds:
        detail = sentences_wanted(sample, tools, found.answerable)
    else:
        detail = _nearness(_said(sample), sample.question_sentences, tools, RELEVANT)
    return _graded(grouse_grades.answer_relevancy, detail, found)


def grouse_completeness(sample: Sample, tools: Tools) -> Result:
    """Share of what is wanted that the answer tells, as a grade from 1 to 5; higher is better.

    Wanted are the facts of the reference answer, or without one the references' relevant sentences.
    """
    found = situation(sample, tools)
    if not found.responds or not found.answerable:
        return _graded(grouse_grades.completeness, [], found)
    if sample.reference_answer is not None:
        return _graded(grouse_grades.completeness, facts_told(sample, tools), found)
    detail = _nearness(_relevant_references(sample, tools), _said(sample), tools, COVERED)
    return _graded(grouse_grades.completeness, detail, found)


def grouse_usefulness(sample: Sample, tools: Tools) -> Result:
    """1 if what a refusal adds is related to the question, else 0; higher is better."""
    detail = _nearness(_said(sample), sample.question_sentences, tools, RELEVANT)
    best = max((record["similarity"] for record in detail), default=0.0)
    related = [record | {"score": float(best >= _useful_from(sample))} for record in detail]
    return _graded(grouse_grades.usefulness, related, situation(sample, tools))


def grouse_faithfulness(sample: Sample, tools: Tools) -> Result:
    """1 if every sentence cites, and what it cites holds it, else 0; higher is better."""
    detail = [check_sentence(sample, text, ids, tools) for text, ids in informative(sample.cited)]
    return _graded(grouse_grades.faithfulness, detail, situation(sample, tools))


def positive_acceptance(sample: Sample, tools: Tools) -> Result:
    """1 if an answerable question is answered, 0 if it is refused; higher is better."""
    return _graded(lambda _, found: grouse_grades.positive_acceptance(found), [], situation(sample, tools))


def negative_rejection(sample: Sample, tools: Tools) -> Result:
    """1 if an unanswerable question is refused, 0 if it is answered; higher is better."""
    return _graded(lambda _, found: grouse_grades.negative_rejection(found), [], situation(sample, tools))


def situation(sample: Sample, tools: Tools) -> Situation:
    """Figure 2's situation: do the references answer, does the answer respond, does it add?"""
    responds = not sample.reading.refuses
    return Situation(_answerable(sample, tools), responds, not responds and bool(_said(sample)))


def _useful_from(sample: Sample) -> float:
    """The cosine that is asked for, by what the reference answer shows of the references."""
    if sample.reference_answer is None:
        return USEFUL
    if not read(sample.reference_answer).refuses:
        return USEFUL_IF["answers"]
    return USEFUL_IF["adds" if informative(sample.reference_cited) else "bare"]


def _said(sample: Sample) -> list[Sentence]:
    """The answer's sentences that say something beside "no document answers"."""
    return [Sentence(text) for text, _ in informative(sample.cited)]


def _relevant_references(sample: Sample, tools: Tools) -> list[Sentence]:
    """The references' sentences that answer the question; the nearest one if none does."""
    sentences = sample.context_sentences
    best = _best(sentences, sample.question_sentences, tools)
    chosen = [sentence for sentence, value in zip(sentences, best, strict=True) if value >= ANSWERS]
    return chosen or ([sentences[int(np.argmax(best))]] if len(sentences) else [])


def _answerable(sample: Sample, tools: Tools) -> bool:
    if sample.answerable is not None:
        return sample.answerable
    if sample.reference_answer is not None:
        return not read(sample.reference_answer).refuses
    best = _best(sample.context_sentences, sample.question_sentences, tools)
    return bool(len(best)) and float(best.max()) >= ANSWERS


def _best(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools) -> np.ndarray:
    """Best cosine of each of `these` with one of `those`; 0 for all where there are none of `those`."""
    if not these or not those:
        return np.zeros(len(these))
    texts = [[sentence.text for sentence in sentences] for sentences in (these, those)]
    return vector_similarity.best_match(*map(tools.embed, texts))


def _nearness(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, threshold: float) -> Detail:
    return [
        {"text": sentence.text, "source": sentence.source, **record(sentence.text, value >= threshold, value)}
        for sentence, value in zip(these, _best(these, those, tools), strict=True)
    ]


def _graded(grade: Callable[[list[bool], Situation], int], detail: Detail, found: Situation) -> Result:
    value = grade([bool(record["score"]) for record in detail], found)
    about = {"answerable": found.answerable, "responds": found.responds, "adds": found.adds}
    return float(value), [about, *detail]


def _suite(labelled: int, unlabelled: int, all_topics: int, constant: int) -> str:
    """Cells right in tests/scores/families/grouse_suite.jsonl, 16 on each of three topics; its test holds
    them."""
    found = f"{labelled}" if labelled == unlabelled else f"{labelled} (without the label {unlabelled})"
    own = "On our suite (its refusals were known when abstention was written): right in"
    held_out = (
        f"{own} {found} of 16 test types on the topic held out, in {all_topics} of 48 on all three topics"
    )
    return f"{held_out}; the best constant answer in {constant} and {3 * constant}."


_NEEDS = ("answer", "question", "contexts")
_GRADES = "Shares as grades: none 1, above 0 2, from 0.5 3, from 0.75 4, all 5."
_OURS = (
    "GroUSE asks a language model (judge_grouse_*); thresholds here are ours, set on two topics of our own "
    "suite, not on raters' labels."
)
_BESIDE = (
    "A known reference answer is read beside it, as the source shows it to a judge (`ragassay instruments` "
    "measures that)"
)
_BY_DEFINITION = (
    "By the definition in 4.1, by which it is also examined; table 6 prints 1 for an unanswerable question "
    "refused, in both columns, and nothing for an answerable one answered (decision 18)."
)
_LABEL = (
    "Whether the references answer: by the case's label, the reference answer, or the nearness of their "
    "best sentence (0.55)."
)

# fmt: off
FAMILY = Family(
    name="grouse",
    source="GroUSE",
    metrics=(
        Metric("grouse_answer_relevancy", "grouse", _NEEDS, 1, 5, True, "GroUSE 4.1, figure 7", ENCODER,
               "grade of how much of the response bears on the question",
               "share of answer sentences that belong to the reference answer (cosine >= 0.45 to a piece of "
               "it, or half its words, or citing what it "
               f"cites); without one, with cosine >= 0.35 to the question. {_BESIDE}. {_GRADES} Null for a "
               f"refusal. {_OURS} {_suite(16, 16, 48, 7)}",
               grouse_answer_relevancy, of_content=False, display="answer relevancy (GroUSE)"),
        Metric("grouse_completeness", "grouse", _NEEDS, 1, 5, True, "GroUSE 4.1, table 6", ENCODER,
               "grade of how much of what the references say to the question is told",
               "share of the reference answer's clauses that are told (cosine >= 0.55, or half of the words, "
               "or 0.35 and 0.3); without one, of the "
               f"references' relevant sentences (cosine >= 0.55 to the question; told from 0.6). {_BESIDE}. "
               f"{_GRADES} "
               f"1 for a refusal; null if the references hold no answer. {_LABEL} {_OURS} "
               f"{_suite(14, 12, 46, 7)}",
               grouse_completeness, of_content=False, display="completeness (GroUSE)"),
        Metric("grouse_usefulness", "grouse", _NEEDS, 0, 1, True, "GroUSE 4.1, figure 9", ENCODER,
               "1 if all that a refusal adds bears on the question",
               "the best added sentence has cosine >= 0.22 to the question (0.12 to 0.28 by what the "
               "reference answer does). "
               f"{_BESIDE}; null for a response or a bare refusal. {_OURS} {_suite(16, 16, 46, 12)}",
               grouse_usefulness, of_content=False, display="usefulness of refusals (GroUSE)"),
        Metric("grouse_faithfulness", "grouse", _NEEDS, 0, 1, True, "GroUSE 4.1, figure 10", ENTAILMENT,
               "1 if every sentence cites and what it cites supports it",
               "every sentence cites (unless neither the answer nor the reference answer cites at all: then "
               "all passages are its evidence); each cited passage is one that the reference answer cites "
               "for the like, or as near as any; numbers and dates in "
               "digits are found; nothing was changed in a near-quotation; no contradiction. Freely worded "
               "distortions "
               f"mostly escape. {_BESIDE}; null for a bare refusal. A missing citation is FM6 by definition, "
               "printed FM7 in table 6 (decision 14). GroUSE asks a language model (judge_grouse_*); "
               "thresholds here are ours, not calibrated. "
               f"{_suite(16, 16, 46, 10)}",
               grouse_faithfulness, of_content=False, display="faithfulness (GroUSE)"),
        Metric("positive_acceptance", "grouse", _NEEDS, 0, 1, True, "GroUSE 4.1 (FM4)", ENCODER,
               "1 if an answerable question is answered",
               f"Null where the references hold no answer. {_BY_DEFINITION} {_LABEL} "
               f"{_suite(16, 14, 48, 8)}",
               positive_acceptance, of_content=False, grades_quality=False,
               display="answerable questions answered"),
        Metric("negative_rejection", "grouse", _NEEDS, 0, 1, True, "GroUSE 4.1 (FM2)", ENCODER,
               "1 if an unanswerable question is refused",
               f"Null where the references hold an answer. {_BY_DEFINITION} {_LABEL} "
               f"{_suite(16, 14, 48, 10)}",
               negative_rejection, of_content=False, grades_quality=False,
               display="unanswerable questions refused"),
    ),
)
# fmt: on
