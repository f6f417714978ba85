"""The four states of a score, and which of them an answer has before anything is computed (DESIGN section 3)."""

from ragassay.scores.metric import Metric
from ragassay.scores.sample import Sample

SCORED, NOT_APPLICABLE, NOT_MEASURED, ERROR = "scored", "not_applicable", "not_measured", "error"
UNREAD = "the row could not be read"  # how the error of an input line begins that never was an answer
State = tuple[str, str]


def state(metric: Metric, material: Sample, judged: bool = False) -> State:
    """Whether a metric can be computed for an answer, and why not: error, then missing input, then nothing to judge.

    `judged` says whether a language model was named to judge.
    """
    if material.error:
        return ERROR, material.error[:400] if material.error.startswith(
            UNREAD
        ) else f"the assistant gave no answer: {material.error[:300]}"
    if "judge" in metric.models and not judged:
        return NOT_MEASURED, "no judge named"
    if material.answerable is False and {"reference_chunk_ids", "reference_answer"} & set(metric.needs):
        return (
            NOT_APPLICABLE,
            "no-answer case: no reference passage"
            if "reference_chunk_ids" in metric.needs
            else "no-answer case: no reference answer",
        )
    missing = [name for name in metric.needs if getattr(material, name) is None]
    if missing:
        return NOT_MEASURED, _why_missing(missing, material)
    if (
        metric.family == "citations"
        and "contexts" in metric.needs
        and material.context_ids is None
        and not _numbered(material)
    ):
        return NOT_MEASURED, "context_ids not given: the cited ids cannot be found"
    if metric.name.startswith("retrieval_") and material.foreign_ids:
        return NOT_MEASURED, "the assistant does not name its passages by the ids of this kit (doc#p3)"
    reason = _nothing_to_judge(metric, material)
    return (NOT_APPLICABLE, reason) if reason else (SCORED, "")


def _why_missing(missing: list[str], material: Sample) -> str:
    unread = [name for name in missing if name in material.unread]
    return (
        f"{' and '.join(unread)} given, but of another kind than expected"
        if unread
        else f"{' and '.join(missing)} not given"
    )


def _nothing_to_judge(metric: Metric, material: Sample) -> str:
    if "answer" in metric.needs and not metric.of_silence and not material.answer_sentences:
        return "empty answer"
    uncited = (
        metric.family == "citations" and material.answerable is True
    )  # cites nothing where there was something to cite: 0 (FORMULAS 6)
    if metric.of_content and material.abstains and not uncited:
        return "the assistant abstained"
    if metric.family == "citations":
        return "no-answer case: nothing to cite" if material.answerable is False else ""
    return _empty_side(metric, material)


def _empty_side(metric: Metric, material: Sample) -> str:
    if "question" in metric.needs and not material.question_sentences:
        return "empty question"
    if "contexts" in metric.needs and not metric.of_silence and not material.context_sentences:
        return "no passage was retrieved"
    if "reference_answer" in metric.needs and not material.reference_sentences:
        return "no reference answer for this case"
    if "reference_chunk_ids" in metric.needs and not material.reference_chunk_ids:
        return "no reference passage for this case"
    return (
        "no passage was retrieved"
        if metric.name == "retrieval_precision" and not material.context_ids
        else ""
    )


def _numbered(material: Sample) -> bool:
    return all(one.isdecimal() for _, ids in material.cited for one in ids)
