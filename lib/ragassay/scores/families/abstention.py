"""Abstention: does the assistant decline exactly when the documents hold no answer? (Lesson 3.1 and 6)

How declining is read stands in answer_state.py. An answer that declines and then asserts is hedged: no
abstention, and a right refusal only where every assertion in it is grounded (decisions 8 and 20).
"""

from ragassay.scores.families.claims import supported_claims_rate
from ragassay.scores.metric import SHOWN, Detail, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import DECLINED, HEDGED


def abstains(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant declines to answer and asserts nothing, else 0, and by which rule it was seen."""
    return float(sample.abstains), [{"state": sample.reading.state, "rule": sample.reading.rule}]


def hedged_rate(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant declines and asserts something beside, else 0; its mean is the rate."""
    reading = sample.reading
    return float(reading.state == HEDGED), [
        {"text": text[:SHOWN], "kind": kind}
        for kind, texts in (("declines", reading.declining), ("asserts", reading.asserting))
        for text in texts
    ]


def refuses_rightly(sample: Sample, tools: Tools) -> bool:
    """Whether the answer is a refusal as a no-answer case asks for it: it declines, and whatever related
    information it adds is grounded, claim by claim (decisions 8 and 20)."""
    if sample.reading.state == DECLINED:
        return True
    if not sample.reading.refuses or not sample.context_sentences:
        return False
    try:
        return supported_claims_rate(sample, tools)[0] == 1.0
    except NotApplicable:
        return False


def decides_rightly(sample: Sample, tools: Tools) -> bool:
    """Whether an answerable case is not refused, and one without an answer is."""
    return not sample.abstains if sample.answerable else refuses_rightly(sample, tools)


def should_have_abstained(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant answered what the documents do not answer, else 0; lower is better.

    Of no-answer cases alone: its mean is the false-answer rate, whatever else is in the table. An ungrounded
    assertion after a refusal is a false answer.
    Source: Lesson section 3.1, `abstain.should_have_abstained`; the rate: sections 6 and 12.
    """
    if sample.answerable:
        raise NotApplicable("answerable case: no answer to it is a false answer")
    return float(not refuses_rightly(sample, tools)), _decision(sample)


def abstention_correct(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant abstained exactly when the documents hold no answer, else 0; higher is better.

    Source: Lesson section 6 (no-answer items), which scores a judge's opinion from 1 to 5; this is the
    decision alone, in both directions.
    """
    return float(decides_rightly(sample, tools)), _decision(sample)


def _decision(sample: Sample) -> Detail:
    reading = sample.reading
    return [
        {
            "abstained": sample.abstains,
            "answerable": bool(sample.answerable),
            "state": reading.state,
            "rule": reading.rule,
        }
    ]
