"""Batches of fixed shape: every input once, at a padded length that holds it, and results in parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import deterministic_batching


@given(st.lists(st.integers(1, 400), max_size=80), st.sampled_from([64, 100, 256]))
def test_batches_hold_every_input_once_at_a_length_that_fits(lengths, limit):
    batches = list(deterministic_batching.batches(lengths, limit))
    assert sorted(place for places, _ in batches for place in places) == list(range(len(lengths)))
    assert all(0 < len(places) <= deterministic_batching.rows(length) for places, length in batches)
    assert all(
        min(lengths[place], limit) <= length <= limit for places, length in batches for place in places
    )


def test_results_belong_to_their_items_and_come_in_parts():
    items = [f"item {i}" for i in range(deterministic_batching.rows(16) * deterministic_batching.COMMIT + 5)]
    parts = list(
        deterministic_batching.compute_in_batches(
            items,
            items,
            [3] * len(items),
            16,
            lambda batch, length: [np.array([float(text.split()[1])]) for text in batch],
        )
    )
    assert [len(part) for part in parts] == [
        deterministic_batching.rows(16) * deterministic_batching.COMMIT,
        5,
    ]
    assert all(result[0] == float(item.split()[1]) for part in parts for item, result in part.items())


def test_an_error_in_a_batch_is_raised():
    def forward(batch, length):
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        list(deterministic_batching.compute_in_batches([1], [1], [1], 16, forward))
