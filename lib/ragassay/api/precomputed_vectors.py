"""What networks make of answers, computed by the workers of a cluster and put into this machine's cache: who
scores the same answers afterwards finds it there, and gets the same bits."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ragassay.api import scoring_parts
from ragassay.api.parallel_scoring import Cluster, Work
from ragassay.models import cache
from ragassay.scores.score import BATCH

Vectors = dict[bytes, Any]


@dataclass(frozen=True)
class AheadWork(Work):
    """Work that gives back, in place of the scores of a part, what networks made of its texts."""

    def score(self, part: bytes) -> bytes:
        """The results that scoring the part takes, packed."""
        with cache.gathered() as found:
            super().score(part)
        return pack(found)


@dataclass
class InCache:
    """In place of `scoring_parts.Kept`: what comes back goes into the cache of this machine."""

    parts: int = 0
    vectors: int = 0

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Take what a worker gives back."""
        vectors = unpack(scores)
        cache.put(vectors)
        self.parts, self.vectors = self.parts + 1, self.vectors + len(vectors)

    def finished(self) -> str:
        """How many parts are finished, in words."""
        return f"what {self.parts} parts of {BATCH} answers take is in the cache"


def compute(
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
    from ragassay.api.ray_cluster import RayPool

    cluster = replace(cluster, part=BATCH)
    found = InCache()
    pool = RayPool(cluster, AheadWork.of(metrics, cases, settings, BATCH), found)
    try:
        for number, start in enumerate(range(0, len(answers), cluster.part)):
            pool.submit(number, "", scoring_parts.pack(answers.iloc[start : start + cluster.part]))
        while pool.unfinished:
            pool.collect()
    finally:
        pool.close()
    return found.vectors


def pack(vectors: Vectors) -> bytes:
    """Vectors by key as a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"key": list(vectors), "vector": [one.astype(np.float32).tobytes() for one in vectors.values()]}
    file = io.BytesIO()
    schema = pa.schema([("key", pa.binary()), ("vector", pa.binary())])
    pq.write_table(pa.table(rows, schema), file, compression="zstd", use_dictionary=False)
    return file.getvalue()


def unpack(found: bytes) -> Vectors:
    """The vectors that were packed."""
    import pyarrow.parquet as pq

    rows = pq.read_table(io.BytesIO(found)).to_pydict()
    vectors = (np.frombuffer(one, dtype=np.float32) for one in rows["vector"])
    return dict(zip(rows["key"], vectors, strict=True))
