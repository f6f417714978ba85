"""A local model named for support: its label found or refused, the piece of a context that supports most, how a context is cut, and the metric in place of the logistic model."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_batching import TOKENIZER

import ragassay
from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models
from ragassay.models import batching, classifier, load_instrument

FEE, WIRE = "The fee is 28 dollars.", "A wire leaves the same day."


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    monkeypatch.delenv("RAGASSAY_SUPPORT", raising=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models") / "support", ["unsupported", "supported"])


def test_a_context_that_fits_is_read_whole(folder):
    whole = models.supported([((f"{FEE} {WIRE}",), "A fee is due.")], folder)
    np.testing.assert_array_equal(models.supported([((FEE, WIRE), "A fee is due.")], folder), whole)


def test_of_a_context_in_pieces_the_one_that_supports_most_counts(folder, monkeypatch):
    context = tuple(
        f"Fee {number} is {number} dollars and it is due on day {number}." for number in range(90)
    )
    instrument = load_instrument.find_instrument(folder, "support")
    cut = classifier._spans_that_fit([(context, "A fee is due.")], instrument)[0]
    assert len(cut) > 2
    pieces = models.supported([(context[a:b], "A fee is due.") for a, b in cut], folder)
    found = models.supported([(context, "A fee is due."), ((WIRE,), "It stays.")], folder)
    assert found[0] == pieces.max() and found[1] == models.supported([((WIRE,), "It stays.")], folder)[0]


ANSWERS = [
    {
        "case_id": "c",
        "system": "s",
        "question": "What is the fee?",
        "answer": f"{FEE} It stays.",
        "contexts": [FEE, WIRE],
    },
    {"case_id": "d", "system": "s", "question": "Why?", "answer": "So.", "contexts": []},
]


def test_the_metric_is_the_least_support_of_a_sentence_by_the_whole_context(folder):
    table = ragassay.score(ANSWERS, metrics=["support"], support=folder).to_pandas()
    each = models.supported([((FEE, WIRE), FEE), ((FEE, WIRE), "It stays.")], folder)
    assert table.value[0] == pytest.approx(each.min(), abs=1e-6)
    assert table.state[1] == "not_applicable" and np.isnan(table.value[1])


def test_it_needs_no_encoder_of_ours(folder, tmp_path):
    """The logistic model is measured on our encoder alone; a named one reads texts."""
    own = save_tiny_encoder(tmp_path / "own")
    states = [
        ragassay.score(ANSWERS[:1], metrics=["support"], model=own, **named).to_pandas().state[0]
        for named in ({}, {"support": folder})
    ]
    assert states == ["not_measured", "scored"]


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
    read = batching.tokenize_pairs(TOKENIZER, [(" ".join(those), said)], 21)[0]
    assert len(read.ids) == 21 and len(read.ids) - sum(read.types) - 2 == 16
    limit(20)
    assert classifier.premise_spans([(those, said), (those[:1], said)]) == [[(0, 3), (3, 4)], [(0, 1)]]
