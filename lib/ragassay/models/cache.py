"""What a model has computed: each input once, ever, kept in one SQLite file that processes may share."""

import contextlib
import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragassay import loop_progress
from ragassay.errors import ModelError

BESIDE = "RAGASSAY_CACHE_BESIDE"  # another cache, read where this one does not know, never written
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)"  # WITHOUT ROWID reads slower
BLOCK = 512  # items computed between two writes
Item = TypeVar("Item", str, tuple[str, str])


def cached_compute(
    instrument: str, recipe: str, items: Iterable[Item], compute: Callable[[list[Item]], Sequence[NDArray]]
) -> dict[Item, NDArray]:
    """The result of every item, float32: from the cache where it is known, into the cache where it is not.

    Parameters
    ----------
    instrument : the name under which progress is told
    recipe : what beside an item decides its result, for its key in the cache
    items : texts, or pairs of texts
    compute : unique items, shortest first -> the result of each; at most BLOCK, which are kept before the
        next are asked for
    """
    keys = {item: key(recipe, item) for item in items}
    stored = get(keys.values())
    known = {item: stored[own] for item, own in keys.items() if own in stored}
    missing = [item for item in keys if item not in known]
    missing.sort(key=lambda item: len(item if isinstance(item, str) else item[0]))
    blocks = [missing[start : start + BLOCK] for start in range(0, len(missing), BLOCK)]
    for block in loop_progress.track_items(f"inputs read ({instrument})", blocks, len(missing), sizes=True):
        results = [np.asarray(result, dtype=np.float32) for result in compute(block)]
        put({keys[item]: result for item, result in zip(block, results, strict=True)})
        known |= zip(block, results, strict=True)
    return known


def key(recipe: str, item: str | tuple[str, str]) -> bytes:
    """Content address of one text, or pair of texts, under one recipe (a model's hash and how it reads)."""
    text = item if isinstance(item, str) else f"{len(item[0])}\0{item[0]}{item[1]}"
    return hashlib.sha256(f"{recipe}\0{text}".encode("utf-8", "surrogatepass")).digest()


def location() -> Path:
    """Where the cache is: RAGASSAY_CACHE, or the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("RAGASSAY_CACHE") or platformdirs.user_cache_dir("ragassay"), "vectors.sqlite")


def get(keys: Iterable[bytes]) -> dict[bytes, np.ndarray]:
    """The vectors known for these keys, float32; an absent key is left out.

    Raises
    ------
    ModelError
        If the file is no cache of ours, is damaged or cannot be used: no permission, a full disk.
    """
    wanted = sorted(keys)  # neighbours in the file are read together
    try:
        with _open() as connection:
            found = _select(connection, wanted)
    except (OSError, sqlite3.Error) as problem:
        raise ModelError(
            "the cache of vectors cannot be used",
            where=location(),
            found=problem,
            do="delete the file, make room, or name another folder in RAGASSAY_CACHE",
        ) from problem
    beside, missing = os.environ.get(BESIDE), [key for key in wanted if key not in found]
    if missing and beside:
        with contextlib.suppress(sqlite3.Error):
            uri = f"{Path(beside).absolute().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
                found |= _select(connection, missing)
    return found


def _select(connection: sqlite3.Connection, wanted: list[bytes]) -> dict[bytes, np.ndarray]:
    query = "SELECT vector FROM vectors WHERE key = ?"
    rows = ((key, vector) for key in wanted for (vector,) in connection.execute(query, (key,)))
    return {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}


def put(vectors: dict[bytes, np.ndarray]) -> None:
    """Keep these vectors, all or none; the first value under a key stays. A full disk is reported only."""
    rows = ((k, np.asarray(v, dtype=np.float32).tobytes()) for k, v in vectors.items())
    try:
        with _open() as connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
    except (OSError, sqlite3.Error) as problem:
        print(f"ragassay: {len(vectors)} vectors not cached at {location()}: {problem}", file=sys.stderr)


@contextlib.contextmanager
def _open() -> Iterator[sqlite3.Connection]:
    path = location()
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path, timeout=60)) as connection:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(TABLE)
        with connection:
            yield connection
