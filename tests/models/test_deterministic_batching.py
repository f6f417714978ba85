"""Batches of fixed shape: every input once, at a padded length that holds it, each read once."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import deterministic_batching
from ragassay.models.tokenization import Input


@given(st.lists(st.integers(1, 400), max_size=80), st.sampled_from([64, 100, 256]))
def test_batches_hold_every_input_once_at_a_length_that_fits(lengths, limit):
    batches = list(deterministic_batching.batches(lengths, limit, 512))
    assert sorted(place for places, *_ in batches for place in places) == list(range(len(lengths)))
    for places, length, rows in batches:
        assert 0 < len(places) <= rows and (rows * length <= 512 or rows == 1)
        assert all(min(lengths[place], limit) <= length <= limit for place in places)


def test_an_error_in_a_batch_is_raised():
    def forward(batch, length):
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        deterministic_batching.compute_in_batches([Input((1,), (0,))], 16, forward)


def test_states_belong_to_their_texts_and_each_text_is_read_once():
    """Stands in for the network: a token's states are its number, after two layers."""
    read = []

    class Network(torch.nn.Linear):
        device = "cpu"

        def forward(self, input_ids, attention_mask, token_type_ids, output_hidden_states):
            lengths = attention_mask.sum(1).tolist()
            read.extend({tuple(ids[:n].tolist()) for ids, n in zip(input_ids, lengths, strict=True)})
            state = input_ids.unsqueeze(-1).float()
            return SimpleNamespace(hidden_states=[state, state * 10])

    texts = [Input((number, 3), (0, 0)) for number in range(50)] + [Input((7,) * 9, (0,) * 9)]
    found = deterministic_batching.compute_states([*texts, texts[0]], Network(1, 1), 16, (0, 1))
    assert {one: states.tolist() for one, states in found.items()} == {
        one: [[number, number * 10.0] for number in one.ids] for one in texts
    }
    assert len(found) == len(texts) and sorted(set(read)) == sorted(one.ids for one in texts)
