"""One thread within, what was before after it, and the pools are looked up when there may be others."""

import subprocess
import sys

import threadpoolctl
from sklearn.cluster import KMeans

from ragassay.stats.one_thread import one_thread


def threads() -> list[int]:
    assert KMeans
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]


def test_one_thread_within_and_what_was_before_after_it():
    with threadpoolctl.threadpool_limits(2):
        before = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == before and 2 in before


def test_a_pool_that_is_loaded_later_has_one_thread_too():
    """In a process of its own: torch brings a pool, and is not loaded when the pools are first looked up."""
    code = """
import threadpoolctl
from sklearn.cluster import KMeans
from ragassay.stats.one_thread import one_thread
with one_thread(): pass
import torch
torch.set_num_threads(2)
with one_thread(): print({pool["num_threads"] for pool in threadpoolctl.threadpool_info()})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{1}"


def test_the_pools_are_looked_up_once(monkeypatch):
    with one_thread():
        pass
    monkeypatch.delattr(threadpoolctl, "ThreadpoolController")
    with one_thread():
        pass
