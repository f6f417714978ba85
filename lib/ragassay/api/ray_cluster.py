"""Scoring on a Ray cluster: parts of the answers go to its processes, one thread and one encoder each.

Finished parts are kept in a folder and never scored twice. For a sealed notebook the results of networks come
into the cache here instead."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import models, output_files
from ragassay.errors import ClusterError, KitError, ModelError, OutputError, ParameterError, install
from ragassay.models import devices, model_files, user_models
from ragassay.scores import METRICS, judges_of
from ragassay.scores.prepared_answer import LISTS, OTHERS, TEXTS
from ragassay.scores.score import parts_of, score_batches

PART = 1024  # answers
TRAVELS = ("model", "premise")  # settings that a worker can be told; a function or a connection stays here
READ = ("case_id", "system", *TEXTS, *LISTS, *OTHERS)  # columns that scoring reads
RETRIES = 2  # of a part whose worker died
AHEAD = 2  # parts a worker has at a time: one is on its way while another is scored
EVERY = 5.0  # seconds of waiting after which the cluster's head is looked at
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
STORE = 256 * 2**20  # bytes of a cluster of this machine's for parts under way
REACHABLE = "host:port of a head that answers; the same Python and Ray; RAY_AUTH_MODE=token"


@dataclass(frozen=True)
class Cluster:
    """Where `ragassay.score` computes: the processes of a Ray cluster, one thread and one encoder each.

    Parameters
    ----------
    address : host:port of the cluster's head; empty starts a cluster on this machine, for this call
    workers : processes; 0 is one for each core of the cluster
    part : answers that are scored, kept and counted together
    """

    address: str = ""
    workers: int = 0
    part: int = PART

    def check(self, out: str | Path | None, settings: Mapping[str, Any]) -> None:
        """ParameterError if this cannot be done by a cluster, before anything is read."""
        if self.part < 1 or self.workers < 0:
            found = f"part={self.part}, workers={self.workers}"
            raise ParameterError(
                "there is no such cluster", found=found, expected="part from 1, workers from 0"
            )
        if out is None:
            what, do = "a cluster's scores need a file", "name one: --out; finished parts are kept beside"
            raise ParameterError(what, expected="a .parquet, .jsonl or .csv file", do=do)
        given = {**settings, **settings.get("instruments", {})}
        travels = {*TRAVELS, *user_models.NAMED, "instruments"}
        if here := sorted(name for name in set(given) - travels if given[name] is not None):
            what, do = "this cannot travel to the processes of a cluster", "score here: --executor local"
            raise ParameterError(what, found=", ".join(here), expected=f"{', '.join(TRAVELS)}, models", do=do)


@dataclass(frozen=True)
class Work:
    """What every worker does: the metrics by name, the settings that travel, the models by name and hash.

    Parameters
    ----------
    named : models and device of the call, as `user_models.using` takes them
    encoder : what `identities` gives where the call was made
    batch : answers that a worker holds at once
    cases : what is known of the cases, packed
    """

    metrics: tuple[str, ...]
    settings: dict[str, Any]
    named: dict[str, str]
    encoder: dict[str, str]
    batch: int
    cases: bytes | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, metrics: list[str], cases: pd.DataFrame | None, settings: Mapping[str, Any], batch: int
    ) -> Work:
        """The work of a call, with the models that it would take here."""
        given = {name: settings[name] for name in TRAVELS if settings.get(name)}
        named = {kind: model_files.of_run(kind) for kind in (*model_files.OF_RUN, *model_files.DEVICE)}
        packed = None if cases is None else pack(cases)
        return cls(tuple(metrics), given, named, identities(metrics, settings), batch, packed)

    def key(self, part: bytes) -> str:
        """A part's hash: its answers, and all that its scores depend on; not the size of a batch."""
        recipe = {name: value for name, value in asdict(self).items() if name not in ("batch", "cases")}
        found = hashlib.sha256(json.dumps(recipe | {"code": code_hash()}, sort_keys=True).encode())
        found.update(b"\0" + (self.cases or b"") + b"\0" + part)
        return found.hexdigest()[:24]

    def check_models(self) -> None:
        """ModelError if the models on this machine are other files than those of the call."""
        with user_models.using(**self.named):
            devices.check_device()
            found = identities(self.metrics, self.settings)
        if found != self.encoder:
            what, do = "a worker has other models than the call", "put the same model files on all machines"
            raise ModelError(what, found=found, expected=self.encoder, do=do)

    def score(self, part: bytes) -> bytes:
        """The scores of a packed part as Parquet: those `score_batches` gives for the same answers."""
        rows = unpack(part)
        known = None if self.cases is None else unpack(self.cases)
        batches = (rows.iloc[start : start + self.batch] for start in range(0, len(rows), self.batch))
        with user_models.using(**self.named):
            scored = list(score_batches(batches, metrics=self.metrics, cases=known, **self.settings))
        file = io.BytesIO()
        pd.concat(scored, ignore_index=True).to_parquet(file, index=False, compression="zstd")
        return file.getvalue()


