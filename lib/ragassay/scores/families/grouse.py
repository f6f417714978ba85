"""GroUSE's six criteria by our own instruments: what bears on the question, is told, is cited rightly (4.1,
figures 2 and 4). What a criterion is, and when it is null, is the source's; it asks a language model for each
grade.

Situations (figure 2)         relevancy  completeness  usefulness   faithfulness  acceptance  rejection
  answerable, answered          1-5         1-5          null         0/1           1          null
  answerable, refused           null         1           null or 0/1  null or 0/1   0          null
  not answerable, answered      1-5         null         null         0/1          null         0
  not answerable, refused       null        null         null or 0/1  null or 0/1  null         1
A refusal has usefulness and faithfulness only if it adds information. Section 4.1 defines acceptance as a
true positive and rejection as a true negative; table 6 prints acceptance 1 where an unanswerable question is
refused and nothing where an answerable one is answered. The definition is followed, here and where these
metrics are examined (decision 18). A criterion that is null raises NotApplicable with the reason.

Where the reference answer is known, it is read beside the answer, as the source shows it to a judge: it says
whether the references answer, which facts are wanted, and which passages hold them. Where it is not, nearness
to the question has to do. The thresholds are ours: RELEVANT, ANSWERS and COVERED were set on two topics of
tests/scores/families/grouse_suite.jsonl, on no human labels; what came right on the third stands in the
metrics' rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragassay.scores.families import grouse_alignment
from ragassay.scores.metric import Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample, Sentence
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import declines, read

ANSWERS = 0.55  # cosine of a sentence with the question from which it answers it, where no label says
RELEVANT = 0.35  # cosine of a sentence with the question from which it counts as bearing on it
COVERED = 0.6  # cosine of a reference's sentence with the nearest of the answer from which it counts as told
USEFUL = 0.22  # cosine of a refusal's best addition with the question from which its additions are related
# the same by what the reference answer does: a bare refusal found nothing related
USEFUL_IF = {"bare": 0.28, "adds": 0.12, "answers": 0.18}
LEVELS = ((1.0, 5), (0.75, 4), (0.5, 3), (1e-9, 2))
NO_ANSWER = "the references hold no answer"
Cited = tuple[str, tuple[str, ...]]


class Situation(NamedTuple):
    """Do the references hold an answer, does the answer respond, and does a refusal add information?"""

    answerable: bool
    responds: bool
    adds: bool


def level(share: float) -> int:
    """A share as a grade: 1 for none, 5 for all, 2, 3, 4 from above 0, 0.5, 0.75 (our steps)."""
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies between 0 and 1; found {share}")
    return next((grade for least, grade in LEVELS if share >= least), 1)


def grouse_answer_relevancy(sample: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that bear on the question, as a grade from 1 to 5; higher is better.

    Source: GroUSE 4.1 and figure 7 (truth plays no part; a refusal is null).
    """
    found = situation(sample, tools)
    if not found.responds:
        raise NotApplicable("the answer says that no document answers")
    if sample.reference_answer is not None:
        detail = sentences_wanted(sample, tools, found.answerable)
    else:
        detail = _nearness(_said(sample), _texts(sample.question_sentences), tools, RELEVANT)
    if not detail:
        raise NotApplicable("the answer says nothing")
    return _result(level(_share(detail)), detail, found)


def grouse_completeness(sample: Sample, tools: Tools) -> Result:
    """Share of what is wanted that the answer tells, as a grade from 1 to 5; higher is better; 1 for a
    refusal.

    Wanted are the facts of the reference answer, or without one the references' relevant sentences. Source:
    GroUSE 4.1, figure 2, table 6 (types 11 and 12 for the refusal).
    """
    found = situation(sample, tools)
    if not found.answerable:
        raise NotApplicable(NO_ANSWER)
    if not found.responds:
        return _result(1, [], found)
    if sample.reference_answer is not None:
        detail = facts_told(sample, tools)
    else:
        detail = _nearness(_relevant_references(sample, tools), _said(sample), tools, COVERED)
    if not detail:
        raise NotApplicable("no sentence of the references bears on the question")
    return _result(level(_share(detail)), detail, found)


def grouse_usefulness(sample: Sample, tools: Tools) -> Result:
    """1 if what a refusal adds is related to the question, else 0; higher is better.

    Source: GroUSE 4.1 and figure 9.
    """
    found = situation(sample, tools)
    if found.responds:
        raise NotApplicable("the answer responds")
    detail = _nearness(_said(sample), _texts(sample.question_sentences), tools, RELEVANT)
    if not detail:
        raise NotApplicable("the refusal adds no information")
    related = max(record["similarity"] for record in detail) >= _useful_from(sample)
    return _result(int(related), [record | {"score": float(related)} for record in detail], found)


