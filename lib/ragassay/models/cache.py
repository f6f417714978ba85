"""Vectors already computed, in one SQLite file that several processes may share."""

import contextlib
import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ragassay.errors import ModelError

VARIABLES = 500  # SQLite's limit on bound values per statement is 999 in old builds


def location() -> Path:
    """Where the cache is: RAGASSAY_CACHE, or the user's cache folder."""
    import platformdirs

    return (
        Path(os.environ.get("RAGASSAY_CACHE") or platformdirs.user_cache_dir("ragassay")) / "vectors.sqlite"
    )


def key(model: str, text: str) -> bytes:
    """Content address of one text under one model (its hash and recipe); 32 bytes."""
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "surrogatepass")).digest()


def get(keys: Iterable[bytes]) -> dict[bytes, np.ndarray]:
    """The vectors known for these keys, float32; an absent key is left out.

    Raises
    ------
    ModelError
        If the file is no cache of ours or is damaged.
    """
    wanted = sorted(keys)  # neighbours in the file are read together
    found: dict[bytes, np.ndarray] = {}
    with _open() as connection:
        for start in range(0, len(wanted), VARIABLES):
            part = wanted[start : start + VARIABLES]
            rows = connection.execute(
                f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(part))})", part
            )
            found.update((bytes(k), np.frombuffer(v, dtype=np.float32)) for k, v in rows)
    return found


def put(vectors: dict[bytes, np.ndarray]) -> None:
    """Keep these vectors, all or none; the first value stored under a key stays. A full disk is reported, and the run goes on."""
    rows = [(k, np.asarray(v, dtype=np.float32).tobytes()) for k, v in vectors.items()]
    try:
        with _open() as connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
    except sqlite3.OperationalError as problem:
        print(
            f"ragassay: {len(rows)} vectors not cached ({problem}); they will be computed again: {location()}",
            file=sys.stderr,
        )


@contextlib.contextmanager
def _open() -> Iterator[sqlite3.Connection]:
    path = location()
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=60)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
        )
        with connection:
            yield connection
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as problem:
        raise ModelError(
            "the cache of vectors is damaged",
            where=path,
            found=problem,
            do="delete the file; it will be made anew",
        ) from problem
    finally:
        connection.close()