def identities(names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, str]:
    """The identity of the encoder that these metrics need, nothing where none does, or another function
    replaces it; and the hashes of the models named in place of the kit's.
    """
    replaced = settings.get("encode") or "encode" in (settings.get("instruments") or {})
    needed = any("encoder" in METRICS[name].models for name in parts_of(names))
    encoder = models.identity(settings.get("model", "")) if needed and not replaced else {}
    return encoder | user_models.hashes(sorted({kind for name in names for kind in judges_of(name)}))


@cache
def code_hash() -> str:
    """SHA-256 of the kit's source files."""
    room = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(room.rglob("*.py")):
        found.update(str(path.relative_to(room)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def pack(rows: pd.DataFrame) -> bytes:
    """The columns of answers (or cases) that scoring reads, as JSON; `unpack` gives rows that score to the
    same bits."""
    columns = {name: rows[name].tolist() for name in READ if name in rows}
    return json.dumps(columns, default=_plain).encode()


def unpack(part: bytes) -> pd.DataFrame:
    """The rows that were packed; a value that scoring cannot read is still one, though another."""
    return pd.DataFrame(json.loads(part), dtype=object)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else [0]


class Workers:
    """The processes of a Ray cluster, which is reached or started when the first part is submitted.

    Parameters
    ----------
    finished : says what is kept already, for the error of a cluster that is lost
    """

    def __init__(self, cluster: Cluster, work: Work, finished: Callable[[], str]):
        self.cluster, self.work, self.finished = cluster, work, finished
        self.at_once = 0  # parts under way at a time, once the cluster is there
        self.ray: Any = None
        self.head = ""
        self.free: deque[Any] = deque()

    def submit(self, part: bytes) -> Any:
        """Have a packed part scored by the next worker; a promise of its scores."""
        if self.ray is None:
            self._start()
        self.free.rotate()
        with self._losses():
            return self.free[0].remote(part)

    def result(self, promise: Any, number: int) -> bytes:
        """What a worker gave for a part, or the error that it met; waits for it."""
        errors, where = self.ray.exceptions, f"part {number}"
        done: list[Any] = []
        with self._losses():
            while not done:
                done, _ = self.ray.wait([promise], timeout=EVERY)
                self.check_head()
            try:
                return self.ray.get(promise)
            except errors.RayTaskError as problem:
                if isinstance(problem.cause, KitError):
                    raise problem.cause from problem
                found = str(problem).strip().rpartition("\n")[2]
                raise self._error("a worker failed on a part of the answers", found, where) from problem
            except errors.RayActorError as problem:
                self.check_head()
                what = f"the worker died {RETRIES + 1} times: fewer --workers may help"
                raise self._error(what, str(problem).partition("\n")[0], where) from problem

    def close(self) -> None:
        """Leave the cluster, or end the one that was started."""
        if self.ray is not None:
            self.ray.shutdown()
            self.ray = None

    def check_head(self) -> None:
        """ClusterError if the head of the cluster does not answer."""
        if not is_listening(self.head):
            raise self._error("the Ray cluster was lost", "its head does not answer", self.head)

    def _start(self) -> None:
        if self.cluster.address not in ("", "auto") and not is_listening(self.cluster.address):
            raise self._error("no Ray cluster can be reached", "nothing answers there", self.cluster.address)
        os.environ.update(QUIET)
        try:
            import ray
        except ImportError as problem:
            what = "Ray is not installed"
            raise ModelError(what, found=problem, expected="the extra ray", do=install("ray")) from problem
        try:
            ray.init(**_options(self.cluster))
        except Exception as problem:  # Ray's own are of every kind
            found, where = f"{type(problem).__name__}: {problem}", self.cluster.address or "this machine"
            raise self._error("the Ray cluster cannot be joined or started", found, where) from problem
        self.ray, self.head = ray, ray.get_runtime_context().gcs_address
        cores = int(ray.cluster_resources().get("CPU", 0))
        n = self.cluster.workers or cores
        if not 0 < n <= cores:
            found = f"{n} workers, {cores} cores"
            raise ParameterError("the cluster has fewer cores than workers", found=found)
        made = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(Worker)
        self.free = deque(made.remote(self.work).score for _ in range(n))
        self.at_once = n * AHEAD

    @contextmanager
    def _losses(self) -> Iterator[None]:
        """Around what needs the cluster: its loss becomes a ClusterError."""
        errors = self.ray.exceptions
        try:
            yield
        except (errors.RaySystemError, errors.RpcError, ConnectionError) as problem:
            found = str(problem).partition("\n")[0]
            raise self._error("the Ray cluster was lost", found, self.head) from problem

    def _error(self, what: str, found: str, where: str) -> ClusterError:
        do = f"start the cluster and run the same command; {self.finished()}; or --executor local"
        return ClusterError(what, where=where, found=found, expected=REACHABLE, do=do)


class Worker:
    """A process of the cluster."""

    def __init__(self, work: Work):
        os.environ["RAGASSAY_WORKERS"] = "1"
        self.work, self.checked = work, False

    def score(self, part: bytes) -> bytes:
        """The scores of a packed part; before the first, errors as in `Work.check_models`."""
        if not self.checked:
            self.work.check_models()
            self.checked = True
        return self.work.score(part)


def is_listening(address: str, timeout: float = 5.0) -> bool:
    """Whether anything listens at host:port."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _options(cluster: Cluster) -> dict[str, Any]:
    """The arguments of `ray.init`: no dashboard, no telemetry, nothing of the workers on the terminal."""
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "ragassay"}
    if cluster.address:
        return quiet | {"address": cluster.address}
    own = {"address": "local", "include_dashboard": False, "object_store_memory": STORE}
    return quiet | own | {"num_cpus": cluster.workers or os.cpu_count() or 1}


@contextmanager
def scorer_on(cluster: Cluster, work: Work, out: Path) -> Iterator[Any]:
    """What turns batches of answers into their scores on the cluster; on the way out the cluster is left.

    Finished parts are kept beside `out`, a Parquet file each, and removed once all went well.
    """
    kept = out.with_name(f"{out.name}.parts")
    workers = Workers(cluster, work, lambda: f"{len(list(kept.glob('*.parquet')))} parts are kept in {kept}")
    try:
        yield partial(score_parts, work=work, kept=kept, workers=workers)
        shutil.rmtree(kept, ignore_errors=True)
    finally:
        workers.close()


def score_parts(
    batches: Iterable[pd.DataFrame], work: Work, kept: Path, workers: Workers
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, in order; what is kept in the folder already is not scored again.

    Of answers and scores only those under way are in memory.
    """
    due: deque[tuple[int, Path, Any]] = deque()
    for number, rows in enumerate(batches):
        part = pack(rows)
        place = kept / f"{number:07}-{work.key(part)}.parquet"
        due.append((number, place, None if _read_part(place) is not None else workers.submit(part)))
        while due and (due[0][2] is None or len(due) > workers.at_once):
            yield _finished(*due.popleft(), workers)
    while due:
        yield _finished(*due.popleft(), workers)


def _finished(number: int, place: Path, promise: Any, workers: Workers) -> pd.DataFrame:
    """The scores of a part, kept from now on: its file appears whole, or not at all."""
    if promise is not None:
        scores = workers.result(promise, number)
        with output_files.refusals(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            draft = place.with_suffix(f".draft{os.getpid()}")
            draft.write_bytes(scores)
            draft.replace(place)
    found = _read_part(place)
    if found is None:
        what, do = "the scores of a finished part cannot be read", "run the same command again"
        raise OutputError(what, where=place, expected="the file, unchanged", do=do)
    return found


def _read_part(place: Path) -> pd.DataFrame | None:
    """The scores of a part; None if it is not finished, or its file cannot be read."""
    try:
        found = pd.read_parquet(place)
    except (OSError, ValueError):  # pyarrow's own errors are of the two
        return None
    return found.astype({name: object for name in found if name != "value"})
