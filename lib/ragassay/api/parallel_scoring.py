"""Scoring in several processes: the cluster, the work on one part of the answers, and the scores of all parts
in the order of the answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from ragassay.api import scoring_parts
from ragassay.api.model_identities import identities
from ragassay.errors import ModelError, ParameterError
from ragassay.models import devices, model_files, onnx, user_models
from ragassay.scores.score import score_batches

PART = 1024  # answers
TRAVELS = ("model", "premise")  # settings that a worker can be told; a function or a connection stays here


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
            what, do = (
                "a cluster's scores need a file",
                "name one: --out (out=); finished parts are kept beside",
            )
            raise ParameterError(what, expected="a .parquet, .jsonl or .csv file", do=do)
        told = {**settings, **settings.get("instruments", {})}
        here = sorted(
            name
            for name in set(told) - {*TRAVELS, *user_models.NAMED, "instruments"}
            if told[name] is not None
        )
        if here:
            what, do = "this cannot travel to the processes of a cluster", "score here: --executor local"
            raise ParameterError(what, found=", ".join(here), expected=f"{', '.join(TRAVELS)}, models", do=do)


@dataclass(frozen=True)
class Work:
    """What every worker does: the metrics by name, the settings that travel, the models by name and hash.

    Parameters
    ----------
    named : models and device of the call, as `user_models.using` takes them
    encoder : the identities that `model_identities.identities` gives where the call was made
    batch : answers that a worker holds at once
    cases : what is known of the cases, packed
    runtime : torch, or what stands in its place
    """

    metrics: tuple[str, ...]
    settings: dict[str, Any]
    named: dict[str, str]
    encoder: dict[str, str]
    batch: int
    cases: bytes | None = field(default=None, repr=False)
    runtime: str = "torch"

    @classmethod
    def of(
        cls, metrics: list[str], cases: pd.DataFrame | None, settings: Mapping[str, Any], batch: int
    ) -> Work:
        """The work of a call, with the models that it would take here."""
        given = {name: settings[name] for name in TRAVELS if settings.get(name)}
        named = {kind: model_files.of_run(kind) for kind in (*model_files.OF_RUN, *model_files.DEVICE)}
        packed = None if cases is None else scoring_parts.pack(cases)
        return cls(tuple(metrics), given, named, identities(metrics, settings), batch, packed, onnx.runtime())

    def recipe(self) -> str:
        """What the scores depend on, as text; not the size of a batch, which changes no bit."""
        told = {name: value for name, value in asdict(self).items() if name not in ("batch", "cases")}
        return scoring_parts.recipe_of(**told, cases=scoring_parts.key_of(self.cases or b"", ""))

    def check_models(self) -> None:
        """ModelError if the models on this machine are other files than those of the call."""
        with user_models.using(**self.named):
            devices.check_device()
            found = identities(self.metrics, self.settings)
        if found != self.encoder:
            what, do = "a worker has other models than the call", "put the same model files on all machines"
            raise ModelError(what, found=found, expected=self.encoder, do=do)

    def score(self, part: bytes) -> bytes:
        """The scores of a packed part, packed: those `score_batches` gives for the same answers."""
        rows = scoring_parts.unpack(part)
        known = None if self.cases is None else scoring_parts.unpack(self.cases)
        batches = (rows.iloc[start : start + self.batch] for start in range(0, len(rows), self.batch))
        with user_models.using(**self.named):
            scored = list(score_batches(batches, metrics=self.metrics, cases=known, **self.settings))
        return scoring_parts.pack_scores(pd.concat(scored, ignore_index=True))


class Pool(Protocol):
    """Where parts are scored and kept, in any order; `unfinished` are the numbers of those under way."""

    unfinished: set[int]

    def submit(self, number: int, key: str, part: bytes) -> None:
        """Have a part scored; waits where too many are under way."""

    def collect(self) -> None:
        """Wait until a part is finished, and keep its scores."""


def score_parts(
    batches: Iterable[pd.DataFrame], recipe: str, kept: scoring_parts.Kept, pool: Pool
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, in order; what is finished already is not scored again.

    Of answers and scores only those of one part, and those under way in the pool, are in memory.
    """
    due: deque[tuple[int, str]] = deque()
    for number, rows in enumerate(batches):
        part = scoring_parts.pack(rows)
        due.append((number, scoring_parts.key_of(part, recipe)))
        if kept.read(*due[-1]) is None:
            pool.submit(*due[-1], part)
        yield from _finished(due, kept, pool)
    while due:
        pool.collect()
        yield from _finished(due, kept, pool)


def _finished(due: deque[tuple[int, str]], kept: scoring_parts.Kept, pool: Pool) -> Iterator[pd.DataFrame]:
    """The scores of the next parts, as far as they are finished."""
    while due and due[0][0] not in pool.unfinished:
        yield kept.scores(*due.popleft())
