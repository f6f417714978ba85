"""The encoder: unit vectors and token vectors, each text once, the same bits whatever the company; no other file passes for the default model."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import encoder

UNUSUAL = [
    "The fee is $5.",
    "",
    "Cards are posted within five days of the order.",
    " ",
    "word " * 400,
    "\ud800 \0 🙂",
]


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def counted(own_cache, monkeypatch):
    """A stand-in for the network that counts the texts it is given."""
    given: list[str] = []

    def forward(batch, length):
        given.extend(dict.fromkeys(batch))
        vectors = np.array(
            [np.frombuffer(hashlib.sha256(t.encode()).digest(), dtype=np.uint8) for t in batch],
            dtype=np.float32,
        )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    monkeypatch.setattr(encoder, "_is_packed", lambda model: False)
    monkeypatch.setattr(encoder, "_load_named", lambda place, sha256, runtime, device: (forward, 256))
    return given


def test_each_text_is_encoded_once(counted):
    encoder.encode(["one", "two", "one"])
    encoder.encode(["two", "three"])
    assert sorted(counted) == ["one", "three", "two"]


def test_order_is_kept(counted):
    vectors = encoder.encode(["b", "a", "b"])
    assert (vectors[0] == vectors[2]).all() and (vectors[0] != vectors[1]).any()


def test_no_text_no_vector(counted):
    assert encoder.encode([]).shape[0] == 0


def test_an_empty_text_is_refused(counted):
    with pytest.raises(ValueError, match="text 1 is empty"):
        encoder.encode(["full", "  "])


def test_usage_adds_up(counted, usage):
    encoder.encode(["x", "y", "x"])
    encoder.encode(["x"])
    assert usage("encoder") == {"seen": 4, "unique": 3, "encoded": 2, "cached": 1}


def test_a_lone_surrogate_does_not_stop_it(counted):
    encoder.encode(["half \ud800 of a pair"])
    assert counted == ["half ? of a pair"]


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
    encoder._identity.cache_clear()
    with pytest.raises(ModelError, match=encoder.MINILM_SHA256):
        encoder.identity()
    encoder._identity.cache_clear()


def test_importing_the_door_is_light():
    code = "import sys, ragassay.models; print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


@pytest.mark.slow
def test_the_real_model_agrees_with_sentence_transformers(own_cache):
    from sentence_transformers import SentenceTransformer

    texts = [
        "The fee is $28.00 per item.",
        "A wire sent before 15:00 leaves the same day.",
        "Word " * 400,
        "half ? of a pair",
    ]
    rival = SentenceTransformer(str(encoder.folder()), device="cpu").encode(texts, normalize_embeddings=True)
    texts[-1] = "half \ud800 of a pair"
    np.testing.assert_allclose(encoder.encode(texts), rival, atol=1e-6)


@pytest.mark.slow
def test_the_real_model_gives_the_same_bits_in_any_company(tmp_path, monkeypatch):
    texts = [
        f"Sentence number {i} of the schedule says that the fee is ${i}.00{' a month' * (i % 5)}."
        for i in range(60)
    ]
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "together"))
    together = encoder.encode(texts)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "apart"))
    apart = np.vstack([encoder.encode(texts[i : i + 7]) for i in range(0, 60, 7)])
    assert (together == apart).all()


@pytest.mark.slow
def test_long_and_short_texts_together_give_the_same_bits_as_alone(tmp_path, monkeypatch):
    texts = [f"{i} " + "word " * length for i, length in enumerate((1, 62, 63, 70, 130, 250, 400, 20, 90))]
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "together"))
    together = encoder.encode(texts)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "alone"))
    assert all((encoder.encode([text])[0] == row).all() for text, row in zip(texts, together, strict=True))


SENTENCES = ["The fee is $5.", "Nobody asked you.", "word " * 90]


@pytest.mark.slow
def test_inner_vectors_are_the_mean_of_the_states_after_their_layer(own_cache):
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
@pytest.mark.parametrize(
    ("first", "second"), [(encoder.encode, encoder.inner_vectors), (encoder.inner_vectors, encoder.encode)]
)
def test_one_pass_gives_a_sentence_its_vector_and_its_inner_vector(
    own_cache, tmp_path, monkeypatch, first, second
):
    expected = second(SENTENCES)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "other"))
    first(SENTENCES)
    monkeypatch.setattr(encoder, "_load_default", lambda device: pytest.fail("the network read it again"))
    assert np.array_equal(second(SENTENCES), expected)


@pytest.mark.slow
def test_the_inner_vector_of_a_passage_is_not_kept_unasked(own_cache, usage):
    passage = "The fee is due each month. " * 30
    encoder.encode([passage])
    encoder.inner_vectors([passage])
    assert usage("inner")["encoded"] == 1


def test_an_empty_text_has_no_inner_vector(own_cache):
    with pytest.raises(ValueError, match="text 1 is empty"):
        models.inner_vectors(["a", " "])
    assert models.inner_vectors([]).shape == (0, encoder.WIDTH)


@pytest.mark.slow
def test_token_vectors_as_the_network_gives_them(own_cache):
    import torch

    tokenizer, network = encoder._load_default("cpu")
    with torch.inference_mode():
        expected = network(torch.tensor([tokenizer.encode(UNUSUAL[0]).ids]))[0, 1:-1, : encoder.WIDTH].numpy()
    np.testing.assert_allclose(models.token_vectors(UNUSUAL[:1])[0], expected, atol=1e-5)


@pytest.mark.slow
def test_token_vectors_one_row_per_token(own_cache):
    lengths = [len(found) for found in models.token_vectors(UNUSUAL)]
    assert lengths[1] == lengths[3] == 0 and lengths[4] == encoder.LIMIT - 2
    assert {found.shape[1] for found in models.token_vectors(UNUSUAL)} == {encoder.WIDTH}


@pytest.mark.slow
def test_token_vectors_the_cache_gives_the_same_bits_without_the_network(own_cache, monkeypatch):
    first = models.token_vectors(UNUSUAL)
    monkeypatch.setattr(encoder, "_load_default", lambda device: pytest.fail("the network was loaded again"))
    again = models.token_vectors(UNUSUAL[::-1])[::-1]
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


@pytest.mark.slow
def test_token_vectors_the_same_bits_alone(own_cache, tmp_path, monkeypatch):
    together = models.token_vectors(UNUSUAL)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "other"))
    alone = [models.token_vectors([text])[0] for text in UNUSUAL]
    assert all(np.array_equal(one, other) for one, other in zip(together, alone, strict=True))


@pytest.mark.slow
def test_token_vectors_after_encoding_have_the_same_bits_and_need_no_second_pass(
    own_cache, tmp_path, monkeypatch
):
    texts = [text for text in UNUSUAL if text.strip()]
    alone = [models.token_vectors([text])[0] for text in texts]
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "other"))
    models.encode(texts)
    monkeypatch.setattr(encoder.packing, "read_pack", lambda *_: pytest.fail("the network was asked again"))
    found = models.token_vectors(texts)
    assert all(np.array_equal(one, other) for one, other in zip(found, alone, strict=True))


@pytest.mark.slow
def test_token_vectors_no_text_gives_no_vectors(own_cache):
    assert models.token_vectors([]) == []
