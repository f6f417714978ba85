"""The encoder: unit vectors and token vectors, each text once, the same bits whatever the company; no other file passes for the default model."""

import numpy as np
import pytest

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import encoder


@pytest.fixture
def counted(monkeypatch):
    """A stand-in for a named encoder that counts the texts it is given."""
    given: list[str] = []

    class Named:
        def encode(self, texts, **options):
            given.extend(texts)
            return np.random.default_rng(0).normal(size=(len(texts), 8))

    monkeypatch.setattr(encoder, "_load_named", lambda place, device: Named())
    monkeypatch.setenv("RAGASSAY_ENCODER", str(encoder.folder()))
    return given


def test_each_text_is_encoded_once(counted):
    encoder.encode(["one", "two", "one"])
    encoder.encode(["two", "three"])
    assert sorted(counted) == ["one", "three", "two"]
    vectors = encoder.encode(["b", "a", "b"])
    assert (vectors[0] == vectors[2]).all() and (vectors[0] != vectors[1]).any()


def test_an_empty_text_is_refused(counted):
    with pytest.raises(ValueError, match="text 1 is empty"):
        encoder.encode(["full", "  "])


def test_an_absent_model_is_named():
    with pytest.raises(ModelError, match="no-such-model"):
        encoder.identity("no-such-model")


@pytest.mark.parametrize("content", [None, "{ broken", "{}"])
def test_a_broken_tokenizer_is_named(tmp_path, content):
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match=r"(?s)cannot be loaded.*copy the folder anew"):
        encoder.tokenizer(str(tmp_path))


def test_another_file_does_not_pass_for_the_default_model(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.setattr(encoder, "folder", lambda model: tmp_path)
    with pytest.raises(ModelError, match=encoder.MINILM_SHA256):
        encoder.identity()


@pytest.mark.slow
def test_the_real_model_agrees_with_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    texts = ["A wire sent before 15:00 costs $28.00.", "Word " * 400, "half ? of a pair"]
    rival = SentenceTransformer(str(encoder.folder()), device="cpu").encode(texts, normalize_embeddings=True)
    texts[-1] = "half \ud800 of a pair"
    np.testing.assert_allclose(encoder.encode(texts), rival, atol=1e-6)


SENTENCES = ["The fee is $5.", "Nobody asked you.", "word " * 90]


@pytest.mark.slow
def test_inner_vectors_are_the_mean_of_the_states_after_their_layer():
    """As transformers gives the states of every layer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    place = str(encoder.folder())
    read = AutoTokenizer.from_pretrained(place)(SENTENCES[0], return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(place)(**read, output_hidden_states=True).hidden_states
    mean = states[encoder.LAYER][0].mean(0).numpy()
    found = models.inner_vectors(SENTENCES[:1])[0]
    np.testing.assert_allclose(found, mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.slow
def test_token_vectors_as_the_network_gives_them():
    import torch

    tokenizer, network = encoder._load_default("cpu")
    with torch.inference_mode():
        expected = (
            network(torch.tensor([tokenizer.encode(SENTENCES[0]).ids])).last_hidden_state[0, 1:-1].numpy()
        )
    np.testing.assert_allclose(models.token_vectors(SENTENCES[:1])[0], expected, atol=1e-5)
