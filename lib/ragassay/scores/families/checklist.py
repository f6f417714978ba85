"""The completeness checklist: which share of its points an answer meets (Lesson section 5).

The points, and what words show, stand in checklist_points.py.
"""

from collections.abc import Mapping

from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.checklist_points import POINTS, View, answer_type


def share_met(points: Mapping[str, bool | None]) -> float:
    """Share of the points that apply (not None) which are met, in [0, 1]; higher is better.

    Raises
    ------
    ValueError
        If no point applies.

    Source
    ------
    Lesson section 5.
    """
    applied = [met for met in points.values() if met is not None]
    if not applied:
        raise ValueError("no point of the checklist applies")
    return sum(applied) / len(applied)


def completeness_checklist(sample: Sample, tools: Tools) -> Result:
    """Share of the points of its type that the answer meets, in [0, 1]; higher is better."""
    kind = sample.answer_type or answer_type(sample.question or "", sample.answerable)
    if kind not in POINTS:
        raise ValueError(f"answer_type must be one of {', '.join(POINTS)}; found {kind!r:.40}")
    if kind != "no_answer" and (sample.abstains or not sample.context_sentences):
        raise NotApplicable("the assistant abstained" if sample.abstains else "no passage was retrieved")
    view = View(sample, tools)
    points = {point.__name__: point(view) for point in POINTS[kind]}
    if all(met is None for met, _ in points.values()):
        raise NotApplicable(f"no point of the checklist for {kind} applies")
    return share_met({name: met for name, (met, _) in points.items()}), [
        {"point": name, "score": None if met is None else float(met), "answer_type": kind, "of": found}
        for name, (met, found) in points.items()
    ]
