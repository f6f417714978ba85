"""GroUSE's six criteria from our own instruments: what bears on the question, what is told, what is cited rightly and not distorted.

Where the reference answer is known, it is read beside the answer, as the source shows it to a judge: it says whether the references answer,
which facts are wanted, and which passages hold them. Where it is not, nearness to the question has to do.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ragassay.scores import abstention, alignment, grouse, vectors
from ragassay.scores.measure import grouse_faithful
from ragassay.scores.measure.result import SHOWN, Detail, NotApplicable, Result
from ragassay.scores.sample import Sample, Sentence
from ragassay.scores.tools import Tools

USEFUL = (
    0.22  # cosine of a refusal's best addition with the question from which its additions count as related
)
USEFUL_IF = {
    "bare": 0.28,
    "adds": 0.12,
    "answers": 0.18,
}  # the same by what the reference answer does: a bare refusal found nothing related


def answer_relevancy(material: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that bear on the question, as a grade."""
    found = situation(material, tools)
    if material.reference_answer is not None and found.responds:
        detail = [_belonging(material, text, ids, tools, found) for text, ids in _informative(material)]
    else:
        detail = _nearness(informative(material), material.question_sentences, tools, grouse.RELEVANT)
    return _graded(grouse.answer_relevancy, detail, found)


def completeness(material: Sample, tools: Tools) -> Result:
    """Share of what is wanted that the answer tells, as a grade: facts of the reference answer, or the references' relevant sentences."""
    found = situation(material, tools)
    if not found.responds or not found.answerable:
        return _graded(grouse.completeness, [], found)
    if material.reference_answer is not None:
        return _graded(grouse.completeness, _told(material, tools), found)
    detail = _nearness(relevant_references(material, tools), informative(material), tools, grouse.COVERED)
    return _graded(grouse.completeness, detail, found)


def usefulness(material: Sample, tools: Tools) -> Result:
    """Whether what a refusal adds is related to the question."""
    detail = _nearness(informative(material), material.question_sentences, tools, grouse.RELEVANT)
    best = max((record["similarity"] for record in detail), default=0.0)
    related = [record | {"score": float(best >= _useful_from(material))} for record in detail]
    return _graded(grouse.usefulness, related, situation(material, tools))


def faithfulness(material: Sample, tools: Tools) -> Result:
    """Whether every sentence cites, and what it cites holds it."""
    detail = [grouse_faithful.checked(material, text, ids, tools) for text, ids in _informative(material)]
    return _graded(grouse.faithfulness, detail, situation(material, tools))


def _useful_from(material: Sample) -> float:
    """The cosine that is asked for, by what the reference answer shows of the references."""
    if material.reference_answer is None:
        return USEFUL
    if not abstention.abstains(material.reference_answer):
        return USEFUL_IF["answers"]
    return USEFUL_IF["adds" if wanted(material) else "bare"]


def positive_acceptance(material: Sample, tools: Tools) -> Result:
    """Whether an answerable question is answered."""
    return _graded(lambda flags, found: grouse.positive_acceptance(found), [], situation(material, tools))


def negative_rejection(material: Sample, tools: Tools) -> Result:
    """Whether an unanswerable question is refused."""
    return _graded(lambda flags, found: grouse.negative_rejection(found), [], situation(material, tools))


def situation(material: Sample, tools: Tools) -> grouse.Situation:
    """Figure 2's situation: do the references answer (by label, reference answer, or nearness), does the answer respond, does it add?"""
    responds = not material.abstains
    return grouse.Situation(
        _answerable(material, tools), responds, not responds and bool(informative(material))
    )


def informative(material: Sample) -> list[Sentence]:
    """The answer's sentences that say something beside "no document answers"."""
    return [Sentence(text) for text, _ in _informative(material)]


def relevant_references(material: Sample, tools: Tools) -> list[Sentence]:
    """The references' sentences that bear on the question as much as an answer would; the nearest one if none does."""
    sentences = material.context_sentences
    best = _best(sentences, material.question_sentences, tools)
    chosen = [sentence for sentence, value in zip(sentences, best, strict=True) if value >= grouse.ANSWERS]
    return chosen or ([sentences[int(np.argmax(best))]] if len(sentences) else [])


