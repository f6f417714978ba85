"""Texts to token ids, batches, the device: what is cut, every input once; a device that is not there is refused.

No accelerator is needed: networks are moved to `meta`, on which torch computes shapes and no numbers.
"""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_language_model import save_tiny_language_model
from transformers import AutoTokenizer

from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import batching, encoder, load_instrument

TOKENIZER = AutoTokenizer.from_pretrained(str(encoder.folder()))


def words(count, word="fee"):
    return " ".join([word] * count)


@pytest.mark.parametrize(
    "premise, hypothesis, kept",
    [(400, 20, (256 - 3 - 20, 20)), (400, 300, (127, 126)), (5, 300, (5, 248)), (10, 10, (10, 10))],
)
def test_of_a_pair_the_longer_text_is_cut(premise, hypothesis, kept):
    one = batching.tokenize(TOKENIZER, [(words(premise), words(hypothesis))], 256)[0]
    assert (len(one.ids) - sum(one.types) - 2, sum(one.types) - 1) == kept


LONG = "The fee is $28.00 per item, née à Zürich [SEP] 日本 🙂."


def test_our_tokenizer_gives_the_same_tokens_as_transformers():
    ours, theirs = encoder.new_tokenizer(), TOKENIZER
    texts = [LONG, "", " ", "word " * 400, "\ud800 \0 [CLS] [MASK] ##ing", "Ann\nMiller", "x" * 300]
    pairs = list(zip(texts, reversed(texts), strict=True))
    for asked in (texts, pairs):
        assert batching.tokenize(ours, asked, 64) == batching.tokenize(theirs, asked, 64)
    readable = [batching.replace_surrogates(text) for text in texts]
    cut = theirs(readable, truncation=True, max_length=64)["input_ids"]
    assert [list(one.ids) for one in batching.tokenize(ours, texts, 64)] == cut


@given(st.lists(st.integers(1, 400), max_size=80), st.sampled_from([64, 100, 256]), st.sampled_from([2, 32]))
def test_batches_hold_every_input_once_at_a_length_that_fits(lengths, limit, step):
    batches = list(batching.batches(lengths, limit, 512, step))
    assert sorted(place for places, *_ in batches for place in places) == list(range(len(lengths)))
    for places, length, rows in batches:
        assert 0 < len(places) <= rows and (rows * length <= 512 or rows == 1)
        assert all(min(lengths[place], limit) <= length <= limit for place in places)


def test_on_the_cpu_a_batch_is_no_larger_than_what_is_asked():
    two = [batching.Input((101, 7, 102), (0, 0, 0))] * 2
    assert (
        batching.compute_in_batches(two, 256, lambda batch, length: [(len(batch), length)] * 2)
        == [(2, 4)] * 2
    )


TEXTS = ["The fee is 28 dollars.", "A wire leaves the same day.", "word " * 300]
PAIRS = [("The fee is 28 dollars.", "A fee is due."), ("It rains in Paris all day long.", "It is dry.")]


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    monkeypatch.delenv("RAGASSAY_DEVICE", raising=False)


@pytest.fixture
def without_numbers(monkeypatch):
    """The device is said to be there; networks go to `meta` in its stead."""
    monkeypatch.setenv("RAGASSAY_DEVICE", "mps")
    monkeypatch.setattr(batching, "available_devices", lambda: list(batching.DEVICES))
    monkeypatch.setattr(batching, "move_to_device", lambda network: network.to("meta"))
    monkeypatch.setattr(batching, "TOKENS_OFF_CPU", 512)  # batches are filled up: larger ones take long here


def test_what_is_no_device_is_refused_in_five_parts(monkeypatch):
    monkeypatch.setenv("RAGASSAY_DEVICE", "gpu")
    with pytest.raises(ModelError, match=r"no such device(?s:.*)found: gpu(?s:.*)cpu, cuda, mps") as told:
        models.encode(["a"])
    assert all((told.value.where, told.value.found, told.value.expected, told.value.do))


def test_the_device_is_part_of_every_key(tmp_path, monkeypatch):
    nli = made(tmp_path / "nli", ["contradiction", "neutral", "entailment"])

    def recipes():
        return [load_instrument.find_instrument(model, "pair").recipe for model in ("entailment", nli)]

    on_cpu = recipes()
    monkeypatch.setenv("RAGASSAY_DEVICE", "cuda")
    on_cuda = recipes()
    assert all("cuda" in recipe for recipe in on_cuda) and not any("cuda" in recipe for recipe in on_cpu)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Every network as it is asked, by name: the default encoder, a bank's own, heads of each form, named models."""
    folder = tmp_path_factory.mktemp("models")
    own, labels = save_tiny_encoder(folder / "own"), ["contradiction", "neutral", "entailment"]
    nli, speaks = made(folder / "nli", labels), save_tiny_language_model(folder / "lm")
    return {
        "encoder": lambda: models.encode(TEXTS),
        "tokens": lambda: np.concatenate(models.token_vectors(TEXTS)),
        "own encoder": lambda: models.encode(TEXTS[:2], own),
        "pair and aligned": lambda: models.entail(PAIRS).probabilities,
        "text": lambda: models.acceptable(TEXTS),
        "named": lambda: models.entail(PAIRS, nli).z,
        "language": lambda: models.perplexity(["fee card loan", "card"], model=speaks),
    }


NETWORKS = ("encoder", "tokens", "own encoder", "pair and aligned", "text", "named", "language")


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_computes_on_the_device_with_all_its_inputs(name, asked, without_numbers):
    """On `meta` all goes well until numbers are fetched: nothing was left on the CPU beside the network."""
    with pytest.raises((NotImplementedError, RuntimeError), match="meta tensor"):
        asked[name]()


@pytest.mark.parametrize("precision", [torch.float32, torch.float16])
def test_the_cpu_computes_linear_layers_as_torch_does(precision):
    """By oneDNN in single precision, by torch itself in any other."""
    network = torch.nn.Sequential(
        torch.nn.Linear(48, 96), torch.nn.GELU(), torch.nn.Linear(96, 8, bias=False)
    )
    network, states = network.to(precision), torch.randn(7, 5, 48, dtype=precision)
    with torch.inference_mode():
        by_torch = network(states)
        assert torch.allclose(batching.move_to_device(network)(states), by_torch, atol=1e-5)
