"""Abstention: does the assistant decline exactly when the documents hold no answer? (Lesson 3.1 and 6)

The phrases by which declining is read stand in refusal_phrases.py.
"""

from ragassay.scores import refusal_phrases
from ragassay.scores.metric import NO_MODEL, Family, Method, Metric, NotApplicable, Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def abstains(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant declines to answer, else 0, and by which phrase it was seen."""
    return float(sample.abstains), [{"rule": refusal_phrases.phrase(sample.answer or "")}]


def should_have_abstained(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant answered what the documents do not answer, else 0; lower is better.

    Of no-answer cases alone: its mean is the false-answer rate, whatever else is in the table.
    Source: Lesson section 3.1, `abstain.should_have_abstained`; the rate: sections 6 and 12.
    """
    if sample.answerable:
        raise NotApplicable("answerable case: no answer to it is a false answer")
    return float(not sample.abstains), [{"abstained": sample.abstains}]


def abstention_correct(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant abstained exactly when the documents hold no answer, else 0; higher is better.

    Source: Lesson section 6 (no-answer items), which scores a judge's opinion from 1 to 5; this is the
    decision alone, in both directions.
    """
    abstained, answerable = sample.abstains, bool(sample.answerable)
    rule = refusal_phrases.phrase(sample.answer or "")
    return float(abstained != answerable), [{"abstained": abstained, "answerable": answerable, "rule": rule}]


# fmt: off
FAMILY = Family(
    name="abstention",
    source="Lesson",
    metrics=(
        Metric("abstains", "abstention", ("answer",), 0, 1, False, "Lesson 6", NO_MODEL,
               "1 if the assistant declines to answer",
               "Phrases in English, Spanish, Portuguese in the first two sentences; an empty answer "
               "declines. Lower is better only on answerable cases.",
               abstains, of_content=False, of_silence=True, grades_quality=False),
        Metric("should_have_abstained", "abstention", ("answer", "answerable"), 0, 1, False, "Lesson 3.1",
               NO_MODEL,
               "1 if the assistant answered what the documents do not answer",
               "On no-answer cases alone: not abstains. Its mean is the Lesson's false-answer rate "
               "(sections 6 and 12; decision 17); an answerable case is not applicable.",
               should_have_abstained, of_content=False, of_silence=True, grades_quality=False),
        Metric("abstention_correct", "abstention", ("answer", "answerable"), 0, 1, True, "Lesson 6", NO_MODEL,
               "1 if the assistant declines exactly when the documents hold no answer",
               "Phrases in English, Spanish, Portuguese in the first two sentences; Lesson scores quality "
               "1-5 by a judge, this is the decision alone.",
               abstention_correct, of_content=False, of_silence=True, headline=10, in_figures=True,
               grades_quality=False),
    ),
    methods=(
        Method(
            "Abstention",
            r"A = 1(\mathrm{abstains} \ne \mathrm{answerable})",
            "Whether the assistant declines, and whether it does so exactly when the documents hold no "
            "answer; the false-answer rate is the share answered of the cases without an answer alone. "
            "Declining is read off fixed forms of words in the first two sentences; an empty answer "
            "declines.",
            "Lesson 3.1 and 6",
            "The source asks a judge for a grade of 1 to 5; this is the decision alone. Related information "
            "after a refusal is allowed unless the metric says forbid (decision 8).",
            "English, Spanish and Portuguese only; a refusal in words that no form knows counts as an "
            "answer. Whether a case is answerable is the test set's word.",
        ),
    ),
    glossary={
        "Abstention": "Declining to answer. Right when the documents hold no answer, wrong when they do.",
    },
)
# fmt: on
