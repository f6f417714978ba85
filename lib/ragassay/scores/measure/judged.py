"""What a language model judges, read from its replies: one call for all of the Lesson's metrics, at most four for GroUSE's."""

from functools import lru_cache
from typing import Any

from ragassay.scores import digest, judged, success
from ragassay.scores import judge_replies as replies
from ragassay.scores.measure.result import SHOWN, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools

MOST_RECORDS = 200  # claims or sentences kept as evidence
DECLINES = "the answer says that no document answers"
ONLY_DECLINES = "the answer says only that no document answers"
NO_ANSWER = "the references hold no answer"


def lesson_grade(material: Sample, tools: Tools, name: str) -> Result:
    """One of the Lesson's four grades; all four are the evidence."""
    grades = lesson(material, tools).scores.model_dump()
    return float(grades[name]), [grades]


def must_pass(material: Sample, tools: Tools, related_information: str = "allow") -> Result:
    """Whether all of the Lesson's checks hold; one record per check.

    Where the evidence holds no answer (by the case's label, or else by the judge), citing is not asked for, or must not be (`forbid`).
    """
    reply = lesson(material, tools)
    flags: dict[str, bool | None] = reply.must_pass.model_dump()
    answerable = (
        not reply.abstain.should_have_abstained if material.answerable is None else material.answerable
    )
    if not answerable:
        flags["citations_present"] = (
            None if success.may_cite(related_information) else not flags["citations_present"]
        )
    return success.must_pass(flags), [
        {"flag": name, "score": None if held is None else float(held)} for name, held in flags.items()
    ]


def supported_claims_rate(material: Sample, tools: Tools) -> Result:
    """Share of the claims that the judge lists and finds supported by a passage that was retrieved; a partial one is not."""
    claims = lesson(material, tools).supported_claims
    if not claims:
        raise NotApplicable("the judge found no claim in the answer")
    known = set(evidence(material).ids)
    held = [
        claim.verdict == "supported" and any(one.strip("[] ") in known for one in claim.supported_by)
        for claim in claims
    ]
    records = [
        {
            "text": claim.claim[:SHOWN],
            "score": float(good),
            "verdict": claim.verdict,
            "supported_by": [one[:100] for one in claim.supported_by[:20]],
        }
        for claim, good in zip(claims, held, strict=True)
    ]
    return sum(held) / len(held), records[:MOST_RECORDS]


def abstain_quality(material: Sample, tools: Tools) -> Result:
    """How well the assistant declined where it had to."""
    found = lesson(material, tools).abstain
    return _graded(
        found.abstain_quality, "the evidence holds an answer, says the judge", [found.model_dump()]
    )


def answer_relevancy(material: Sample, tools: Tools) -> Result:
    """GroUSE's first grade; null for a refusal."""
    found = relevancy(material, tools)
    return _graded(found.answer_relevancy, DECLINES, _why(found.why))


def completeness(material: Sample, tools: Tools) -> Result:
    """GroUSE's second grade; null where the references hold no answer."""
    found = completed(material, tools)
    return _graded(found.completeness, NO_ANSWER, _why(found.why))


def usefulness(material: Sample, tools: Tools) -> Result:
    """GroUSE's third grade; a response is not asked about, a bare refusal is null."""
    found = added(material, tools)
    if found is None:
        raise NotApplicable("the answer responds")
    return _graded(found.usefulness, "the refusal adds no information", _why(found.why))


def faithfulness(material: Sample, tools: Tools) -> Result:
    """GroUSE's fourth grade, with its checks of each sentence; a bare refusal is not asked about."""
    refusal = added(material, tools)
    if refusal is not None and refusal.usefulness is None:
        raise NotApplicable(ONLY_DECLINES)
    found = _asked(material, tools, "faithfulness", replies.Faithfulness)
    records = [
        {**checks.model_dump(), "sentence": checks.sentence[:SHOWN]}
        for checks in found.sentences[:MOST_RECORDS]
    ]
    return _graded(found.faithfulness, ONLY_DECLINES, records)


def positive_acceptance(material: Sample, tools: Tools) -> Result:
    """From the first two replies: an answerable question is answered."""
    if not completed(material, tools).references_answer:
        raise NotApplicable(NO_ANSWER)
    return float(not relevancy(material, tools).declines), []


def negative_rejection(material: Sample, tools: Tools) -> Result:
    """From the first two replies: an unanswerable question is refused."""
    if completed(material, tools).references_answer:
        raise NotApplicable("the references hold an answer")
    return float(relevancy(material, tools).declines), []


def lesson(material: Sample, tools: Tools) -> replies.Lesson:
    """The reply to the Lesson's one request."""
    request = judged.lesson(
        material.question or "",
        material.answer or "",
        evidence(material).evidence,
        language=material.language,
        answer_type=material.answer_type,
        schema=material.schema,
    )
    return _read(material, tools, request, replies.Lesson)


def relevancy(material: Sample, tools: Tools) -> replies.Relevancy:
    """The reply to GroUSE's first request."""
    return _asked(material, tools, "relevancy", replies.Relevancy)


def completed(material: Sample, tools: Tools) -> replies.Completeness:
    """The reply to GroUSE's second request."""
    return _asked(material, tools, "completeness", replies.Completeness)


def added(material: Sample, tools: Tools) -> replies.Usefulness | None:
    """The reply to GroUSE's third request; None, without a request, where the answer responds."""
    return (
        _asked(material, tools, "usefulness", replies.Usefulness)
        if relevancy(material, tools).declines
        else None
    )


def evidence(material: Sample) -> digest.Digest:
    """The retrieved passages, whole, each on a line under its id."""
    return _evidence(material.contexts or (), material.ids)


@lru_cache(maxsize=512)  # thirteen metrics ask for the same
def _evidence(contexts: tuple[str, ...], ids: tuple[str, ...]) -> digest.Digest:
    return digest.build(None, contexts, ids, None, snippet=judged.MOST)


def _asked(material: Sample, tools: Tools, call: str, form: type[replies.Judged]) -> replies.Judged:
    references = evidence(material).evidence
    request = judged.grouse(
        call, material.question or "", material.answer or "", references, material.reference_answer
    )
    return _read(material, tools, request, form)


def _read(
    material: Sample, tools: Tools, request: judged.Request, form: type[replies.Judged]
) -> replies.Judged:
    return replies.parse_reply(
        tools.judge([request])[0],
        form,
        (material.answer or "", material.question or "", *(material.contexts or ())),
    )


def _why(text: str) -> list[dict[str, Any]]:
    return [{"why": text[:SHOWN]}] if text else []


def _graded(grade: int | None, null: str, detail: list[dict[str, Any]]) -> Result:
    if grade is None:
        raise NotApplicable(null)
    return float(grade), detail