def wanted(material: Sample) -> list[tuple[str, tuple[str, ...]]]:
    """The reference answer's sentences that say something, each with what it cites."""
    return [(text, ids) for text, ids in material.reference_cited if not _refuses(text)]


def _informative(material: Sample) -> list[tuple[str, tuple[str, ...]]]:
    return [(text, ids) for text, ids in material.cited if not _refuses(text)]


def _belonging(
    material: Sample, text: str, ids: Sequence[str], tools: Tools, found: grouse.Situation
) -> dict:
    """Whether a sentence belongs to the answer wanted; where the references hold no answer, none does that is not near the question itself."""
    if not found.answerable:
        nearness = float(
            _cosines([text], [one.text for one in material.question_sentences], tools).max(initial=0.0)
        )
        return {
            "text": text[:SHOWN],
            "score": float(nearness >= grouse.ANSWERS),
            "similarity": round(nearness, 6),
        }
    reference = [one for one, _ in wanted(material)]
    cosine = _cosines(
        [text], [*reference, *(fact for one in reference for fact in alignment.facts(one))], tools
    )[0]
    alike = bool({one for _, each in wanted(material) for one in each} & set(ids))
    good = alignment.belongs(text, cosine, reference, cites_alike=alike)
    return {
        "text": text[:SHOWN],
        "score": float(good),
        "similarity": round(float(cosine.max(initial=0.0)), 6),
    }


def _told(material: Sample, tools: Tools) -> Detail:
    """Each fact of the reference answer, and whether the answer tells it."""
    answer = [text for text, _ in _informative(material)]
    pieces = [*answer, *(piece for text in answer for piece in alignment.facts(text))]
    facts = [fact for text, _ in wanted(material) for fact in alignment.facts(text)]
    best = _cosines(facts, pieces, tools).max(axis=1, initial=0.0) if facts else []
    told = [
        alignment.Told(
            fact, float(value), alignment.words_found(fact, answer), alignment.numbers_found(fact, answer)
        )
        for fact, value in zip(facts, best, strict=True)
    ]
    return [
        {
            "text": one.text[:SHOWN],
            "score": float(one.held),
            "similarity": round(one.similarity, 6),
            "words": round(one.words, 6),
        }
        for one in told
    ]


def _answerable(material: Sample, tools: Tools) -> bool:
    if material.answerable is not None:
        return material.answerable
    if material.reference_answer is not None:
        return not abstention.abstains(material.reference_answer)
    best = _best(material.context_sentences, material.question_sentences, tools)
    return bool(len(best)) and float(best.max()) >= grouse.ANSWERS


def _refuses(text: str) -> bool:
    return abstention.phrase(text) is not None


def _cosines(these: Sequence[str], those: Sequence[str], tools: Tools) -> np.ndarray:
    return tools.cosines(these, those) if these and those else np.zeros((len(these), len(those)))


def _best(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools) -> np.ndarray:
    """Best cosine of each of `these` with one of `those`; 0 for all where there are none of `those`."""
    if not these or not those:
        return np.zeros(len(these))
    return vectors.best_match(_vectors(these, tools), _vectors(those, tools))


def _vectors(sentences: Sequence[Sentence], tools: Tools) -> np.ndarray:
    return tools.embed([sentence.text for sentence in sentences])


def _nearness(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, threshold: float) -> Detail:
    return [
        {
            "text": sentence.text[:SHOWN],
            "source": sentence.source,
            "score": float(value >= threshold),
            "similarity": round(float(value), 6),
        }
        for sentence, value in zip(these, _best(these, those, tools), strict=True)
    ]


def _graded(
    grade: Callable[[list[bool], grouse.Situation], int], detail: Detail, found: grouse.Situation
) -> Result:
    try:
        value = grade([bool(record["score"]) for record in detail], found)
    except grouse.Undefined as why:
        raise NotApplicable(str(why)) from why
    return float(value), [
        {"answerable": found.answerable, "responds": found.responds, "adds": found.adds},
        *detail,
    ]
