"""The completeness checklist, point by point (Lesson section 5): what the passages hold of exceptions and steps, and what of it is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import checklist, citations, claims, signs, vectors
from ragassay.scores.checklist import MET, NEAR
from ragassay.scores.measure.claims import fabricated
from ragassay.scores.measure.result import SHOWN, Detail, NotApplicable, Result
from ragassay.scores.sample import Sample, Sentence
from ragassay.scores.tools import Tools

MOST = 3  # passages' sentences of one kind that are asked for, the nearest to the question first
Point = tuple[bool | None, Detail]
DOES_NOT_APPLY: Point = (None, [])


@dataclass(frozen=True)
class View:
    """One answer beside its question and passages, as the points see it."""

    material: Sample
    tools: Tools

    @cached_property
    def told(self) -> NDArray:
        """(n, k) cosines of the passages' sentences with the answer's."""
        return vectors.cosines(
            self._vectors(self.material.context_sentences), self._vectors(self.material.answer_sentences)
        )

    @cached_property
    def near(self) -> NDArray:
        """(n,) best cosine of each of the passages' sentences with the question."""
        return vectors.best_match(
            self._vectors(self.material.context_sentences), self._vectors(self.material.question_sentences)
        )

    def meets(self, texts: Sequence[str]) -> NDArray:
        """(m, k) cosines of texts with the answer's sentences."""
        return vectors.cosines(self.tools.embed(list(texts)), self._vectors(self.material.answer_sentences))

    def wanted(self, sign: str) -> list[int]:
        """The passages' sentences that bear a sign and are near the question, the nearest first."""
        bearing = [
            i
            for i, one in enumerate(self.material.context_sentences)
            if self.near[i] >= NEAR and signs.shown(sign, one.text)
        ]
        return sorted(bearing, key=lambda i: (-round(float(self.near[i]), 9), i))[:MOST]

    def _vectors(self, sentences: Sequence[Sentence]) -> NDArray:
        return self.tools.embed([sentence.text for sentence in sentences])


def completeness_checklist(material: Sample, tools: Tools) -> Result:
    """Share of the points of its type that the answer meets; one record per point and what stands behind it."""
    kind = material.answer_type or checklist.answer_type(material.question or "", material.answerable)
    if kind not in checklist.POINTS:
        raise ValueError(f"answer_type must be one of {', '.join(checklist.POINTS)}; found {kind!r:.40}")
    if kind != "no_answer" and (material.abstains or not material.context_sentences):
        raise NotApplicable("the assistant abstained" if material.abstains else "no passage was retrieved")
    view = View(material, tools)
    points = {name: RULES[name](view) for name in checklist.POINTS[kind]}
    detail = [
        {"point": name, "score": None if met is None else float(met), "answer_type": kind, "of": found}
        for name, (met, found) in points.items()
    ]
    if all(met is None for met, _ in points.values()):
        raise NotApplicable(f"no point of the checklist for {kind} applies")
    return checklist.completeness_checklist({name: met for name, (met, _) in points.items()}), detail


def main_fact(view: View) -> Point:
    """The first assertion of the reference answer with its numbers; without one, any of the passages' sentences nearest to the question."""
    wanted = [one.text for one in view.material.reference_sentences if claims.asserts(one.text)][:1]
    if wanted:
        cosine = view.meets(wanted)[0]
        met = bool(cosine.max() >= MET) and not citations.missing_numbers(
            wanted[0], [view.material.answer or ""]
        )
        return met, [{"text": wanted[0][:SHOWN], "similarity": round(float(cosine.max()), 6)}]
    nearest = np.argsort(-np.round(view.near, 9), kind="stable")[:MOST]
    return bool(view.told[nearest].max() >= MET), _shown(view, nearest.tolist())


def ordered_steps(view: View) -> Point:
    """Told in steps; not asked of one sentence, nor of a question that asks no procedure where the type is multi_step."""
    if len(view.material.answer_sentences) < 2 or (
        view.material.answer_type == "multi_step" and not _asks_procedure(view)
    ):
        return DOES_NOT_APPLY
    return checklist.is_stepwise(view.material.answer or ""), []


def order_kept(view: View) -> Point:
    """Steps taken from one passage follow each other as they do there; not asked of an answer that is not told in steps."""
    if not checklist.is_stepwise(view.material.answer or ""):
        return DOES_NOT_APPLY
    places = [int(place) for place in vectors.nearest(view.told.T) if view.told[place].max() >= MET]
    sources = [view.material.context_sentences[place].source for place in places]
    most = max(sorted(set(sources), key=str), key=sources.count, default=None)
    kept = [place for place, source in zip(places, sources, strict=True) if source == most]
    return (checklist.in_order(kept), _shown(view, kept)) if len(kept) > 1 else DOES_NOT_APPLY


