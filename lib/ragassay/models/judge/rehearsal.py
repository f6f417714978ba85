"""A dry run: a judge's stand-in that sends nothing and adds up what would be sent."""

from collections.abc import Callable, Sequence

from ragassay.models.judge.budget import Budget, budget
from ragassay.models.judge.judge import Judge
from ragassay.models.judge.request import Reply, Request


class Rehearsal:
    """Stands in for a judge: replies from the journal or else as supposed, and adds up what they would take.

    Parameters
    ----------
    judge : whose journal is looked into
    supposed : the reply to a request that the journal does not hold; one after which most requests follow makes the budget the most there can be
    """

    def __init__(self, judge: Judge, supposed: Callable[[Request], str]):
        self._judge, self._supposed, self._seen = judge, supposed, set[bytes]()
        self.budget = Budget()

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """Replies in the order of the requests."""
        kept = self._judge.kept(requests)
        new = [request for request in dict.fromkeys(requests) if self._is_new(request)]
        self.budget += budget(
            [request for request in new if request not in kept], sum(request in kept for request in new)
        )
        return [kept.get(request) or Reply(self._supposed(request)) for request in requests]

    def _is_new(self, request: Request) -> bool:
        key = bytes.fromhex(request.key(""))
        seen = key in self._seen
        self._seen.add(key)
        return not seen
