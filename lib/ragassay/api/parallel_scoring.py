"""Scoring in several processes: the work on one part of the answers, the scores of finished parts kept in a
folder, and all of them in the order of the answers. A part is scored once."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ragassay import models, output_files
from ragassay.errors import ModelError, OutputError, ParameterError
from ragassay.models import devices, model_files, user_models
from ragassay.scores import METRICS, derived_metrics, judges_of
from ragassay.scores.prepared_answer import LISTS, OTHERS, TEXTS
from ragassay.scores.score import score_batches

PART = 1024  # answers
TRAVELS = ("model", "premise")  # settings that a worker can be told; a function or a connection stays here
READ = ("case_id", "system", *TEXTS, *LISTS, *OTHERS)  # columns that scoring reads


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
    needed = any("encoder" in METRICS[name].models for name in derived_metrics.parts_of(names))
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


@dataclass(frozen=True)
class Kept:
    """The scores of finished parts, a Parquet file each, in a folder beside the file of all scores."""

    folder: Path

    @classmethod
    def beside(cls, out: Path) -> Kept:
        """Those of a file of scores to be written."""
        return cls(out.with_name(f"{out.name}.parts"))

    def path(self, number: int, key: str) -> Path:
        """Where the scores of a part are kept."""
        return self.folder / f"{number:07}-{key}.parquet"

    def read(self, number: int, key: str) -> pd.DataFrame | None:
        """The scores of a part; None if it is not finished, or its file cannot be read."""
        try:
            found = pd.read_parquet(self.path(number, key))
        except (OSError, ValueError):  # pyarrow's own errors are of the two
            return None
        return found.astype({name: object for name in found if name != "value"})

    def scores(self, number: int, key: str) -> pd.DataFrame:
        """The scores of a part that is finished; OutputError if its file is gone or damaged."""
        found = self.read(number, key)
        if found is None:
            what, do = "the scores of a finished part cannot be read", "run the same command again"
            raise OutputError(what, where=self.path(number, key), expected="the file, unchanged", do=do)
        return found

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Keep the scores of a part: the file appears whole, also where several processes write it."""
        place = self.path(number, key)
        with output_files.refusals(place):
            self.folder.mkdir(parents=True, exist_ok=True)
            draft = place.with_suffix(f".draft{os.getpid()}")
            draft.write_bytes(scores)
            draft.replace(place)

    def finished(self) -> str:
        """How many parts are finished and where they are."""
        return f"{len(list(self.folder.glob('*.parquet')))} parts are finished in {self.folder}"

    def remove(self) -> None:
        """Remove the folder: what was kept is in the file of all scores."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Pool(Protocol):
    """Where parts are scored and kept, in any order; `unfinished` are the numbers of those under way."""

    unfinished: set[int]

    def submit(self, number: int, key: str, part: bytes) -> None:
        """Have a part scored; waits where too many are under way."""

    def collect(self) -> None:
        """Wait until a part is finished, and keep its scores."""


def score_parts(
    batches: Iterable[pd.DataFrame], work: Work, kept: Kept, pool: Pool
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, in order; what is finished already is not scored again.

    Of answers and scores only those of one part, and those under way in the pool, are in memory.
    """
    due: deque[tuple[int, str]] = deque()
    for number, rows in enumerate(batches):
        part = pack(rows)
        due.append((number, work.key(part)))
        if kept.read(*due[-1]) is None:
            pool.submit(*due[-1], part)
        yield from _finished(due, kept, pool)
    while due:
        pool.collect()
        yield from _finished(due, kept, pool)


def _finished(due: deque[tuple[int, str]], kept: Kept, pool: Pool) -> Iterator[pd.DataFrame]:
    """The scores of the next parts, as far as they are finished."""
    while due and due[0][0] not in pool.unfinished:
        yield kept.scores(*due.popleft())
