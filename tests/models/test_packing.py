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


@given(st.lists(st.integers(1, 264), min_size=1, max_size=120))
def test_only_the_last_row_of_a_size_has_room_for_one_more(lengths):
    texts = [text(*range(length)) for length in lengths]
    rows = list(packing.packs(texts))
    for place, row in enumerate(rows):
        later = [n for other in rows[place + 1 :] for n in other]
        same = [
            lengths[n] for n in later if packing.row_length(texts[n]) == packing.row_length(texts[row[0]])
        ]
        room = packing.row_length(texts[row[0]]) - sum(lengths[n] for n in row)
        assert all(length > room for length in same)


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


@given(st.integers(1, 528), st.sampled_from(packing.ROWS), st.booleans())
def test_a_row_holds_its_texts_however_it_is_cut(held, length, exact):
    held = min(held, length)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packing, "same_bits", lambda shorter, length: exact)
        cut = packing.cut_length(held, length)
    assert held <= cut <= length and (cut % packing.STEP == 0 or cut == length)
    assert (exact and cut - held < packing.STEP) or cut == length


def test_a_cut_row_that_differs_in_a_bit_is_told(monkeypatch):
    """A layer whose numbers hang on the length of the row, as other machines' products may, gives none away."""
    packing.same_bits.cache_clear()
    states = torch.arange(528.0).view(1, 528, 1)
    layer = lambda part, seen, spans: part + part.shape[1] * 1e-3  # noqa: E731
    monkeypatch.setattr(packing, "_trial", lambda: (layer, states))
    assert not packing.same_bits(32, 256)
    packing.same_bits.cache_clear()
    monkeypatch.setattr(packing, "_trial", lambda: (lambda part, seen, spans: part, states))
    assert packing.same_bits(32, 256)
    packing.same_bits.cache_clear()


def test_a_text_that_two_items_share_is_read_once():
    network = Network()
    pairs = [Input([1, 2, 3], [0, 0, 1]), Input([1, 2, 4], [0, 0, 1])]

    def split(pair):
        return text(*pair.ids[:2]), text(*pair.ids[2:])

    (part,) = found(["a", "b"], pairs, network, split, lambda states, one: [s[:, 0].tolist() for s in states])
    assert part == {"a": [[1, 2], [3]], "b": [[1, 2], [4]]}
    assert sorted(own for row in network.rows for own in row) == [(1, 2), (3,), (4,)]


def test_results_come_in_parts(monkeypatch):
    monkeypatch.setattr(packing, "BLOCK", 4)
    parts = found(list(range(10)), [text(i + 1) for i in range(10)], Network())
    assert [len(part) for part in parts] == [4, 4, 2]
    assert {item: rows[0][0] for part in parts for item, rows in part.items()} == {
        i: i + 1 for i in range(10)
    }


@pytest.mark.parametrize("where", ["network", "judge"])
def test_an_error_is_raised(where):
    def fail(*_, **__):
        raise RuntimeError("no memory")

    given = {"network": fail} if where == "network" else {"network": Network(), "judge": fail}
    with pytest.raises(RuntimeError, match="no memory"):
        found([1], [text(1)], **given)
