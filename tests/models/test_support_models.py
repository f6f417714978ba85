"""A local model named for support: its label found or refused, the piece of a context that supports most, and the metric in place of the logistic model."""

import numpy as np
import pytest

import ragassay
from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models
from ragassay.models import classifier, load_instrument

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
