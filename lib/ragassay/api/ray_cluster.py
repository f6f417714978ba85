"""Scoring on a Ray cluster: parts of the answers go to its processes, one thread and one encoder each;
finished parts are kept in a folder and never scored twice."""

import os
import socket
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from ragassay import models, output_files, provenance
from ragassay.errors import ClusterError, KitError, ModelError, ParameterError, install
from ragassay.models import batching, load_instrument, model_files
from ragassay.scores import METRICS, judges_of
from ragassay.scores.score import parts_of, score_batches

TRAVELS = ("model", "premise")  # settings that a worker can be told; a function or a connection stays here
EVERY = 5.0  # seconds of waiting after which the cluster's head is looked at


@dataclass(frozen=True)
class Cluster:
    """Where `ragassay.score` computes: the processes of a Ray cluster, one thread and one encoder each.

    address : host:port of the cluster's head; empty starts a cluster on this machine, for this call
    workers : processes; 0 is one for each core of the cluster
    part : answers that are scored, kept and counted together
    """

    address: str = ""
    workers: int = 0
    part: int = 1024

    def check(self, out: str | Path | None, settings: Mapping[str, Any]) -> None:
        """ParameterError if this cannot be done by a cluster, before anything is read."""
        if self.part < 1 or self.workers < 0 or out is None:
            raise ParameterError(
                "no work for a cluster", found=f"{self}, out={out}", expected="part >= 1, workers >= 0, --out"
            )
        given = {**settings, **settings.get("instruments", {})}
        travels = {*TRAVELS, *load_instrument.NAMED, "instruments"}
        if here := sorted(name for name in set(given) - travels if given[name] is not None):
            raise ParameterError("this cannot travel to a cluster", found=", ".join(here), do="score without")


@dataclass(frozen=True)
class Work:
    """What every worker does: the metrics by name, the settings that travel, the models and device (of
    `load_instrument.use_models`), what `identities` gives here, the answers that a worker holds at once."""

    metrics: tuple[str, ...]
    settings: dict[str, Any]
    named: dict[str, str]
    encoder: dict[str, str]
    batch: int
    cases: pd.DataFrame | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, metrics: list[str], cases: pd.DataFrame | None, settings: Mapping[str, Any], batch: int
    ) -> "Work":
        """The work of a call, with the models that it would take here."""
        given = {name: settings[name] for name in TRAVELS if settings.get(name)}
        named = {kind: model_files.of_run(kind) for kind in model_files.OF_RUN}
        return cls(tuple(metrics), given, named, identities(metrics, settings), batch, cases)

    def key(self, answers: pd.DataFrame) -> str:
        """A part's hash: its answers, and all that its scores depend on; not the size of a batch."""
        return joblib.hash([self._recipe, answers])

    @cached_property
    def _recipe(self) -> str:
        made_of = [self.metrics, self.settings, self.named, self.encoder, self.cases]
        return joblib.hash([*made_of, provenance.sha256_of(Path(__file__).parents[1])])

    def score(self, answers: pd.DataFrame) -> pd.DataFrame:
        """The scores of a part; ModelError if the models here are other files than those of the call."""
        batches = (answers.iloc[start : start + self.batch] for start in range(0, len(answers), self.batch))
        with load_instrument.use_models(**self.named):
            batching.check_device()
            if (found := identities(self.metrics, self.settings)) != self.encoder:
                raise ModelError("a worker has other models", found=found, expected=self.encoder)
            scored = list(score_batches(batches, metrics=self.metrics, cases=self.cases, **self.settings))
        return pd.concat(scored, ignore_index=True)


def identities(names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, str]:
    """The identity of the encoder that these metrics need, where none replaces it; and the hashes of the
    models named in place of the kit's."""
    replaced = settings.get("encode") or "encode" in (settings.get("instruments") or {})
    needed = any("encoder" in METRICS[name].models for name in parts_of(names))
    encoder = models.identity(settings.get("model", "")) if needed and not replaced else {}
    return encoder | load_instrument.hashes(sorted({kind for name in names for kind in judges_of(name)}))


