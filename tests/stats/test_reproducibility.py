"""Random streams by name; one thread within, what was before after it."""

import threadpoolctl
from sklearn.cluster import KMeans

from ragassay.stats import one_thread, random_stream


def test_streams_depend_on_their_name_alone():
    one, again, other = (random_stream(7, name).random() for name in ("a", "a", "b"))
    assert one == again != other


def threads() -> list[int]:
    assert KMeans
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]


def test_one_thread_within_and_what_was_before_after_it():
    with threadpoolctl.threadpool_limits(2):
        before = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == before and 2 in before
