"""A dry run: what a judge would be asked about these answers, and what that would take, before anything is sent."""

from collections.abc import Iterable, Sequence

import pandas as pd

from ragassay.models.judge import Budget, Judge, Reply, Request, budget
from ragassay.scores.metrics import METRICS
from ragassay.scores.score import score_batches

MOST_CALLS = {  # replies after which all of GroUSE's four calls are made
    "relevancy": '{"declines": true, "answer_relevancy": null}',
    "usefulness": '{"declines": true, "adds_information": true, "usefulness": 1}',
}


class Rehearsal:
    """Stands in for a judge: sends nothing, replies from the journal or else so that most calls follow, and adds up what they would take."""

    def __init__(self, judge: Judge):
        self._judge, self._recipe, self._seen = judge, "", set[bytes]()
        self.budget = Budget()

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """Replies in the order of the requests."""
        kept = self._judge.kept(requests)
        new = [request for request in dict.fromkeys(requests) if self._is_new(request)]
        self.budget += budget([request for request in new if request not in kept], sum(request in kept for request in new))
        return [kept.get(request) or Reply(MOST_CALLS.get(request.name, "{}")) for request in requests]

    def _is_new(self, request: Request) -> bool:
        key = bytes.fromhex(request.key(self._recipe))
        seen = key in self._seen
        self._seen.add(key)
        return not seen


def rehearse(batches: Iterable[pd.DataFrame], metrics: Sequence[str], judge: Judge, cases: pd.DataFrame | None = None) -> Budget:
    """The most that judging these answers would take: calls, tokens, and what the journal already holds. Nothing is sent.

    Parameters
    ----------
    batches : tables of answers, as for `score_batches`
    metrics : names in METRICS; those that need no judge take nothing
    judge : whose journal is looked into
    """
    stand_in = Rehearsal(judge)
    judged = [name for name in metrics if "judge" in METRICS[name].models]
    for _ in score_batches(batches, cases, metrics=judged, instruments={"judge": stand_in}) if judged else ():
        pass
    return stand_in.budget
