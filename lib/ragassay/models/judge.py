"""The judge: asks an endpoint, each request until a whole reply came, and then never again; and what that
would cost, said before. Optional: the user names the language model.

Every reply that was paid for is kept as soon as it came in one SQLite file, the journal: a run killed at any
moment pays for nothing twice.
"""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.http_requests import RETRIES, Failure, NotAsked, Patience, retrying
from ragassay.models import cache, encoder
from ragassay.models.batching import replace_surrogates
from ragassay.models.judge_messages import Endpoint, Reply, Request, checked_address


@dataclass(frozen=True)
class Journal:
    """Replies by key. Only replies that arrived whole are kept: what failed is asked again the next time.

    A ModelError if the file is damaged or cannot be written: nothing must be paid for that cannot be kept.
    """

    path: Path

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The replies kept under these keys; an absent key is left out."""
        with self._open() as connection:
            query = "SELECT reply FROM replies WHERE key = ?"
            rows = ((key, kept) for key in keys for (kept,) in connection.execute(query, (key,)))
            return {key: Reply(**json.loads(kept)) for key, kept in rows}

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply; the first one kept under a key stays."""
        with self._open() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, json.dumps(asdict(reply)))
            )

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(self.path, timeout=60)) as connection:
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
                do="make the folder writable; replies set aside are paid for again",
            ) from problem


@dataclass
class Spent:
    """Counts of one judge: each request is kept, paid or failed; tokens, seconds and cost are of the paid."""

    requests: int = 0  # unique ones
    kept: int = 0  # found in the journal
    paid: int = 0  # replies that arrived whole
    failed: int = 0
    sent: int = 0  # those sent again included
    lost: int = 0  # sent, and no whole reply came although the endpoint may have written, and charge for, one
    tokens_in: int = 0  # as the endpoint counts them
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    by: tuple[str, ...] = ()  # models that replied, as the endpoint names them

    def __str__(self) -> str:
        lost = f"; {self.lost:,} more were sent that the endpoint may charge for" if self.lost else ""
        cost = f", cost {self.cost:,.4f}" if self.cost else ""
        kinds = f"{self.kept:,} from the journal, {self.paid:,} replies paid, {self.failed:,} without a reply"
        return (
            f"{self.requests:,} requests: {kinds}{lost}; {self.tokens_in:,} tokens sent, "
            f"{self.tokens_out:,} received, {self.seconds:.1f} s{cost}"
        )


