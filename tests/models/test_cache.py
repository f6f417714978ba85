"""The cache of vectors: what goes in comes out, the first value stays, two processes share it, damage and a full disk are said."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragassay.errors import ModelError
from ragassay.models import cache


def test_what_goes_in_comes_out(rng):
    vectors = {cache.key("m", str(i)): rng.normal(size=4).astype(np.float32) for i in range(1200)}
    cache.put(vectors)
    found = cache.get(vectors)
    assert found.keys() == vectors.keys()
    assert all((found[k] == vectors[k]).all() for k in vectors)


@pytest.mark.slow
def test_what_is_put_into_a_new_cache_at_the_same_moment_is_kept(tmp_path, monkeypatch):
    for place in range(30):
        monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / str(place)))
        keys = [cache.key("m", str(i)) for i in range(4)]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(put_together, keys, [threading.Barrier(4)] * 4))
        assert len(cache.get(keys)) == 4


def put_together(key, start):
    start.wait()
    cache.put({key: np.ones(3)})


def test_a_full_disk_is_said_and_the_run_goes_on(monkeypatch, capsys):
    class Full(sqlite3.Connection):
        def executemany(self, *arguments):
            raise sqlite3.OperationalError("database or disk is full")

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Full, **k))
    cache.put({cache.key("m", "text"): np.ones(2)})
    assert "database or disk is full" in capsys.readouterr().err


@pytest.mark.parametrize("blocked", ["a file in the folder's place", "a folder in the file's place"])
def test_a_cache_that_cannot_be_used_is_said(blocked):
    place = cache.location()
    if blocked.startswith("a file"):
        place.parent.write_text("")
    else:
        place.mkdir(parents=True)
    with pytest.raises(ModelError, match="RAGASSAY_CACHE"):
        cache.get([b"x" * 32])


def test_another_cache_is_read_and_never_written(tmp_path, monkeypatch):
    """As an assistant's process reads the examiner's: what it does not know itself."""
    cache.put({b"a" * 32: np.ones(2)})
    theirs = cache.location()
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("RAGASSAY_CACHE_BESIDE", str(theirs))
    cache.put({b"b" * 32: np.zeros(2)})
    assert {key[:1] for key in cache.get([b"a" * 32, b"b" * 32, b"c" * 32])} == {b"a", b"b"}
    monkeypatch.setenv("RAGASSAY_CACHE", str(theirs.parent))
    assert cache.get([b"b" * 32]) == {}
    monkeypatch.setenv("RAGASSAY_CACHE_BESIDE", str(tmp_path / "nowhere"))
    assert list(cache.get([b"a" * 32, b"c" * 32])) == [b"a" * 32]