def grouse_faithfulness(sample: Sample, tools: Tools) -> Result:
    """1 if every sentence cites, and what it cites holds it, else 0; higher is better.

    Source: GroUSE 4.1 and figure 10.
    """
    found = situation(sample, tools)
    said = informative(sample.cited)
    if not said:
        bare = "the answer only says that no document answers"
        raise NotApplicable("the answer says nothing that could be checked" if found.responds else bare)
    detail = [grouse_alignment.check_sentence(sample, text, ids, tools) for text, ids in said]
    return _result(int(_share(detail) == 1), detail, found)


def positive_acceptance(sample: Sample, tools: Tools) -> Result:
    """1 if an answerable question is answered, 0 if it is refused; null where the references hold no answer;
    higher is better. Source: GroUSE 4.1 (FM4)."""
    found = situation(sample, tools)
    if not found.answerable:
        raise NotApplicable(NO_ANSWER)
    return _result(int(found.responds), [], found)


def negative_rejection(sample: Sample, tools: Tools) -> Result:
    """1 if an unanswerable question is refused, 0 if it is answered; null where the references hold an
    answer; higher is better. Source: GroUSE 4.1 (FM2)."""
    found = situation(sample, tools)
    if found.answerable:
        raise NotApplicable("the references hold an answer")
    return _result(int(not found.responds), [], found)


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
        return _nearness([text for text, _ in said], _texts(sample.question_sentences), tools, ANSWERS)
    wanted, found = informative(sample.reference_cited), []
    reference = [one for one, _ in wanted]
    pieces = [*reference, *(piece for one in reference for piece in grouse_alignment.cut(one))]
    reference_ids = {one for _, each in wanted for one in each}
    for text, ids in said:
        cosine = tools.cosines([text], pieces)[0] if pieces else np.zeros(1)
        alike = bool(reference_ids & set(ids))
        good = grouse_alignment.belongs(text, cosine, reference, cites_alike=alike)
        found.append(_record(text, good, cosine.max()))
    return found


def facts_told(sample: Sample, tools: Tools) -> Detail:
    """Each fact of the reference answer, and whether the answer tells it."""
    answer = [text for text, _ in informative(sample.cited)]
    pieces = [*answer, *(piece for text in answer for piece in grouse_alignment.cut(text))]
    facts = [fact for text, _ in informative(sample.reference_cited) for fact in grouse_alignment.cut(text)]
    found = []
    for fact, similarity in zip(facts, _best(facts, pieces, tools), strict=True):
        words = grouse_alignment.words_found(fact, answer)
        numbers = grouse_alignment.numbers_found(fact, answer)
        told = grouse_alignment.is_told(similarity, words, numbers)
        found.append(_record(fact, told, similarity) | {"words": words})
    return found


def _record(text: str, good: bool, similarity: float) -> dict:
    return {"text": text, "score": float(good), "similarity": similarity}


def _useful_from(sample: Sample) -> float:
    """The cosine that is asked for, by what the reference answer shows of the references."""
    if sample.reference_answer is None:
        return USEFUL
    if not read(sample.reference_answer).refuses:
        return USEFUL_IF["answers"]
    return USEFUL_IF["adds" if informative(sample.reference_cited) else "bare"]


def _said(sample: Sample) -> list[str]:
    """The answer's sentences that say something beside "no document answers"."""
    return [text for text, _ in informative(sample.cited)]


def _relevant_references(sample: Sample, tools: Tools) -> list[str]:
    """The references' sentences that answer the question; the nearest one if none does."""
    sentences = _texts(sample.context_sentences)
    best = _best(sentences, _texts(sample.question_sentences), tools)
    chosen = [sentence for sentence, value in zip(sentences, best, strict=True) if value >= ANSWERS]
    return chosen or ([sentences[int(np.argmax(best))]] if sentences else [])


def _answerable(sample: Sample, tools: Tools) -> bool:
    if sample.answerable is not None:
        return sample.answerable
    if sample.reference_answer is not None:
        return not read(sample.reference_answer).refuses
    best = _best(_texts(sample.context_sentences), _texts(sample.question_sentences), tools)
    return bool(len(best)) and float(best.max()) >= ANSWERS


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [one.text for one in sentences]


def _best(these: Sequence[str], those: Sequence[str], tools: Tools) -> np.ndarray:
    """Best cosine of each of `these` with one of `those`; 0 for all where there are none of `those`."""
    return tools.cosines(these, those).max(axis=1) if these and those else np.zeros(len(these))


def _nearness(these: Sequence[str], those: Sequence[str], tools: Tools, threshold: float) -> Detail:
    best = _best(these, those, tools)
    return [_record(text, value >= threshold, value) for text, value in zip(these, best, strict=True)]


def _share(detail: Detail) -> float:
    return sum(record["score"] for record in detail) / len(detail)


def _result(grade: int, detail: Detail, found: Situation) -> Result:
    return float(grade), [found._asdict(), *detail]
