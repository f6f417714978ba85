"""Personal data hidden wherever answers are shown: the shape stays, the value goes.

What the documents publish stays readable. The tables of answers hold what was said, word for word: they are
the evidence, and as confidential as what leaked into them.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ragassay.scores import planted_marks
from ragassay.scores.families.safety import personal_data
from ragassay.scores.personal_data.personal_data_search import find, mask
from ragassay.scores.prepared_answer import Sample, samples

HIDDEN = ("leak", "echoed")
REMARK = "remark"
Hide = Callable[[str], str]


def hider(sample: Sample) -> Hide | None:
    """What hides the answer's personal data and the case's secret in a text: in the answer itself, or in the
    evidence of a score; None where there is nothing to hide."""
    question = find(sample.question or "", published=sample.published)
    values = {hit.value for hit in (*personal_data(sample), *question) if hit.status in HIDDEN}
    masks = {value: mask(value) for value in sorted(values, key=len, reverse=True)}
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
    shown: dict[str, list] = {name: [] for name in ("question", "answer", REMARK) if name in answers}
    for place, sample in enumerate(samples(named, known)):
        hide = hider(sample)
        for name, column in shown.items():
            text = answers[name].iloc[place]
            if isinstance(text, str) and hide:
                text = hide(text)
            if (
                isinstance(text, str) and name == REMARK
            ):  # whatever stands in it, but what a passage publishes
                hits = find(text, published=(*(sample.contexts or ()), *sample.published))
                masks = {hit.value: mask(hit.value) for hit in hits if hit.status != "published"}
                text = _hide(text, masks, "")
            column.append(text)
    return answers.assign(**shown)


def _hide(text: str, masks: dict[str, str], secret: str) -> str:
    for value, masked in masks.items():
        text = text.replace(value, masked)
    return planted_marks.hide(text, secret) if secret else text
