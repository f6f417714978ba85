"""Batches of fixed shape: every input once, at a padded length that holds it, and results in parts."""

import time

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


def test_a_batch_holds_as_many_tokens_as_its_rows_allow():
    assert [deterministic_batching.rows(length) for length in (16, 100, 256, 512, 4000)] == [32, 5, 2, 1, 1]


def test_every_batch_has_the_size_of_its_length_or_one_input():
    sizes = []

    def forward(batch, length):
        sizes.append((len(batch), length))
        return [np.array([float(i)]) for i in batch]

    for alone in (False, True):
        found = {
            i: row[0]
            for part in deterministic_batching.compute_in_batches(
                range(5), range(5), [10] * 5, 64, forward, one_per_batch=alone
            )
            for i, row in part.items()
        }
        assert found == {i: float(i) for i in range(5)}
    assert sizes == [(32, 16)] + [(1, 16)] * 5


def test_shorter_inputs_come_first():
    assert [length for _, length in deterministic_batching.batches([100, 5, 30], 256)] == [16, 32, 112]


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


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_results_do_not_depend_on_the_number_of_workers(workers, monkeypatch):
    monkeypatch.setattr(deterministic_batching, "WORKERS", workers)
    items = list(range(300))
    lengths = [1 + i % 40 for i in items]

    def forward(batch, length):
        time.sleep(0.001 * (length % 3))
        return [np.array([i, length]) for i in batch]

    found = {
        item: row.tolist()
        for part in deterministic_batching.compute_in_batches(items, items, lengths, 40, forward)
        for item, row in part.items()
    }
    assert found == {i: [i, next(shape for shape in (16, 24, 32, 40) if shape >= lengths[i])] for i in items}


def test_an_error_in_a_batch_is_raised():
    def forward(batch, length):
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        list(deterministic_batching.compute_in_batches([1], [1], [1], 16, forward))
