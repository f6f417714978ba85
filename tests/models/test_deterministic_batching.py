"""Batches of fixed shape: every input once, at a padded length that holds it, and results in parts."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import deterministic_batching
from ragassay.models.tokenization import Input

ROWS = deterministic_batching.TOKENS // 16 * deterministic_batching.COMMIT  # of length 16 between two writes


@given(st.lists(st.integers(1, 400), max_size=80), st.sampled_from([64, 100, 256]))
def test_batches_hold_every_input_once_at_a_length_that_fits(lengths, limit):
    batches = list(deterministic_batching.batches(lengths, limit, 512))
    assert sorted(place for places, *_ in batches for place in places) == list(range(len(lengths)))
    for places, length, rows in batches:
        assert 0 < len(places) <= rows and (rows * length <= 512 or rows == 1)
        assert all(min(lengths[place], limit) <= length <= limit for place in places)


def test_results_belong_to_their_items_and_come_in_parts():
    items = [f"item {i}" for i in range(ROWS + 5)]

    def forward(batch, length):
        return [np.array([float(text.split()[1])]) for text in batch]

    lengths = [3] * len(items)
    parts = list(deterministic_batching.compute_in_batches(items, items, lengths, 16, forward))
    assert [len(part) for part in parts] == [ROWS, 5]
    assert all(result[0] == float(item.split()[1]) for part in parts for item, result in part.items())


def test_an_error_in_a_batch_is_raised():
    def forward(batch, length):
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        list(deterministic_batching.compute_in_batches([1], [1], [1], 16, forward))


def test_a_text_that_pairs_share_is_read_once_and_longer_work_comes_in_blocks(monkeypatch):
    """Stands in for the network: a token's states are its number after each layer, and the length of its row."""
    monkeypatch.setattr(deterministic_batching, "BLOCK", 6)
    read = []

    class Network(torch.nn.Linear):
        def forward(self, input_ids, attention_mask, token_type_ids, output_hidden_states):
            lengths = attention_mask.sum(1).tolist()
            read.extend({tuple(ids[:n].tolist()) for ids, n in zip(input_ids, lengths, strict=True)})
            state = input_ids.unsqueeze(-1).float()
            return SimpleNamespace(hidden_states=[state, state * 10])

    pairs = [Input([1, 2, 3], [0, 0, 1]), Input([1, 2, 4], [0, 0, 1]), Input([5, 3], [0, 1])]
    parts = list(
        deterministic_batching.compute_states(
            ["a", "b", "c"],
            pairs,
            Network(1, 1),
            16,
            lambda states: np.array([float(one.sum()) for one in states]),
            split=lambda pair: (Input(pair.ids[:-1], pair.types[:-1]), Input(pair.ids[-1:], [0])),
            layers=(0, 1),
        )
    )
    assert [list(part) for part in parts] == [["a", "b"], ["c"]]
    assert {item: sums.tolist() for part in parts for item, sums in part.items()} == {
        "a": [33, 33],
        "b": [33, 44],
        "c": [55, 33],
    }
    assert sorted(read) == [(1, 2), (3,), (3,), (4,), (5,)]
