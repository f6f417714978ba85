"""The four states of a score, and which of them an answer has before anything is computed (decision 21)."""

from ragassay.scores.metric import Metric
from ragassay.scores.prepared_answer import Sample

SCORED, NOT_APPLICABLE, NOT_MEASURED, ERROR = "scored", "not_applicable", "not_measured", "error"
UNREAD = "the row could not be read"  # how the error of an input line begins that never was an answer
NOTHING_SAID = "the record of the answer does not say what was retrieved"
LEARNED_ON_OURS = ("support",)  # metrics whose coefficients were learned on our encoder's similarities
LONGEST = {  # characters of a text that is scored; each takes a core 1 to 2 ms with the default metrics
    "question": 50_000,
    "answer": 50_000,
    "reference_answer": 50_000,
    "contexts": 500_000,  # all passages of an answer together
}
State = tuple[str, str]


def state(
    metric: Metric, sample: Sample, judged: bool = False, own_encoder: str = "", speaks: bool = False
) -> State:
    """Whether a metric can be computed for an answer, and why not:
    error, then missing input, then a text longer than `LONGEST`, then nothing to judge.

    `judged` says whether a language model was named to judge, `speaks` whether one was named for perplexity,
    `own_encoder` which encoder stands in place of ours.
    """
    if sample.error:
        return ERROR, _error(sample.error)
    if reason := _not_named(metric, judged, speaks):
        return NOT_MEASURED, reason
    if own_encoder and metric.name in LEARNED_ON_OURS:
        return NOT_MEASURED, f"learned on all-MiniLM-L6-v2's similarities; the encoder is {own_encoder}"
    if sample.answerable is False and "reference_chunk_ids" in metric.needs:
        return NOT_APPLICABLE, "no-answer case: no reference passage"
    if sample.answerable is False and "reference_answer" in metric.needs:
        return NOT_APPLICABLE, "no-answer case: no reference answer"
    if reason := _not_measurable(metric, sample):
        return NOT_MEASURED, reason
    if reason := _too_long(metric, sample):
        return ERROR, reason
    reason = _nothing_to_judge(metric, sample)
    return (NOT_APPLICABLE, reason) if reason else (SCORED, "")


def _not_named(metric: Metric, judged: bool, speaks: bool) -> str:
    if "judge" in metric.models and not judged:
        return "no judge named"
    lacks_model = "perplexity" in metric.models and not speaks
    return "no language model named (language_model in section run)" if lacks_model else ""


def _error(text: str) -> str:
    return text[:400] if text.startswith(UNREAD) else f"the assistant gave no answer: {text[:300]}"


def _not_measurable(metric: Metric, sample: Sample) -> str:
    missing = [name for name in metric.needs if getattr(sample, name) is None]
    if missing == ["contexts"] and not sample.unread:
        return NOTHING_SAID
    unread = [name for name in missing if name in sample.unread]
    if unread:
        return f"{' and '.join(unread)} given, but of another kind than expected"
    if missing:
        return f"{' and '.join(missing)} not given"
    of_passages = metric.family == "citations" and "contexts" in metric.needs
    if of_passages and sample.context_ids is None and not _numbered(sample):
        return "context_ids not given: the cited ids cannot be found"
    if "reference_chunk_ids" in metric.needs and sample.foreign_ids:
        return "the assistant's passage ids are not those of the reference passages"
    return ""


def _too_long(metric: Metric, sample: Sample) -> str:
    asked = [name for name in LONGEST if name in metric.needs]
    long = [name for name in asked if _characters(getattr(sample, name)) > LONGEST[name]]
    return "; ".join(
        f"{name} too long to be scored: {_characters(getattr(sample, name)):,} characters, "
        f"at most {LONGEST[name]:,}"
        for name in long
    )


def _characters(text: str | tuple[str, ...] | None) -> int:
    return len(text or "") if isinstance(text, str | None) else sum(map(len, text))


def _nothing_to_judge(metric: Metric, sample: Sample) -> str:
    if "answer" in metric.needs and not metric.of_silence and not sample.answer_sentences:
        return "empty answer"
    # cites nothing where there was something to cite: 0 (decision 6)
    uncited = metric.family == "citations" and sample.answerable is True
    if metric.of_content and sample.abstains and not uncited:
        return "the assistant abstained"
    if metric.family == "citations":
        return "no-answer case: nothing to cite" if sample.answerable is False else ""
    return _empty_side(metric, sample)


def _empty_side(metric: Metric, sample: Sample) -> str:
    if "question" in metric.needs and not sample.question_sentences:
        return "empty question"
    if "contexts" in metric.needs and not metric.of_silence and not sample.context_sentences:
        return "no passage was retrieved"
    if "reference_answer" in metric.needs and not sample.reference_sentences:
        return "no reference answer for this case"
    if "reference_chunk_ids" in metric.needs and not sample.reference_chunk_ids:
        return "no reference passage for this case"
    return ""


def _numbered(sample: Sample) -> bool:
    return all(one.isdecimal() for _, ids in sample.cited for one in ids)
