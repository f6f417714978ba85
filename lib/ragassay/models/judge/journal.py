"""Replies that were paid for, each kept as soon as it came, and the account of what was spent.

The journal is one SQLite file: a run killed at any moment pays for nothing twice.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragassay.errors import ModelError
from ragassay.models.judge.messages import Reply


class Journal:
    """Replies by key. Only replies that arrived whole are kept: what failed is asked again the next time."""

    def __init__(self, path: Path):
        self.path = Path(path)

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The replies kept under these keys; an absent key is left out.

        Raises
        ------
        ModelError
            If the file is damaged or cannot be written: nothing must be paid for that cannot be kept.
        """
        found = dict[str, Reply]()
        with self._open() as connection:
            for key in keys:
                for (kept,) in connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)):
                    found[key] = Reply.of_json(kept)
        return found

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply; the first one kept under a key stays."""
        with self._open() as connection:
            connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, reply.as_json()))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=60)
            connection.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT)")
            # fails here, before anything is paid for, where the file cannot be written
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection
        except (sqlite3.Error, OSError, ValueError, TypeError) as problem:
            raise ModelError(
                "the journal of the judge cannot be used",
                where=self.path,
                found=problem,
                do="make the folder writable; replies of a damaged file set aside will be paid for again",
            ) from problem
        finally:
            if connection is not None:
                connection.close()


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
        kinds = f"{self.kept:,} from the journal, {self.paid:,} replies paid, {self.failed:,} without a reply"
        tokens = (
            f"{self.tokens_in:,} tokens sent, {self.tokens_out:,} received in {self.seconds:.1f} s of waiting"
        )
        lost = f"; {self.lost:,} more were sent that the endpoint may charge for" if self.lost else ""
        cost = f", cost {self.cost:,.4f}" if self.cost else ""
        return f"{self.requests:,} requests: {kinds}{lost}; {tokens}{cost}"


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
