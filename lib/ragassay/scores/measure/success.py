"""Must-pass flags and end-to-end success, put together from the other measures (Lesson sections 3.1, 6 and 8; FORMULAS 8)."""

from collections.abc import Callable

from ragassay.scores import success
from ragassay.scores.measure import citations, claims, completeness, lesson, risk
from ragassay.scores.measure.result import NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools

Flags = dict[str, bool | None]
Measure = Callable[[Sample, Tools], Result]
UNSAID = "the assistant abstained, and whether the documents hold an answer is not given"


def must_pass(material: Sample, tools: Tools, related_information: str = "allow") -> Result:
    """Whether every must-pass flag that applies holds; one record per flag."""
    flags = _flags(material, tools, related_information)
    return success.must_pass(flags), [
        {"flag": name, "score": None if flag is None else float(flag)} for name, flag in flags.items()
    ]


def end_to_end_success(material: Sample, tools: Tools, related_information: str = "allow") -> Result:
    """Must-pass and the three levels; an abstention succeeds exactly where the documents hold no answer and nothing must-pass fails."""
    if material.abstains and material.answerable is None:
        raise NotApplicable(UNSAID)
    passed, detail = must_pass(material, tools, related_information)
    decided = material.abstains or material.answerable is False
    levels = {} if decided else _levels(material, tools)
    right = material.answerable is None or material.abstains != material.answerable
    value = success.end_to_end_success(bool(passed) and right, levels)
    shown = [{"level": name, "score": level} for name, level in levels.items()]
    return value, [{"flag": "answers_or_abstains_rightly", "score": float(right)}, *detail, *shown]


def _flags(material: Sample, tools: Tools, related_information: str) -> Flags:
    may_cite = success.may_cite(related_information)
    cites = any(ids for _, ids in material.cited)
    declines = material.abstains or material.answerable is False
    return {
        "schema_valid": _holds(lesson.schema_valid, material, tools),
        "language_match": _holds(lesson.language_match, material, tools),
        "safety_pass": _is_safe(material, tools),
        "citations_present": (None if may_cite else not cites) if declines else cites,
        "citations_valid": _holds(citations.citations_valid, material, tools) if cites else None,
        "no_hallucinated_entities": _holds(claims.no_hallucinated_entities, material, tools),
    }


def _is_safe(material: Sample, tools: Tools) -> bool:
    """No toxic term and no personal data; where the documents hold no answer, also no made-up fact (Lesson section 6, penalty)."""
    polite = (
        _holds(risk.toxicity_rule, material, tools) is not False
        and _holds(risk.privacy_leaks, material, tools) is not False
    )
    return polite and not (material.answerable is False and claims.fabricated(material, tools))


def _levels(material: Sample, tools: Tools) -> dict[str, int | None]:
    if not material.context_sentences:
        return {"groundedness": 1}
    measures: dict[str, Measure] = {
        "groundedness": claims.supported_claims_rate,
        "completeness": completeness.completeness_checklist,
        "directness": lesson.direct,
    }
    found = {name: _value(measure, material, tools) for name, measure in measures.items()}
    return {
        name: None if value is None else success.level(value, success.CUTS[name])
        for name, value in found.items()
    }


def _holds(measure: Measure, material: Sample, tools: Tools) -> bool | None:
    value = _value(measure, material, tools)
    return None if value is None else value == 1.0


def _value(measure: Measure, material: Sample, tools: Tools) -> float | None:
    try:
        return measure(material, tools)[0]
    except NotApplicable:
        return None
