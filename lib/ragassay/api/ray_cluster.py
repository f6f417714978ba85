"""A Ray cluster as the pool that scores parts: one process a worker, one thread and one encoder each; what
networks make of answers may come back into the cache here, so that who scores them next computes nothing."""

import io
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ragassay.api.parallel_scoring import Cluster, Kept, Work, pack, score_parts
from ragassay.errors import ClusterError, KitError, ModelError, ParameterError, install
from ragassay.models import cache
from ragassay.scores.score import BATCH

RETRIES = 2  # of a part whose worker died
AHEAD = 2  # parts a worker has at a time: one is on its way while another is scored
EVERY = 5.0  # seconds of waiting after which the cluster's head is looked at
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
STORE = 256 * 2**20  # bytes of a cluster of this machine's for parts under way


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


class Keeper(Protocol):
    """Where what workers give for parts is kept: `Kept`, or another."""

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Keep what came of a part."""

    def finished(self) -> str:
        """How many parts are finished and where they are."""


class RayPool:
    """Workers of a Ray cluster, which is reached or started when the first part is submitted."""

    def __init__(self, cluster: Cluster, work: Work, kept: Keeper):
        self.cluster, self.work, self.kept = cluster, work, kept
        self.unfinished: set[int] = set()
        self.running: dict[Any, tuple[int, str, Any]] = {}
        self.free: list[Any] = []
        self.ray: Any = None
        self.head = ""

    def submit(self, number: int, key: str, part: bytes) -> None:
        """Have a part scored by a worker that has room."""
        if self.ray is None:
            self._start()
        while not self.free:
            self.collect()
        worker = self.free.pop()
        self.unfinished.add(number)
        with self._losses():
            self.running[worker.score.remote(part)] = (number, key, worker)

    def collect(self) -> None:
        """Keep the scores of the parts that are finished; waits for one."""
        done: list[Any] = []
        while not done:
            with self._losses():
                done, _ = self.ray.wait(list(self.running), timeout=EVERY)
            self._check_head()
        for one in done:
            number, key, worker = self.running.pop(one)
            self.kept.write(number, key, self._scores(one, number))
            self.unfinished.discard(number)
            self.free.append(worker)

    def close(self) -> None:
        """Leave the cluster, or end the one that was started."""
        if self.ray is not None:
            self.ray.shutdown()
            self.ray = None

    def _start(self) -> None:
        if self.cluster.address not in ("", "auto") and not answers(self.cluster.address):
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
        self.free = [made.remote(self.work) for _ in range(n)] * AHEAD

    def _scores(self, one: Any, number: int) -> bytes:
        """What a worker gave for a part, or the error that it met."""
        errors, where = self.ray.exceptions, f"part {number}"
        with self._losses():
            try:
                return self.ray.get(one)
            except errors.RayTaskError as problem:
                if isinstance(problem.cause, KitError):
                    raise problem.cause from problem
                found = str(problem).strip().rpartition("\n")[2]
                raise self._error("a worker failed on a part of the answers", found, where) from problem
            except errors.RayActorError as problem:
                self._check_head()
                what = f"the worker died {RETRIES + 1} times: fewer --workers or smaller --part may help"
                raise self._error(what, str(problem).partition("\n")[0], where) from problem

    def _check_head(self) -> None:
        """ClusterError if the head of the cluster does not answer."""
        if not answers(self.head):
            raise self._error("the Ray cluster was lost", "its head does not answer", self.head)

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
        return ClusterError(
            what,
            where=where,
            found=found,
            expected="a head that answers (host:port), the same Python and Ray on all machines; "
            "RAY_AUTH_MODE=token where it asks for a token",
            do=f"start the cluster and run the same command; {self.kept.finished()} and will not be scored "
            "again; or score here: --executor local",
        )


def answers(address: str, timeout: float = 5.0) -> bool:
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

    What is kept beside `out` is removed once all went well.
    """
    kept = Kept.beside(out)
    pool = RayPool(cluster, work, kept)
    try:
        yield partial(score_parts, work=work, kept=kept, pool=pool)
        kept.remove()
    finally:
        pool.close()


@dataclass(frozen=True)
class AheadWork(Work):
    """Work that gives back, in place of the scores of a part, what networks made of its texts."""

    def score(self, part: bytes) -> bytes:
        """The vectors that scoring the part takes, as `numpy.savez` packs them."""
        with cache.gathered() as found:
            super().score(part)
        file = io.BytesIO()
        arrays: dict[str, Any] = {key.hex(): vector.astype(np.float32) for key, vector in found.items()}
        np.savez_compressed(file, **arrays)
        return file.getvalue()


@dataclass
class InCache:
    """In place of `Kept`: what comes back goes into the cache of this machine."""

    parts: int = 0
    vectors: int = 0

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Take what a worker gives back."""
        with np.load(io.BytesIO(scores)) as found:
            vectors = {bytes.fromhex(name): found[name] for name in found.files}
        cache.put(vectors)
        self.parts, self.vectors = self.parts + 1, self.vectors + len(vectors)

    def finished(self) -> str:
        """How many parts are finished."""
        return f"what {self.parts} parts of {BATCH} answers take is in the cache"


def compute_ahead(
    answers: pd.DataFrame,
    cases: pd.DataFrame,
    metrics: list[str],
    cluster: Cluster,
    settings: Mapping[str, Any],
) -> int:
    """Have a cluster compute what scoring these answers takes of networks; how many results came.

    A part is small, for it comes back as vectors, 1.5 kB each and more.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached, is lost, or fails. What came stays in the cache.
    """
    found = InCache()
    pool = RayPool(replace(cluster, part=BATCH), AheadWork.of(metrics, cases, settings, BATCH), found)
    try:
        for number, start in enumerate(range(0, len(answers), BATCH)):
            pool.submit(number, "", pack(answers.iloc[start : start + BATCH]))
        while pool.unfinished:
            pool.collect()
    finally:
        pool.close()
    return found.vectors
