"""Abstention: declining exactly when the documents hold no answer (Lesson 6)."""

from ragassay.scores import abstention
from ragassay.scores.measure.result import Result
from ragassay.scores.sample import Sample
from ragassay.scores.tools import Tools


def abstention_correct(material: Sample, tools: Tools) -> Result:
    """Whether the assistant abstained exactly when it should."""
    value = abstention.abstention_correct(material.abstains, bool(material.answerable))
    rule = abstention.phrase(material.answer or "")
    return value, [{"abstained": material.abstains, "answerable": bool(material.answerable), "rule": rule}]
