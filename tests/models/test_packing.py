"""Packed rows: every text once, in a row that holds it; shared texts read once; results in parts, each with its item."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models import packing
from ragassay.models.tokenization import Input


def text(*ids):
    return Input(list(ids), [0] * len(ids))


@given(st.lists(st.integers(1, 264), max_size=120))
def test_rows_hold_every_text_once_and_no_more_than_fits(lengths):
    texts = [text(*range(length)) for length in lengths]
    rows = list(packing.packs(texts))
    assert sorted(place for row in rows for place in row) == list(range(len(texts)))
    for row in rows:
        size = {packing.row_length(texts[place]) for place in row}
        assert len(size) == 1 and sum(len(texts[place].ids) for place in row) <= size.pop()


class Network:
    """Stands in for the encoder: a token's state is its number, its place in its text, and its row's width."""

    def __init__(self):
        self.rows = []

    def __call__(self, input_ids, token_type_ids, position_ids, spans):
        self.rows.append([tuple(input_ids[0, first:end].tolist()) for first, end in spans])
        width = torch.full_like(input_ids, input_ids.shape[1])
        return torch.stack([input_ids, position_ids, width], dim=2).float()


def found(items, inputs, network, split=lambda one: (one,), judge=None):
    judge = judge or (lambda states, one: states[0].numpy())
    return list(packing.compute_in_packs(items, inputs, network, split, judge))


@pytest.mark.parametrize("exact", [True, False])
def test_a_text_has_its_own_tokens_positions_and_width_of_row(exact, monkeypatch):
    """A row that is not full is cut to what it holds, but only where that gives the same bits."""
    monkeypatch.setattr(packing, "same_bits", lambda shorter, length: exact)
    long = text(*range(100, 170))
    (part,) = found(["a", "b", "c"], [text(5, 6), text(7), long], Network())
    short, wide = (32, 96) if exact else packing.ROWS
    assert part["a"].tolist() == [[5, 0, short], [6, 1, short]] and part["b"].tolist() == [[7, 0, short]]
    assert part["c"].tolist() == [[100 + i, i, wide] for i in range(70)]