def each_part(view: View) -> Point:
    """Every question within the question is near to some sentence of the answer."""
    wanted = checklist.parts(view.material.question or "")
    if not wanted:
        return DOES_NOT_APPLY
    best = view.meets(wanted).max(axis=1)
    return bool((best >= NEAR).all()), [
        {"text": text[:SHOWN], "similarity": round(float(value), 6)}
        for text, value in zip(wanted, best, strict=True)
    ]


def final_composition(view: View) -> Point:
    """A sentence draws the parts together: it says so, or is near to every part."""
    wanted = checklist.parts(view.material.question or "")
    if len(wanted) < 2:
        return DOES_NOT_APPLY
    composed = (view.meets(wanted) >= NEAR).all(axis=0)
    return bool(composed.any()) or any(
        signs.shown("conclusion", one.text) for one in view.material.answer_sentences
    ), []


def defines_terms(view: View) -> Point:
    """Every term asked for is defined: by a sentence that names it and says what it is, or as the passages define it."""
    wanted = checklist.terms(view.material.question or "")
    found = [{"text": term, "score": float(_defined(term, view))} for term in wanted]
    return (all(record["score"] for record in found), found) if wanted else DOES_NOT_APPLY


def differences(view: View) -> Point:
    """A question that compares is answered with words that contrast or liken."""
    if not signs.shown("comparison", view.material.question or ""):
        return DOES_NOT_APPLY
    return any(signs.shown("contrast", one.text) for one in view.material.answer_sentences), []


def says_not_found(view: View) -> Point:
    """The answer says that it was not found."""
    return checklist.says_not_found(view.material.answer or ""), []


def next_step(view: View) -> Point:
    """The answer says what to do next."""
    return signs.shown("next_step", view.material.uncited), []


def no_fabricated_facts(view: View) -> Point:
    """No number, date or name of the answer is missing from the passages and the question."""
    absent = fabricated(view.material, view.tools)
    return not absent, [{"text": fact[:SHOWN]} for fact in absent[:20]]


def _all_told(sign: str) -> Callable[[View], Point]:
    def point(view: View) -> Point:
        wanted = view.wanted(sign)
        return (
            (all(_is_told(place, sign, view) for place in wanted), _shown(view, wanted))
            if wanted
            else DOES_NOT_APPLY
        )

    return point


def _is_told(place: int, sign: str, view: View) -> bool:
    """Whether a sentence of the answer is close to the passage's and bears the same sign, or has all its numbers."""
    numbers = citations.numbers(view.material.context_sentences[place].text)
    close = [
        one.text
        for one, cosine in zip(view.material.answer_sentences, view.told[place], strict=True)
        if cosine >= MET
    ]
    return any(signs.shown(sign, text) or (numbers and numbers <= citations.numbers(text)) for text in close)


RULES: dict[str, Callable[[View], Point]] = {
    "main_fact": main_fact,
    "critical_exceptions": _all_told("exception"),
    "ordered_steps": ordered_steps,
    "order_kept": order_kept,
    "preconditions": _all_told("precondition"),
    "stop_criteria": _all_told("stop"),
    "each_part": each_part,
    "final_composition": final_composition,
    "defines_terms": defines_terms,
    "differences": differences,
    "says_not_found": says_not_found,
    "next_step": next_step,
    "no_fabricated_facts": no_fabricated_facts,
}


def _asks_procedure(view: View) -> bool:
    return signs.shown("procedure", view.material.question or "")


def _defined(term: str, view: View) -> bool:
    if any(_defines(one.text, term) for one in view.material.answer_sentences):
        return True
    places = [i for i, one in enumerate(view.material.context_sentences) if _defines(one.text, term)]
    return bool(places) and bool(view.told[places].max() >= MET)


def _defines(sentence: str, term: str) -> bool:
    return f" {claims.folded(term)} " in f" {claims.folded(sentence)} " and signs.shown(
        "definition", sentence
    )


def _shown(view: View, places: Sequence[int]) -> Detail:
    sentences = view.material.context_sentences
    return [
        {
            "text": sentences[i].text[:SHOWN],
            "source": sentences[i].source,
            "similarity": round(float(view.told[i].max()), 6),
        }
        for i in places[:20]
    ]
