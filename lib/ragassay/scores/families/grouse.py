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
from ragassay.scores.grouse import grouse_grades, reference_alignment
from ragassay.scores.grouse.grouse_faithfulness import check_sentence
from ragassay.scores.grouse.grouse_grades import Situation
from ragassay.scores.metric import SHOWN, Detail, Result
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import declines, read

ANSWERS = 0.55  # cosine of a sentence with the question from which it answers it, where no label says
RELEVANT = 0.35  # cosine of a sentence with the question from which it counts as bearing on it
COVERED = 0.6  # cosine of a reference's sentence with the nearest of the answer from which it counts as told
USEFUL = 0.22  # cosine of a refusal's best addition with the question from which its additions are related
# the same by what the reference answer does: a bare refusal found nothing related
USEFUL_IF = {"bare": 0.28, "adds": 0.12, "answers": 0.18}
Cited = tuple[str, tuple[str, ...]]


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


def informative(cited: Sequence[Cited]) -> list[Cited]:
    """The sentences that say something beside "no document answers", each with what it cites."""
    return [(text, ids) for text, ids in cited if not declines(text)]


def sentences_wanted(sample: Sample, tools: Tools, answerable: bool) -> Detail:
    """Each sentence of the answer, and whether it belongs to the reference answer.

    Where the references hold no answer, none does that is not near the question itself.
    """
    said = informative(sample.cited)
    if not answerable:
        questions = [one.text for one in sample.question_sentences]
        near = [float(_cosines([text], questions, tools).max(initial=0.0)) for text, _ in said]
        return [record(text, one >= ANSWERS, one) for (text, _), one in zip(said, near, strict=True)]
    return [_belonging(text, ids, informative(sample.reference_cited), tools) for text, ids in said]


def facts_told(sample: Sample, tools: Tools) -> Detail:
    """Each fact of the reference answer, and whether the answer tells it."""
    answer = [text for text, _ in informative(sample.cited)]
    pieces = [*answer, *(piece for text in answer for piece in reference_alignment.facts(text))]
    wanted = informative(sample.reference_cited)
    facts = [fact for text, _ in wanted for fact in reference_alignment.facts(text)]
    best = _cosines(facts, pieces, tools).max(axis=1, initial=0.0) if facts else []
    found = []
    for fact, similarity in zip(facts, best, strict=True):
        words = reference_alignment.words_found(fact, answer)
        told = reference_alignment.is_told(similarity, words, reference_alignment.numbers_found(fact, answer))
        found.append(record(fact, told, similarity) | {"words": round(words, 6)})
    return found


def record(text: str, good: bool, similarity: float) -> dict:
    """The evidence of one sentence."""
    return {"text": text[:SHOWN], "score": float(good), "similarity": round(float(similarity), 6)}


def _belonging(text: str, ids: Sequence[str], wanted: Sequence[Cited], tools: Tools) -> dict:
    reference = [one for one, _ in wanted]
    pieces = [*reference, *(fact for one in reference for fact in reference_alignment.facts(one))]
    cosine = _cosines([text], pieces, tools)[0]
    alike = bool({one for _, each in wanted for one in each} & set(ids))
    good = reference_alignment.belongs(text, cosine, reference, cites_alike=alike)
    return record(text, good, cosine.max(initial=0.0))


def _cosines(these: Sequence[str], those: Sequence[str], tools: Tools) -> np.ndarray:
    return tools.cosines(these, those) if these and those else np.zeros((len(these), len(those)))


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
