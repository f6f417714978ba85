"""The real network under small random heads: as training sees it, the same bits in any company."""

import sys
from pathlib import Path

import numpy as np
import pytest
from small_heads import write

from ragassay import models
from ragassay.models import cache, encoder, head_file

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
TEXTS = [
    f"Sentence number {i} of the schedule says that the fee is ${i}.00{' a month' * (i % 7)}."
    for i in range(40)
]
PAIRS = [(f"{text} {TEXTS[i - 1]}", text) for i, text in enumerate(TEXTS)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def as_trained(tmp_path):
    """The encoder and a pair head as training/network.py builds them, with the numbers of a file."""
    sys.path.insert(0, str(ROOT / "training"))
    import torch
    from safetensors.numpy import load_file
    from transformers import AutoModel

    import network

    class Trained(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = network.adapt(AutoModel.from_pretrained(str(encoder.folder())), rank=2)
            self.head = network.PairHead(hidden=8)

        def forward(self, read):
            return self.head(
                self.encoder(**read).last_hidden_state, read["token_type_ids"], read["attention_mask"]
            )

    model = write(tmp_path, "pair", hidden=8)
    trained = Trained().eval()
    arrays = {
        (f"encoder.{name}" if name.startswith("encoder") else name): torch.tensor(value).float()
        for name, value in load_file(model).items()
    }
    assert not trained.load_state_dict(arrays, strict=False).unexpected_keys
    yield model, trained
    sys.path.remove(str(ROOT / "training"))


def test_entailment_is_what_the_training_network_says(as_trained):
    import torch
    from transformers import AutoTokenizer

    model, trained = as_trained
    tokenizer = AutoTokenizer.from_pretrained(str(encoder.folder()))
    found = models.entail(PAIRS[:8], model=model)
    for place, pair in enumerate(PAIRS[:8]):
        with torch.inference_mode():
            read = tokenizer(*pair, return_tensors="pt", truncation="only_first", max_length=64)
            scores = trained(read)[0].double().numpy()
            states = trained.encoder(**read).last_hidden_state
            x = features(trained.head, states, read)
        weights, biases = (
            value.detach().double().numpy() for value in (trained.head.out.weight, trained.head.out.bias)
        )
        w, b = weights[0] - weights[1:].mean(axis=0), biases[0] - biases[1:].mean()
        np.testing.assert_allclose(
            found.probabilities[place], np.exp(scores) / np.exp(scores).sum(), atol=1e-5
        )
        assert found.z[place] == pytest.approx(w @ x + b, abs=1e-4)
        assert found.distance[place] == pytest.approx((w @ x + b) / np.linalg.norm(w), abs=1e-4)


def features(head, states, read):
    """What the last layer reads: tanh of the dense layer over the pair."""
    import torch

    mask, types = read["attention_mask"][0].bool(), read["token_type_ids"][0].bool()
    u, v = states[0][mask & ~types].mean(0), states[0][mask & types].mean(0)
    return torch.tanh(head.dense(torch.cat([states[0, 0], u, v, (u - v).abs(), u * v]))).double().numpy()


def test_a_head_of_zeros_leaves_the_encoder_as_it_is(tmp_path):
    """Mean of the unchanged states, normalised, is the sentence vector."""
    import torch
    from small_heads import about, tensors
    from transformers import AutoTokenizer

    from ragassay.models.head_networks import encoder_of

    zeros = {name: value * 0 if name.endswith(".up") else value for name, value in tensors("text").items()}
    head_file.write(tmp_path / "zeros.safetensors", zeros, about("text"))
    network = encoder_of(head_file.read(tmp_path / "zeros.safetensors"))
    read = AutoTokenizer.from_pretrained(str(encoder.folder()))(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        vector = network(**read).last_hidden_state[0].mean(0).numpy()
    np.testing.assert_allclose(vector / np.linalg.norm(vector), models.encode([TEXTS[0]])[0], atol=1e-6)


def test_scores_are_the_same_bits_in_any_company(tmp_path):
    """A run that was killed computes the rest by itself: its tables are those of an undisturbed one."""
    model = write(tmp_path, "aligned")
    few = (
        models.entail(PAIRS[3:5], model=model).z,
        models.encode(TEXTS[3:5]),
        models.token_vectors(TEXTS[3:4]),
    )
    cache.location().unlink()
    encoder._held.clear()
    every = models.entail(PAIRS, model=model).z, models.encode(TEXTS), models.token_vectors(TEXTS)
    assert (every[0][3:5] == few[0]).all() and (every[1][3:5] == few[1]).all()
    assert (every[2][3] == few[2][0]).all()
