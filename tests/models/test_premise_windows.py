"""A whole context as premise: by hand, nothing lost, nothing cut that fits."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from ragassay.models import classifier, encoder, load_instrument, tokenization

TOKENIZER = AutoTokenizer.from_pretrained(str(encoder.folder()))


@pytest.fixture
def limit(monkeypatch):
    """Lets the entailment network read so many tokens, in two heads of which one reads more."""

    def set_limit(tokens: int) -> None:
        head = SimpleNamespace(limit=tokens, load=lambda: SimpleNamespace(tokenizer=TOKENIZER))
        monkeypatch.setattr(load_instrument, "find_instrument", lambda model, kind: head)

    return set_limit


@pytest.mark.parametrize(
    "lengths, room, found",
    [
        ([3, 3, 3], 9, [(0, 3)]),
        ([3, 3, 3], 8, [(0, 2), (2, 3)]),
        ([2, 9, 2, 2], 5, [(0, 1), (1, 2), (2, 4)]),
        ([9], 5, [(0, 1)]),
        ([], 5, []),
    ],
)
def test_neighbours_go_together_while_there_is_room(lengths, room, found):
    assert classifier.spans(lengths, room) == found


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 40))
def test_every_sentence_is_in_one_piece_and_no_piece_could_take_the_next(lengths, room):
    found = classifier.spans(lengths, room)
    assert [place for start, stop in found for place in range(start, stop)] == list(range(len(lengths)))
    assert all(sum(lengths[start:stop]) <= room or stop - start == 1 for start, stop in found)
    assert all(sum(lengths[start : stop + 1]) > room for start, stop in found[:-1])


def test_a_context_is_one_premise_exactly_as_long_as_the_network_reads_it_all(limit):
    """[CLS] 4 x 4 tokens [SEP] 2 tokens [SEP]: 21 tokens."""
    those, said = ("fee fee fee fee",) * 4, "fee fee"
    limit(21)
    assert classifier.premise_spans([(those, said)]) == [[(0, 4)]]
    read = tokenization.tokenize_pairs(TOKENIZER, [(" ".join(those), said)], 21)[0]
    assert len(read.ids) == 21 and len(read.ids) - sum(read.types) - 2 == 16
    limit(20)
    assert classifier.premise_spans([(those, said), (those[:1], said)]) == [[(0, 3), (3, 4)], [(0, 1)]]
