"""One thread within, what was before after it, and the pools are looked up when there may be others."""

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
