"""What the judge was asked and what it took."""

import threading
from dataclasses import dataclass, field, replace

from ragassay.models.judge.request import Reply


@dataclass(frozen=True)
class Spent:
    """Counts of one judge.

    Attributes
    ----------
    requests : unique requests; each ends as one of the next three
    kept : found in the journal     paid : replies that arrived whole     failed : neither
    sent : requests sent, those sent again included
    lost : sent, and no whole reply came although the endpoint may have written one: it may charge for it
    tokens_in, tokens_out, seconds : of the paid replies, tokens as the endpoint counts them
    cost : of those tokens at the prices given
    by : models that replied, as the endpoint names them
    """

    requests: int = 0
    kept: int = 0
    paid: int = 0
    failed: int = 0
    sent: int = 0
    lost: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = f"{self.requests:,} requests: {self.kept:,} from the journal, {self.paid:,} replies paid, {self.failed:,} without a reply"
        lost = f"; {self.lost:,} more were sent that the endpoint may charge for" if self.lost else ""
        cost = f", cost {self.cost:,.4f}" if self.cost else ""
        return f"{counts}{lost}; {self.tokens_in:,} tokens sent, {self.tokens_out:,} received in {self.seconds:.1f} s of waiting{cost}"


@dataclass
class Account:
    """Adds up what several threads spend; prices per million tokens."""

    price_in: float
    price_out: float
    total: Spent = field(default_factory=Spent)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, **counts: float) -> None:
        """Add to the counts named."""
        with self._lock:
            self.total = replace(
                self.total, **{name: getattr(self.total, name) + count for name, count in counts.items()}
            )

    def pay(self, reply: Reply) -> None:
        """Add a reply that arrived."""
        cost = (reply.tokens_in * self.price_in + reply.tokens_out * self.price_out) / 1e6
        self.add(
            paid=1, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, seconds=reply.seconds, cost=cost
        )
        if reply.by and reply.by not in self.total.by:
            with self._lock:
                self.total = replace(self.total, by=tuple(sorted({*self.total.by, reply.by})))
