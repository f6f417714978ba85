"""The encoder's speed: read until the time is over, and nothing of it stays in the cache."""

import os

import numpy as np
import pytest

from ragassay.models import encoder_speed


@pytest.fixture
def clock(monkeypatch):
    """An encoder that takes a second for 64 sentences."""
    now, caches = [0.0], set()

    def encode(texts):
        now[0] += len(texts) / 64
        caches.add(os.environ["RAGASSAY_CACHE"])
        return np.zeros((len(texts), 3))

    monkeypatch.setattr(encoder_speed.encoder, "encode", encode)
    monkeypatch.setattr(encoder_speed.time, "perf_counter", lambda: now[0])
    return caches


@pytest.mark.parametrize("n, seconds, read", [(1000, 3.0, 256), (100, 3.0, 99), (1000, 0.1, 128)])
def test_it_reads_until_the_time_is_over_or_none_is_left(clock, n, seconds, read):
    before = os.environ["RAGASSAY_CACHE"]
    assert encoder_speed.sentences_a_second(list(map(str, range(n))), seconds) == (pytest.approx(64), read)
    assert (
        os.environ["RAGASSAY_CACHE"] == before and before not in clock and not any(map(os.path.exists, clock))
    )