def score_parts(
    batches: Iterable[pd.DataFrame], *, cluster: Cluster, work: Work, kept: Path
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, in order; what is kept in the folder already is not scored again. Of answers
    and scores only those under way are in memory."""
    workers = Workers(cluster, work, kept)
    due: deque[tuple[int, Path, Any]] = deque()

    def finish_first() -> pd.DataFrame:  # its scores are kept from now on
        number, place, promise = due.popleft()
        if promise is not None:
            scores = workers.result(promise, number)
            with output_files.draft(place) as draft, output_files.refusals(place):
                scores.to_parquet(draft, index=False, compression="zstd")
        return pd.read_parquet(place)

    try:
        for number, rows in enumerate(batches):
            place = kept / f"{number:07}-{work.key(rows)}.parquet"
            try:
                pd.read_parquet(place)
                due.append((number, place, None))
            except (OSError, ValueError):  # not there or broken: pyarrow's own errors are of the two
                due.append((number, place, workers.submit(rows)))
            while due and (due[0][2] is None or len(due) > workers.at_once):
                yield finish_first()
        while due:
            yield finish_first()
    finally:
        workers.close()


class Workers:
    """The processes of a Ray cluster, which is reached or started for them."""

    def __init__(self, cluster: Cluster, work: Work, kept: Path):
        self.kept, self.head = kept, cluster.address
        options: dict[str, Any] = {"address": self.head}
        if self.head:
            self.check_head()
        else:
            n = cluster.workers or os.cpu_count()
            options = {"address": "local", "include_dashboard": False, "num_cpus": n}
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DEDUP_LOGS="0", RAY_ENABLE_UV_RUN_RUNTIME_ENV="0")
        try:
            import ray
        except ImportError:
            raise ModelError("Ray is not installed", expected="the extra ray", do=install("ray")) from None
        try:
            ray.init(log_to_driver=False, logging_level="ERROR", namespace="ragassay", **options)
        except Exception as problem:  # Ray's own are of every kind
            raise self._error("the Ray cluster cannot be joined or started", problem) from problem
        self.ray, self.head = ray, ray.get_runtime_context().gcs_address
        # parts under way at a time
        self.at_once = cluster.workers or int(ray.cluster_resources().get("CPU", 1))
        self.work_there = ray.put(work)
        self.task = ray.remote(num_cpus=1, max_retries=2)(_score)

    def submit(self, part: pd.DataFrame) -> Any:
        """Have a part scored by the next process that is free; a promise of its scores."""
        return self.task.remote(self.work_there, part)

    def result(self, promise: Any, number: int) -> pd.DataFrame:
        """What a worker gave for a part, or the error that it met; waits for it."""
        try:
            while not self.ray.wait([promise], timeout=EVERY)[0]:
                self.check_head()
            return self.ray.get(promise)
        except self.ray.exceptions.RayTaskError as problem:
            if isinstance(problem.cause, KitError):
                raise problem.cause from problem
            raise self._error(f"a worker failed on part {number} of the answers", problem) from problem
        except (self.ray.exceptions.RayError, ConnectionError) as problem:
            raise self._error(f"part {number} was lost with its worker: fewer may help", problem) from problem

    def close(self) -> None:
        """Leave the cluster, or end the one that was started."""
        self.ray.shutdown()

    def check_head(self) -> None:
        """ClusterError if the head of the cluster does not answer: Ray itself would end this process."""
        host, _, port = self.head.removeprefix("ray://").rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), EVERY).close()
        except (OSError, ValueError, OverflowError) as problem:
            raise self._error("the Ray cluster does not answer", problem) from problem

    def _error(self, what: str, problem: Exception) -> ClusterError:
        n, found = len(list(self.kept.glob("*.parquet"))), str(problem).strip().rpartition("\n")[2]
        do = f"run the same command again; {n} parts are kept in {self.kept}"
        expected = "host:port of a head that answers; the same Python and Ray; RAY_AUTH_MODE=token"
        return ClusterError(what, where=self.head, found=found, expected=expected, do=do)


def _score(work: Work, part: pd.DataFrame) -> pd.DataFrame:
    """In a process of the cluster: the scores of a part."""
    os.environ["RAGASSAY_WORKERS"] = "1"
    return work.score(part)
