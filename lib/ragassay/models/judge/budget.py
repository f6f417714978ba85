"""What judging would take, said before any is spent: calls and tokens, and a dry run that adds them up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragassay.models.encoder import tokenizer
from ragassay.models.judge.judge import Judge
from ragassay.models.judge.messages import Reply, Request
from ragassay.models.tokenization import replace_surrogates


@dataclass(frozen=True)
class Budget:
    """The most that judging would take.

    Attributes
    ----------
    calls : requests that would be sent
    kept : requests whose reply is in the journal: they cost nothing
    tokens_in : tokens sent, counted with the kit's own tokenizer; an endpoint counts with its own: a rough
        figure
    most_tokens_out : tokens received if every reply were as long as it may be
    """

    calls: int = 0
    kept: int = 0
    tokens_in: int = 0
    most_tokens_out: int = 0

    def __add__(self, other: "Budget") -> "Budget":
        return Budget(
            self.calls + other.calls,
            self.kept + other.kept,
            self.tokens_in + other.tokens_in,
            self.most_tokens_out + other.most_tokens_out,
        )

    def __str__(self) -> str:
        free = f" ({self.kept:,} more are in the journal)" if self.kept else ""
        tokens = f"about {self.tokens_in:,} tokens sent, at most {self.most_tokens_out:,} received"
        return f"at most {self.calls:,} calls{free}, {tokens}"

    def cost(self, price_in: float, price_out: float) -> float:
        """The most it would cost, prices per million tokens."""
        return (self.tokens_in * price_in + self.most_tokens_out * price_out) / 1e6


class DryRun:
    """Stands in for a judge: replies from the journal or else as supposed, and adds up what they would take.

    Parameters
    ----------
    judge : whose journal is looked into
    supposed : the reply to a request that the journal does not hold; one after which most requests follow
        makes the budget the most there can be
    """

    def __init__(self, judge: Judge, supposed: Callable[[Request], str]):
        self._judge, self._supposed, self._seen = judge, supposed, set[str]()
        self.budget = Budget()

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """Replies in the order of the requests."""
        kept = self._judge.find_kept(requests)
        keys = {request: request.key("") for request in requests}
        new = [request for request, key in keys.items() if key not in self._seen]
        self._seen.update(keys.values())
        unpaid = [request for request in new if request not in kept]
        texts = [replace_surrogates(part) for request in unpaid for part in (request.system, request.user)]
        tokens = sum(len(encoded.ids) for encoded in tokenizer().encode_batch(texts)) if texts else 0
        most = sum(request.max_tokens for request in unpaid)
        self.budget += Budget(len(unpaid), len(new) - len(unpaid), tokens, most)
        return [kept.get(request) or Reply(self._supposed(request)) for request in requests]
