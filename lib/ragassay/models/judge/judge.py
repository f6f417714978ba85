"""The judge: asks an endpoint, each request until a whole reply came, and then never again."""

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.errors import ModelError
from ragassay.models import cache
from ragassay.models.judge.endpoint import Endpoint, checked_address
from ragassay.models.judge.journal import Account, Journal, Spent
from ragassay.models.judge.messages import Reply, Request
from ragassay.models.tokenization import replace_surrogates
from ragassay.web.addresses import host_and_port
from ragassay.web.retries import Failure, NotAsked, Patience, retrying

RESERVED = {"model", "messages", "stream", "n", "extra_headers", "extra_query"}


@dataclass
class Judge:
    """Ask a named language model: requests in, replies out, in the same order; a failed one has the reason.

    A reply is kept in the journal before it is used, so that a run killed at any moment goes on without
    paying for it again; at most the `concurrency` requests then under way are lost. Two processes that judge
    the same answers at once may both pay.

    Parameters
    ----------
    endpoint : address of the API, such as http://localhost:8000/v1; nothing else is ever contacted
    model : the endpoint's name of the model
    journal : file of paid replies; a request found there is not sent. None keeps it beside the cache of
        vectors.
    seed : sent with every request; another seed is another question to the journal
    timeout_s : from sending a request to the end of its reply
    retries : times a request is sent again after 408, 409, 425, 429, 5xx, a timeout, a lost connection, a
        broken reply
    wait_s : seconds before the first of them, twice as long each time, and as long as Retry-After says (to
        300 s)
    concurrency : requests under way at a time
    patience : requests in a row that may fail for good before no more are sent; 401 to 404 and redirections
        end it
    price_in, price_out : cost of a million tokens read and written, in any one currency
    options : further arguments of the call, such as {"response_format": {"type": "json_object"}}; None takes
        one of ours out
    """

    endpoint: str
    model: str
    journal: Path | None = None
    seed: int = 0
    timeout_s: float = 60.0
    retries: int = 4
    wait_s: float = 1.0
    concurrency: int = 4
    patience: int = 10
    price_in: float = 0.0
    price_out: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.endpoint = checked_address(self.endpoint)
        _check(self)
        self._journal = Journal(self.journal or cache.location().parent / "judge.sqlite")
        self._account, self._patience = Account(self.price_in, self.price_out), Patience(self.patience)
        self._stop = threading.Event()

    def __reduce__(self):
        """Sent to another process, a judge is one with the same settings that has spent nothing yet."""
        return Judge, tuple(getattr(self, one.name) for one in fields(self))

    @property
    def spent(self) -> Spent:
        """What this judge was asked so far and what it took."""
        return self._account.total

    @property
    def host(self) -> str:
        """host:port of the endpoint: what a sealed run must permit."""
        return host_and_port(self.endpoint)

    def __call__(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies, in the order of the requests; equal requests are sent once.

        Raises
        ------
        ModelError
            If the journal cannot be used.
        """
        unique = sorted(set(requests))
        known = self.find_kept(unique)
        missing = [request for request in unique if request not in known]
        self._account.add(requests=len(unique), kept=len(known))
        replies = known | (self._ask_all(missing) if missing else {})
        self._note(len(requests))
        return [replies[request] for request in requests]

    def find_kept(self, requests: Iterable[Request]) -> dict[Request, Reply]:
        """The replies that the journal holds; nothing is sent."""
        keys = {request: request.key(self._recipe()) for request in requests}
        found = self._journal.find(keys.values())
        return {request: found[key] for request, key in keys.items() if key in found}

    @cached_property
    def _door(self) -> Endpoint:
        return Endpoint(self.endpoint, self.timeout_s)

    def _ask_all(self, requests: list[Request]) -> dict[Request, Reply]:
        """Ask several at a time. An interruption sends no more, and waits for what is under way: it is paid
        for and kept.
        """
        self._stop.clear()
        door, workers = self._door, ThreadPoolExecutor(self.concurrency)
        try:
            return dict(
                zip(requests, workers.map(partial(self._ask_until_whole, door), requests), strict=True)
            )
        except BaseException:
            self._stop.set()
            raise
        finally:
            workers.shutdown(cancel_futures=True)

    def _ask_until_whole(self, door: Endpoint, request: Request) -> Reply:
        """Ask until a whole reply came; what fails for good is a failed reply, never an exception."""
        attempts = retrying(self.retries, self.wait_s, self._stop)
        try:
            return attempts(self._ask_once, door, request)
        except NotAsked as ended:
            return self._failed(f"not asked: {ended}")
        except Failure as failure:
            self._patience.failed(failure)
            times = attempts.statistics["attempt_number"]
            return self._failed(f"{failure.reason} (asked {times} times)" if times > 1 else failure.reason)

    def _ask_once(self, door: Endpoint, request: Request) -> Reply:
        """Send a request, count it, and keep the reply."""
        if self._patience.ended or self._stop.is_set():
            raise NotAsked(self._patience.ended or "interrupted")
        self._account.add(sent=1)
        try:
            reply = door.ask(self._arguments(request))
        except Failure as failure:
            self._account.add(lost=failure.lost)
            raise
        self._account.pay(reply)
        self._patience.succeeded()
        try:
            self._journal.keep(request.key(self._recipe()), reply)
        except ModelError:
            self._stop.set()  # what cannot be kept must not be paid for
            raise
        return reply

    def _failed(self, reason: str) -> Reply:
        self._account.add(failed=1)
        return Reply(None, reason)

    def _arguments(self, request: Request) -> dict[str, Any]:
        messages = [
            {"role": "system", "content": replace_surrogates(request.system)},
            {"role": "user", "content": replace_surrogates(request.user)},
        ]
        fixed = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "seed": self.seed,
            "max_tokens": request.max_tokens,
        }
        return {name: value for name, value in {**fixed, **self.options}.items() if value is not None}

    def _recipe(self) -> str:
        return json.dumps([self.endpoint, self.model, self.seed, self.options], sort_keys=True)

    def _note(self, seen: int) -> None:
        """Note the judge and what it took, for the manifest and the report."""
        provenance.model(name=self.model, file=self.endpoint, sha256="none: a remote model has no file")
        spent = asdict(self.spent)
        provenance.append(
            {"event": "judge", "model": self.model, "endpoint": self.endpoint, "seen": seen, **spent}
        )


def make_judge(endpoint: str, model: str, **settings: Any) -> Judge | None:
    """The judge of these names, None where neither is given; `settings` as in Judge.

    Raises
    ------
    ModelError
        If only one of the two is given, or the settings are out of range.
    """
    if bool(endpoint) != bool(model):
        raise ModelError(
            "a judge has an endpoint and a model",
            found=f"endpoint {endpoint!r}, model {model!r}",
            do="name both: the address of the API and its name of the model",
        )
    return Judge(endpoint, model, **settings) if endpoint else None


def _check(judge: Judge) -> None:
    fine = (
        judge.concurrency >= 1
        and judge.retries >= 0
        and judge.patience >= 1
        and judge.timeout_s > 0
        and judge.wait_s >= 0
    )
    if not fine or min(judge.price_in, judge.price_out) < 0:
        expected = "concurrency, patience and timeout_s above 0, the rest not below"
        raise ModelError("the judge's settings are out of range", found=judge, expected=expected)
    taken = sorted(RESERVED & set(judge.options))
    if taken:
        raise ModelError("an option of the judge is not free to set", found=", ".join(taken))
    try:
        json.dumps(dict(judge.options))
    except (TypeError, ValueError) as problem:
        raise ModelError("an option of the judge cannot be sent as JSON", found=problem) from problem