@dataclass
class Judge:
    """Ask a named language model: requests in, replies out, in the same order; a failed one has the reason.

    A run killed at any moment loses at most the `concurrency` requests under way. Two processes that judge
    the same answers at once may both pay.

    Parameters
    ----------
    endpoint : address of the API, such as http://localhost:8000/v1; nothing else is ever contacted
    model : the endpoint's name of the model
    journal : file of paid replies; a request found there is not sent. None: beside the cache of vectors
    seed : sent with every request; another seed is another question to the journal
    timeout_s : from sending a request to the end of its reply
    retries : times a request is sent again after what may pass (http_requests.py)
    wait_s : seconds before the first of them, twice as long each time, and as long as Retry-After says
    concurrency : requests under way at a time
    patience : requests in a row that may fail for good before no more are sent
    price_in, price_out : cost of a million tokens read and written, in any one currency
    options : further arguments of the call; None takes one of ours out

    `spent` holds what this judge was asked so far and what it took.
    """

    endpoint: str
    model: str
    journal: Path | None = None
    seed: int = 0
    timeout_s: float = 60.0
    retries: int = RETRIES
    wait_s: float = 1.0
    concurrency: int = 4
    patience: int = 10
    price_in: float = 0.0
    price_out: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.endpoint = checked_address(self.endpoint)
        if taken := sorted({"model", "messages", "stream", "n"} & set(self.options)):
            raise ModelError("an option of the judge is not free to set", found=", ".join(taken))
        self.spent = Spent()
        self._recipe = json.dumps([self.endpoint, self.model, self.seed, self.options], sort_keys=True)
        self._journal = Journal(Path(self.journal or cache.location().parent / "judge.sqlite"))
        self._patience = Patience(self.patience)
        self._stop, self._lock = threading.Event(), threading.Lock()

    def __reduce__(self):
        """Sent to another process, a judge is one with the same settings that has spent nothing yet."""
        return Judge, tuple(getattr(self, one.name) for one in fields(self))

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies, in the order of the requests; equal requests are sent once."""
        unique = sorted(set(requests))
        known = self.find_kept(unique)
        missing = [request for request in unique if request not in known]
        self._count(requests=len(unique), kept=len(known))
        if missing:
            self._stop.clear()
            self._door = Endpoint(self.endpoint, self.timeout_s)
            workers = ThreadPoolExecutor(self.concurrency)
            try:
                known |= zip(missing, workers.map(self._ask_until_whole, missing), strict=True)
            except BaseException:
                self._stop.set()
                raise
            finally:  # an interruption waits for what is under way: it is paid for and kept
                workers.shutdown(cancel_futures=True)
        provenance.model(name=self.model, file=self.endpoint, sha256="none: a remote model has no file")
        noted = {"event": "judge", "model": self.model, "endpoint": self.endpoint, "seen": len(requests)}
        provenance.append(noted | asdict(self.spent))
        return [known[request] for request in requests]

    def find_kept(self, requests: Iterable[Request]) -> dict[Request, Reply]:
        """The replies that the journal holds; nothing is sent."""
        keys = {request: request.key(self._recipe) for request in requests}
        found = self._journal.find(keys.values())
        return {request: found[key] for request, key in keys.items() if key in found}

    def _ask_until_whole(self, request: Request) -> Reply:
        attempts = retrying(self.retries, self.wait_s, self._stop)
        try:
            return attempts(self._ask_once, request)
        except NotAsked as ended:
            reason = f"not asked: {ended}"
        except Failure as failure:
            self._patience.failed(failure)
            times = attempts.statistics["attempt_number"]
            reason = f"{failure.reason} (asked {times} times)" if times > 1 else failure.reason
        self._count(failed=1)
        return Reply(None, reason)

    def _ask_once(self, request: Request) -> Reply:
        """Send a request, count it, and keep the reply."""
        if self._patience.ended or self._stop.is_set():
            raise NotAsked(self._patience.ended or "interrupted")
        self._count(sent=1)
        said = (("system", request.system), ("user", request.user))
        messages = [{"role": role, "content": replace_surrogates(text)} for role, text in said]
        ours = {"temperature": 0, "seed": self.seed, "max_tokens": request.max_tokens} | dict(self.options)
        given = {name: value for name, value in ours.items() if value is not None}
        try:
            reply = self._door.ask({"model": self.model, "messages": messages} | given)
        except Failure as failure:
            self._count(lost=failure.lost)
            raise
        tokens = {"tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out}
        cost = (reply.tokens_in * self.price_in + reply.tokens_out * self.price_out) / 1e6
        self._count(paid=1, seconds=reply.seconds, cost=cost, **tokens)
        with self._lock:
            self.spent.by = tuple(sorted({*self.spent.by, *filter(None, [reply.by])}))
        self._patience.succeeded()
        try:
            self._journal.keep(request.key(self._recipe), reply)
        except ModelError:
            self._stop.set()  # what cannot be kept must not be paid for
            raise
        return reply

    def _count(self, **counts: float) -> None:
        with self._lock:
            for name, count in counts.items():
                setattr(self.spent, name, getattr(self.spent, name) + count)


def make_judge(endpoint: str, model: str, **settings: Any) -> Judge | None:
    """The judge of these names, None where neither is given, a ModelError if one is; `settings` as in
    Judge.

    Example: `judge = make_judge("http://localhost:8000/v1", "my-model", seed=0)`
    """
    if bool(endpoint) != bool(model):
        raise ModelError(
            "a judge has an endpoint and a model", found=f"{endpoint!r}, {model!r}", do="name both, or none"
        )
    return Judge(endpoint, model, **settings) if endpoint else None


@dataclass
class DryRun:
    """Stands in for a judge: replies from its journal or else as supposed, and adds up the most that judging
    would take; nothing is sent.

    supposed : a reply after which most requests follow makes the sums the most there can be
    """

    judge: Judge
    supposed: Callable[[Request], str]
    seen: set[Request] = field(default_factory=set)
    calls: int = 0  # requests that would be sent; the others are in the journal and cost nothing
    tokens_in: int = 0  # counted with the kit's own tokenizer: a rough figure
    tokens_out: int = 0  # received if every reply were as long as it may be

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """Replies in the order of the requests."""
        kept = self.judge.find_kept(requests)
        new = {*requests} - self.seen
        self.seen |= new
        unpaid = new - kept.keys()
        self.calls += len(unpaid)
        texts = [replace_surrogates(part) for one in unpaid for part in (one.system, one.user)]
        self.tokens_in += sum(len(read.ids) for read in encoder.tokenizer().encode_batch(texts))
        self.tokens_out += sum(request.max_tokens for request in unpaid)
        return [kept.get(request) or Reply(self.supposed(request)) for request in requests]

    def __str__(self) -> str:
        kept = len(self.seen) - self.calls
        free = f" ({kept:,} more are in the journal)" if kept else ""
        return (
            f"at most {self.calls:,} calls{free}, about {self.tokens_in:,} tokens sent, "
            f"at most {self.tokens_out:,} received"
        )

    def cost(self, price_in: float, price_out: float) -> float:
        """The most it would cost, prices per million tokens."""
        return (self.tokens_in * price_in + self.tokens_out * price_out) / 1e6
