"""What a language model judges, never by default (Lesson section 3, GroUSE figure 4).

What is asked, and what its replies must hold, stands in judge_requests.py.
"""

from ragassay.scores.families.success import all_hold
from ragassay.scores.judge.judge_requests import (
    Conciseness,
    Sufficiency,
    Usefulness,
    ask_grouse,
    ask_lesson,
    ask_of_digest,
    shown_ids,
)
from ragassay.scores.metric import Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

MOST_RECORDS = 200  # claims or sentences kept as evidence
ONLY_DECLINES = "the answer says only that no document answers"
NO_ANSWER = "the references hold no answer"
GRADES = {  # of GroUSE's first three replies: the field, and why it is null
    "relevancy": ("answer_relevancy", "the answer says that no document answers"),
    "completeness": ("completeness", NO_ANSWER),
    "usefulness": ("usefulness", "the refusal adds no information"),
}


def lesson_grade(sample: Sample, tools: Tools, name: str) -> Result:
    """One of the Lesson's four grades, 1 to 5; higher is better; all four are the evidence."""
    grades = ask_lesson(sample, tools).scores.model_dump()
    return float(grades[name]), [grades]


def judge_must_pass(sample: Sample, tools: Tools, related_information: str = "allow") -> Result:
    """1 if all of the Lesson's checks hold, else 0; higher is better; one record per check.

    Where the evidence holds no answer (by the case's label, or else by the judge), citing is not asked for,
    or must not be (`forbid`).
    """
    reply = ask_lesson(sample, tools)
    flags: dict[str, bool | None] = reply.must_pass.model_dump()
    declined = reply.abstain.should_have_abstained if sample.answerable is None else not sample.answerable
    if declined:
        forbidden = related_information == "forbid"
        flags["citations_present"] = not flags["citations_present"] if forbidden else None
    return float(all_hold(flags)), [
        {"flag": name, "score": None if held is None else float(held)} for name, held in flags.items()
    ]


def judge_supported_claims_rate(sample: Sample, tools: Tools) -> Result:
    """Share of the claims that the judge finds fully supported by what was retrieved; higher is better."""
    claims = ask_lesson(sample, tools).supported_claims
    if not claims:
        raise NotApplicable("the judge found no claim in the answer")
    known = set(shown_ids(sample.ids))
    held = [
        claim.verdict == "supported" and any(one.strip("[] ") in known for one in claim.supported_by)
        for claim in claims
    ]
    records = [
        {
            "text": claim.claim,
            "score": float(good),
            "verdict": claim.verdict,
            "supported_by": [one[:100] for one in claim.supported_by[:20]],
        }
        for claim, good in zip(claims, held, strict=True)
    ]
    return sum(held) / len(held), records[:MOST_RECORDS]


def judge_abstain_quality(sample: Sample, tools: Tools) -> Result:
    """How well the assistant declined where it had to, 1 to 5; higher is better."""
    found = ask_lesson(sample, tools).abstain
    return _graded(
        found.abstain_quality, "the evidence holds an answer, says the judge", [found.model_dump()]
    )


def grouse_grade(sample: Sample, tools: Tools, call: str) -> Result:
    """One of GroUSE's first three grades: relevancy and completeness 1 to 5, usefulness 0 or 1; higher is
    better. Usefulness is not asked of a response."""
    found = _usefulness(sample, tools) if call == "usefulness" else ask_grouse(sample, tools, call)
    if found is None:
        raise NotApplicable("the answer responds")
    field, null = GRADES[call]
    return _graded(getattr(found, field), null, [{"why": found.why}] if found.why else [])


def judge_grouse_faithfulness(sample: Sample, tools: Tools) -> Result:
    """GroUSE's fourth grade, 0 or 1, with checks by sentence; not asked of a bare refusal."""
    refusal = _usefulness(sample, tools)
    if refusal is not None and refusal.usefulness is None:
        raise NotApplicable(ONLY_DECLINES)
    found = ask_grouse(sample, tools, "faithfulness")
    records = [
        {**checks.model_dump(), "sentence": checks.sentence} for checks in found.sentences[:MOST_RECORDS]
    ]
    return _graded(found.faithfulness, ONLY_DECLINES, records)


def judge_positive_acceptance(sample: Sample, tools: Tools) -> Result:
    """From the first two replies: 1 if an answerable question is answered, else 0."""
    if not ask_grouse(sample, tools, "completeness").references_answer:
        raise NotApplicable(NO_ANSWER)
    return float(not ask_grouse(sample, tools, "relevancy").declines), []


def judge_negative_rejection(sample: Sample, tools: Tools) -> Result:
    """From the first two replies: 1 if an unanswerable question is refused, else 0."""
    if ask_grouse(sample, tools, "completeness").references_answer:
        raise NotApplicable("the references hold an answer")
    return float(ask_grouse(sample, tools, "relevancy").declines), []


def _usefulness(sample: Sample, tools: Tools) -> Usefulness | None:
    """The reply to GroUSE's third request; None, without a request, where the answer responds."""
    if not ask_grouse(sample, tools, "relevancy").declines:
        return None
    return ask_grouse(sample, tools, "usefulness")


def _graded(grade: int | None, null: str, detail: Detail) -> Result:
    if grade is None:
        raise NotApplicable(null)
    return float(grade), detail


def judge_sufficiency(sample: Sample, tools: Tools) -> Result:
    """1 if the judge finds in the passages all that an answer needs, else 0; what is missing is the
    evidence."""
    found = ask_of_digest(sample, tools, "sufficiency", Sufficiency)
    return float(found.sufficient), [{"missing": text} for text in found.missing[:20]]


def judge_conciseness(sample: Sample, tools: Tools) -> Result:
    """How little could go without loss, 1 to 5; higher is better."""
    found = ask_of_digest(sample, tools, "conciseness", Conciseness)
    return float(found.conciseness), [{"could_go": found.could_go}]
