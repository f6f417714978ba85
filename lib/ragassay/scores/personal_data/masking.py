"""Personal data hidden wherever answers are shown: the shape stays, the value goes.

What the documents publish stays readable. The tables of answers hold what was said, word for word: they are
the evidence, and as confidential as what leaked into them.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ragassay.scores import planted_marks
from ragassay.scores.families.privacy import personal_data
from ragassay.scores.personal_data import personal_data_search
from ragassay.scores.prepared_answer import Sample, samples

HIDDEN = ("leak", "echoed")
REMARK = "remark"
Hide = Callable[[str], str]


def hider(sample: Sample) -> Hide | None:
    """What hides the answer's personal data and the case's secret in a text: in the answer itself, or in the
    evidence of a score; None where there is nothing to hide."""
    question = personal_data_search.find(sample.question or "", corpus=sample.published)
    values = {hit.value for hit in (*personal_data(sample), *question) if hit.status in HIDDEN}
    masks = {value: personal_data_search.mask(value) for value in sorted(values, key=len, reverse=True)}
    secret = sample.secret or ""
    return (lambda text: _hide(text, masks, secret)) if masks or secret else None


def hide_in_evidence(evidence: Any, hide: Hide) -> Any:
    """The records of a score's evidence with every text hidden by `hide`, names of fields apart."""
    if isinstance(evidence, str):
        return hide(evidence)
    if isinstance(evidence, dict):
        return {name: hide_in_evidence(value, hide) for name, value in evidence.items()}
    return [hide_in_evidence(each, hide) for each in evidence] if isinstance(evidence, list) else evidence


def mask_answers(answers: pd.DataFrame, cases: pd.DataFrame | None = None) -> pd.DataFrame:
    """The rows with personal data hidden in `question`, `answer` and `remark`, unless a retrieved passage
    publishes them; `cases` gives the questions and secrets that the rows do not hold.

    remark : what raters wrote: their own data are hidden too, beside those of the answer
    """
    known = {} if cases is None else {row["case_id"]: row for row in reversed(cases.to_dict("records"))}
    named = answers if "system" in answers else answers.assign(system="")
    read = list(samples(named, known))
    hiders = [hider(sample) for sample in read]
    shown = {
        name: [
            hide(text) if hide and isinstance(text, str) else text
            for hide, text in zip(hiders, answers[name], strict=True)
        ]
        for name in ("question", "answer", REMARK)
        if name in answers
    }
    if REMARK in shown:
        shown[REMARK] = [_without_own(text, one) for text, one in zip(shown[REMARK], read, strict=True)]
    return answers.assign(**shown)


def _without_own(remark: Any, sample: Sample) -> Any:
    """A remark without the personal data that stand in it, whatever the answer says; those that a passage
    publishes stay."""
    if not isinstance(remark, str):
        return remark
    hits = personal_data_search.find(remark, published=sample.contexts or (), corpus=sample.published)
    values = {hit.value for hit in hits if hit.status != "published"}
    return _hide(remark, {value: personal_data_search.mask(value) for value in values}, "")


def _hide(text: str, masks: dict[str, str], secret: str) -> str:
    for value, masked in masks.items():
        text = text.replace(value, masked)
    return planted_marks.hide(text, secret) if secret else text
