"""A dry run: what a judge would be asked, and what that would take, before anything is sent."""

from collections.abc import Iterable, Sequence

import pandas as pd

from ragassay.models.judge import Budget, DryRun, Judge
from ragassay.scores.judge.judge_prompts import OURS, Prompt
from ragassay.scores.metric_registry import METRICS
from ragassay.scores.score import score_batches

_DECLINES = '"declines": true, "answer_relevancy": null'
_ADDS = '"declines": true, "adds_information": true, "usefulness": 1'
MOST_CALLS = {  # replies, to one answer or two, after which all of GroUSE's four calls are made
    "relevancy": f'{{{_DECLINES}, "answer_2": {{{_DECLINES}}}}}',
    "usefulness": f'{{{_ADDS}, "answer_2": {{{_ADDS}}}}}',
}


def stand_in(judge: Judge) -> DryRun:
    """A stand-in for the judge that replies from its journal, or else so that most calls follow."""
    return DryRun(judge, lambda request: MOST_CALLS.get(request.name, "{}"))


def dry_run(
    batches: Iterable[pd.DataFrame],
    metrics: Sequence[str],
    judge: Judge,
    cases: pd.DataFrame | None = None,
    prompt: Prompt = OURS,
) -> Budget:
    """The most that judging these answers would take, less what the journal holds; nothing is sent.

    batches : tables of answers, as for `score_batches`
    metrics : names in METRICS; those that need no judge take nothing
    judge : whose journal is looked into
    prompt : in which words GroUSE's judge would be asked
    """
    counting = stand_in(judge)
    judged = [name for name in metrics if "judge" in METRICS[name].models]
    instruments = {"judge": counting, "prompt": prompt}
    for _ in score_batches(batches, cases, metrics=judged, instruments=instruments) if judged else ():
        pass
    return counting.budget
