"""A Ray cluster as the pool that scores parts: one process a worker, one thread and one encoder each."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ragassay.api import scoring_parts
from ragassay.api.parallel_scoring import Cluster, Work, score_parts
from ragassay.errors import ClusterError, KitError, ModelError, ParameterError, install

RETRIES = 2  # of a part whose worker died
AHEAD = 2  # parts a worker has at a time: one is on its way while another is scored
EVERY = 5.0  # seconds between two looks at the cluster's head
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
STORE = 256 * 2**20  # bytes of a cluster of this machine's for parts under way


class Worker:
    """A process of the cluster."""

    def __init__(self, work: Work):
        os.environ |= {"RAGASSAY_WORKERS": "1", "RAGASSAY_RUNTIME": work.runtime}
        self.work, self.checked = work, False

    def score(self, part: bytes) -> bytes:
        """The scores of a packed part, packed; before the first, errors as in `Work.check_models`."""
        if not self.checked:
            self.work.check_models()
            self.checked = True
        return self.work.score(part)


class Keeper(Protocol):
    """Where what workers give for parts is kept: `scoring_parts.Kept`, or another."""

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Keep what came of a part."""

    def finished(self) -> str:
        """How many parts are finished and where they are, in words."""


class RayPool:
    """Workers of a Ray cluster, which is reached or started when the first part is submitted."""

    def __init__(self, cluster: Cluster, work: Work, kept: Keeper):
        self.cluster, self.work, self.kept = cluster, work, kept
        self.unfinished: set[int] = set()
        self.running: dict[Any, tuple[int, str, Any]] = {}
        self.free: list[Any] = []
        self.ray: Any = None
        self.head = ""
        self.looked = 0.0

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
        if self.cluster.address not in ("", "auto"):
            check_head(self.cluster.address)
        ray = _import_ray()
        try:
            ray.init(**_options(self.cluster))
        except Exception as problem:  # Ray's own are of every kind
            raise _no_start(self.cluster, problem) from problem
        self.ray, self.head = ray, ray.get_runtime_context().gcs_address
        cores = int(ray.cluster_resources().get("CPU", 0))
        n = self.cluster.workers or cores
        if not 0 < n <= cores:
            raise ParameterError(
                "the cluster has fewer cores than workers", found=f"{n} workers, {cores} cores"
            )
        made = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(Worker)
        workers = [made.remote(self.work) for _ in range(n)]
        self.free = workers * AHEAD

    def _scores(self, one: Any, number: int) -> bytes:
        """What a worker gave for a part, or the error that it met."""
        errors = self.ray.exceptions
        with self._losses():
            try:
                return self.ray.get(one)
            except errors.RayTaskError as problem:
                raise (
                    problem.cause if isinstance(problem.cause, KitError) else _failed(number, problem)
                ) from problem
            except errors.RayActorError as problem:
                self._check_head(now=True)
                raise _died(number, problem, self._on()) from problem

    def _check_head(self, now: bool = False) -> None:
        """ClusterError if the head of the cluster does not answer."""
        if now or time.monotonic() - self.looked > EVERY:
            self.looked = time.monotonic()
            if not answers(self.head):
                raise self._lost("its head does not answer")

    @contextmanager
    def _losses(self) -> Iterator[None]:
        """Around what needs the cluster: its loss becomes a ClusterError."""
        errors = self.ray.exceptions
        try:
            yield
        except (errors.RaySystemError, errors.RpcError, ConnectionError) as problem:
            raise self._lost(str(problem).partition("\n")[0]) from problem

    def _lost(self, found: str) -> ClusterError:
        return ClusterError(
            "the Ray cluster was lost",
            where=self.head,
            found=found,
            expected="a head that answers",
            do=self._on(),
        )

    def _on(self) -> str:
        return (
            f"start the cluster and run the same command; {self.kept.finished()} and will not be scored again"
        )


def check_head(address: str) -> None:
    """ClusterError if nothing answers at the address of a cluster's head."""
    if not answers(address):
        raise ClusterError(
            "no Ray cluster can be reached",
            where=address,
            found="nothing answers there",
            expected="host:port of the head, as `ray start --head` says it",
            do="start the cluster, correct --address, or leave it out: a cluster on this machine",
        )


def answers(address: str, timeout: float = 5.0) -> bool:
    """Whether anything listens at host:port."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _import_ray() -> Any:
    os.environ.update(QUIET)
    try:
        import ray
    except ImportError as problem:
        what = "Ray is not installed"
        raise ModelError(what, found=problem, expected="the extra ray", do=install("ray")) from problem
    return ray


def _options(cluster: Cluster) -> dict[str, Any]:
    """The arguments of `ray.init`: no dashboard, no telemetry, nothing of the workers on the terminal."""
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "namespace": "ragassay"}
    if cluster.address:
        return quiet | {"address": cluster.address}
    n = cluster.workers or os.cpu_count() or 1
    return quiet | {
        "address": "local",
        "num_cpus": n,
        "include_dashboard": False,
        "object_store_memory": STORE,
    }


def _no_start(cluster: Cluster, problem: Exception) -> ClusterError:
    told = "a cluster that asks for a token: set RAY_AUTH_MODE=token; else " if cluster.address else ""
    return ClusterError(
        "the Ray cluster cannot be joined" if cluster.address else "no Ray cluster can be started here",
        where=cluster.address or "this machine",
        found=f"{type(problem).__name__}: {problem}",
        expected="the same versions of Python and Ray on all its machines, and seconds of free processor",
        do=f"{told}run the same command again when the machine is less busy, or score here: --executor local",
    )


def _failed(number: int, problem: Exception) -> ClusterError:
    return ClusterError(
        "a worker failed on a part of the answers",
        where=f"part {number}",
        found=str(problem).strip().rpartition("\n")[2],
        expected="scores, or an error of the kit's own",
        do="score that part here: --executor local",
    )


def _died(number: int, problem: Exception, do: str) -> ClusterError:
    return ClusterError(
        f"the worker died {RETRIES + 1} times on a part of the answers",
        where=f"part {number}, or the part before it on the same worker",
        found=str(problem).partition("\n")[0],
        expected="a worker with enough memory: name fewer (--workers), or smaller parts (--part)",
        do=do,
    )


@contextmanager
def scorer_on(cluster: Cluster, work: Work, out: Path) -> Iterator[Any]:
    """What turns batches of answers into their scores on the cluster; on the way out the cluster is left.

    What is kept beside `out` is removed once all went well.
    """
    kept = scoring_parts.Kept(scoring_parts.folder_beside(out))
    pool = RayPool(cluster, work, kept)
    try:
        yield partial(score_parts, recipe=work.recipe(), kept=kept, pool=pool)
        kept.remove()
    finally:
        pool.close()
