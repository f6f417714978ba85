"""The real network under small random heads: as training sees it, the same bits in any company, the same numbers under ONNX Runtime."""

import sys
from pathlib import Path

import numpy as np
import pytest
from small_heads import LABELS, write

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import encoder, head_file

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
    monkeypatch.delenv("RAGASSAY_RUNTIME", raising=False)


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

    from ragassay.models.head_networks import Network, mean

    zeros = {name: value * 0 if name.endswith(".up") else value for name, value in tensors("text").items()}
    head_file.write(tmp_path / "zeros.safetensors", zeros, about("text"))
    network = Network(head_file.read(tmp_path / "zeros.safetensors")).eval()
    read = AutoTokenizer.from_pretrained(str(encoder.folder()))(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        vector = mean(network.encoder(**read), read["attention_mask"])[0].numpy()
    np.testing.assert_allclose(vector / np.linalg.norm(vector), models.encode([TEXTS[0]])[0], atol=1e-6)


@pytest.mark.parametrize("kind", list(LABELS))
def test_onnx_runtime_agrees(kind, tmp_path, monkeypatch, usage):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    model = write(tmp_path, kind)
    ask = {
        "pair": lambda: models.entail(PAIRS, model=model).distance,
        "aligned": lambda: models.entail(PAIRS, model=model).distance,
        "text": lambda: models.acceptable(TEXTS, model=model),
        "sentence": lambda: np.append(models.encode(TEXTS).ravel(), models.toxic(TEXTS, model=model)),
        "token": lambda: np.array(
            [one.start for found in models.entities(TEXTS, model=model) for one in found]
        ),
    }[kind]
    torch_says = ask()
    monkeypatch.setenv("RAGASSAY_RUNTIME", "onnx")
    before = usage("encoder")["cached"]
    np.testing.assert_allclose(ask(), torch_says, atol=1e-3)
    # `encode` takes nothing of torch's, whose vectors `toxic` computes beside the inner ones
    assert usage("encoder")["cached"] == before


def test_a_runtime_we_do_not_know_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_RUNTIME", "abacus")
    with pytest.raises(ModelError, match="RAGASSAY_RUNTIME"):
        models.acceptable(TEXTS, model=write(tmp_path, "text"))


def test_without_onnx_runtime_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_RUNTIME", "onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match="pip install"):
        models.acceptable(TEXTS, model=write(tmp_path, "text"))
