"""GroUSE's six criteria from our own instruments: what bears on the question or is told (cosine), what is supported (citations, entailment)."""

from collections.abc import Callable, Sequence

import numpy as np

from ragassay.scores import abstention, grouse, similarity
from ragassay.scores.material import Material, Sentence
from ragassay.scores.measure.result import SHOWN, Detail, NotApplicable, Result
from ragassay.scores.tools import Tools

CONTRADICTED = 0.5  # probability of contradiction from which a cited sentence counts as distorted


def answer_relevancy(material: Material, tools: Tools) -> Result:
    """Share of the answer's sentences that bear on the question, as a grade."""
    detail = _nearness(informative(material), material.question_sentences, tools, grouse.RELEVANT)
    return _graded(grouse.answer_relevancy, detail, situation(material, tools))


def completeness(material: Material, tools: Tools) -> Result:
    """Share of the references' relevant sentences that the answer tells, as a grade."""
    found = situation(material, tools)
    detail = _nearness(relevant_references(material, tools), informative(material), tools, grouse.COVERED) if found.responds else []
    return _graded(grouse.completeness, detail, found)


def usefulness(material: Material, tools: Tools) -> Result:
    """Whether all that a refusal adds bears on the question."""
    detail = _nearness(informative(material), material.question_sentences, tools, grouse.RELEVANT)
    return _graded(grouse.usefulness, detail, situation(material, tools))


def faithfulness(material: Material, tools: Tools) -> Result:
    """Whether every sentence cites, and what it cites holds it."""
    detail = [_checked(material, text, ids, tools) for text, ids in material.cited if not _refuses(text)]
    return _graded(grouse.faithfulness, detail, situation(material, tools))


def positive_acceptance(material: Material, tools: Tools) -> Result:
    """Whether an answerable question is answered."""
    return _graded(lambda flags, found: grouse.positive_acceptance(found), [], situation(material, tools))


def negative_rejection(material: Material, tools: Tools) -> Result:
    """Whether an unanswerable question is refused."""
    return _graded(lambda flags, found: grouse.negative_rejection(found), [], situation(material, tools))


def situation(material: Material, tools: Tools) -> grouse.Situation:
    """Figure 2's situation: the label says whether the references answer, or else the nearness of their best sentence to the question."""
    responds = not material.abstains
    return grouse.Situation(_answerable(material, tools), responds, not responds and bool(informative(material)))


def informative(material: Material) -> list[Sentence]:
    """The answer's sentences that say something beside "no document answers"."""
    return [sentence for sentence in material.answer_sentences if not _refuses(sentence.text)]


def relevant_references(material: Material, tools: Tools) -> list[Sentence]:
    """The references' sentences that bear on the question as much as an answer would; the nearest one if none does."""
    sentences = material.context_sentences
    best = _best(sentences, material.question_sentences, tools)
    chosen = [sentence for sentence, value in zip(sentences, best, strict=True) if value >= grouse.ANSWERS]
    return chosen or ([sentences[int(np.argmax(best))]] if len(sentences) else [])


def _answerable(material: Material, tools: Tools) -> bool:
    if material.answerable is not None:
        return material.answerable
    best = _best(material.context_sentences, material.question_sentences, tools)
    return bool(len(best)) and float(best.max()) >= grouse.ANSWERS


def _refuses(text: str) -> bool:
    return abstention.phrase(text) is not None


def _best(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools) -> np.ndarray:
    """Best cosine of each of `these` with one of `those`; 0 for all where there are none of `those`."""
    if not these or not those:
        return np.zeros(len(these))
    return similarity.best_match(_vectors(these, tools), _vectors(those, tools))


def _vectors(sentences: Sequence[Sentence], tools: Tools) -> np.ndarray:
    return tools.embed([sentence.text for sentence in sentences])


def _nearness(these: Sequence[Sentence], those: Sequence[Sentence], tools: Tools, threshold: float) -> Detail:
    return [
        {"text": sentence.text[:SHOWN], "source": sentence.source, "score": float(value >= threshold), "similarity": round(float(value), 6)}
        for sentence, value in zip(these, _best(these, those, tools), strict=True)
    ]


def _checked(material: Material, text: str, ids: Sequence[str], tools: Tools) -> dict:
    """One sentence's checks: it cites, what it cites was retrieved, and that holds it (citation_correctness) without contradicting it."""
    from ragassay.scores.measure.citations import support

    record = support(material, tools, text, ids)
    premise = " ".join(material.passage_sentences(ids))
    contradicted = bool(premise) and float(tools.entail([(premise, text)]).probabilities[0, 2]) >= CONTRADICTED
    return record | {"score": float(bool(ids) and bool(record["score"]) and not contradicted), "contradicted": contradicted}


def _graded(grade: Callable[[list[bool], grouse.Situation], int], detail: Detail, found: grouse.Situation) -> Result:
    try:
        value = grade([bool(record["score"]) for record in detail], found)
    except grouse.Undefined as why:
        raise NotApplicable(str(why)) from why
    return float(value), [{"answerable": found.answerable, "responds": found.responds, "adds": found.adds}, *detail]
