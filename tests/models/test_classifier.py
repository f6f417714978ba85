"""Judgements of pairs and texts, with a stand-in for the network: order, each input once, the distance to the hyperplane, what is refused."""

import numpy as np
import pytest
from small_heads import LABELS, write
from test_batching import TOKENIZER

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import classifier, head_file, load_instrument
from ragassay.models.load_instrument import Instrument, Loaded
from ragassay.models.toxic_terms import CATEGORIES, Hit

NORM = 4.0


@pytest.fixture
def computed(monkeypatch):
    """Stands in for every network: scores come from the token numbers alone. A list of how many were asked."""
    batches: list[int] = []

    def compute(inputs, labels):
        batches.append(len(inputs))
        return [np.array([np.sin(sum(one.ids) * (i + 1.0)) for i in range(len(labels))]) for one in inputs]

    def find_instrument(model, kind):
        identity = {"name": model, "file": "x", "sha256": model}
        loaded = Loaded(TOKENIZER, lambda inputs: compute(inputs, LABELS[kind]), NORM)
        return Instrument(identity, tuple(LABELS[kind]), 64, model, lambda: loaded)

    monkeypatch.setattr(load_instrument, "find_instrument", find_instrument)
    return batches


PAIRS = [
    ("The fee is 28 dollars.", "A fee is due."),
    ("It rains.", "It is dry."),
    ("The fee is 28 dollars.", "A fee is due."),
]


def test_the_hyperplane_by_hand(computed):
    """z is entailment's score less the mean of the two others', the distance z over the length of the weights."""
    found = models.entail(PAIRS[:1])
    sums = sum(TOKENIZER(*PAIRS[0])["input_ids"])
    e, n, c = (np.float32(np.sin(sums * i)) for i in (1.0, 2.0, 3.0))
    assert found.z[0] == pytest.approx(e - (n + c) / 2, abs=1e-6)
    assert found.distance[0] == pytest.approx(found.z[0] / NORM)
    assert found.probabilities[0] == pytest.approx(np.exp([e, n, c]) / np.exp([e, n, c]).sum(), abs=1e-6)


def test_each_pair_is_judged_once_and_order_is_kept(computed):
    found = models.entail(PAIRS)
    assert computed == [2]
    assert found.z[0] == found.z[2] != found.z[1]
    assert (models.entail(PAIRS[::-1]).z == found.z[::-1]).all()
    assert computed == [2]


def test_an_empty_text_is_refused(computed):
    with pytest.raises(ValueError, match="text 1 is empty"):
        models.acceptable(["full", ""])


@pytest.fixture
def vectors(monkeypatch):
    """Random unit vectors in the encoder's place; every seventh text holds an insult, every ninth a threat."""
    drawn = np.random.default_rng(0).normal(size=(200, 384)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)

    def inner_vectors(texts):
        return drawn[[int(text) for text in texts]]

    monkeypatch.setattr(classifier, "inner_vectors", inner_vectors)

    def find(text):
        every = (("threat", 9), ("insult", 7))
        return [Hit(category, 0, 1) for category, step in every if int(text) % step == 0]

    monkeypatch.setattr(classifier.toxic_terms, "find", find)
    of = {"insult": np.arange(200) % 7 == 0, "threat": np.arange(200) % 9 == 0}
    return np.column_stack([drawn, *(of.get(name, np.zeros(200)) for name in CATEGORIES)])


def test_toxicity_is_a_layer_on_inner_vectors_and_the_rule_of_terms(vectors, tmp_path):
    model = write(tmp_path, "sentence")
    layers = head_file.read(head_file.find_head(model)).layers
    scores = vectors @ layers["out.weight"].T + layers["out.bias"]
    found = models.toxic([str(i) for i in range(200)], model=model)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(scores[:, 0] - scores[:, 1])), atol=1e-5)


def test_a_head_not_shipped_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(head_file, "FOLDER", tmp_path)
    with pytest.raises(ModelError, match="'entailment' is not in this installation"):
        models.entail([("a", "b")])
