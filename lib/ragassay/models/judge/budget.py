"""What judging would take: calls and tokens, said before any is spent."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragassay.models.encoder import tokenizer
from ragassay.models.judge.request import Request


@dataclass(frozen=True)
class Budget:
    """The most that judging would take.

    Attributes
    ----------
    calls : requests that would be sent
    kept : requests whose reply is in the journal: they cost nothing
    tokens_in : tokens sent, counted with the kit's own tokenizer; an endpoint counts with its own, so this is a rough figure
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
        return f"at most {self.calls:,} calls{free}, about {self.tokens_in:,} tokens sent, at most {self.most_tokens_out:,} received"

    def cost(self, price_in: float, price_out: float) -> float:
        """The most it would cost, prices per million tokens."""
        return (self.tokens_in * price_in + self.most_tokens_out * price_out) / 1e6


def budget(requests: Sequence[Request], kept: int = 0) -> Budget:
    """The budget of these requests, all to be sent."""
    texts = [
        part.encode("utf-8", "replace").decode()
        for request in requests
        for part in (request.system, request.user)
    ]
    tokens = sum(len(encoded.ids) for encoded in tokenizer().encode_batch(texts)) if texts else 0
    return Budget(len(requests), kept, tokens, sum(request.max_tokens for request in requests))
