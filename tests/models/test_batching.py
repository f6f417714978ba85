"""Texts to token ids, batches of fixed shape, the device: what is cut and padded, every input once, each read once; a
device that is not there is refused, every network and its inputs go to it, and it is in the cache's keys.

No accelerator is needed: networks are moved to `meta`, on which torch computes shapes and no numbers.
"""

from types import SimpleNamespace

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
from ragassay.models.batching import Input

TOKENIZER = AutoTokenizer.from_pretrained(str(encoder.folder()))


def words(count, word="fee"):
    return " ".join([word] * count)


@pytest.mark.parametrize(
    "premise, hypothesis, kept",
    [(400, 20, (256 - 3 - 20, 20)), (400, 300, (125, 128)), (5, 300, (5, 128)), (10, 10, (10, 10))],
)
def test_the_premise_is_cut_before_the_hypothesis(premise, hypothesis, kept):
    one = batching.tokenize_pairs(TOKENIZER, [(words(premise), words(hypothesis))], 256)[0]
    assert (len(one.ids) - sum(one.types) - 2, sum(one.types) - 1) == kept


def test_padding_has_one_shape_and_masks_what_it_adds():
    arrays = batching.pad(
        batching.tokenize_texts(TOKENIZER, ["one two", "three"], 16), 16, "cpu", TOKENIZER.pad_token_id
    )
    assert {name: tuple(array.shape) for name, array in arrays.items()} == dict.fromkeys(
        ("input_ids", "attention_mask", "token_type_ids"), (2, 16)
    )
    assert arrays["attention_mask"].sum(axis=1).tolist() == [4, 3]
    assert (arrays["input_ids"][arrays["attention_mask"] == 0] == TOKENIZER.pad_token_id).all()


LONG = "The fee is $28.00 per item, née à Zürich [SEP] 日本 🙂."


def test_our_tokenizer_gives_the_same_tokens_as_transformers():
    ours, theirs = encoder.new_tokenizer(), TOKENIZER
    texts = [LONG, "", " ", "word " * 400, "\ud800 \0 [CLS] [MASK] ##ing", "Ann\nMiller", "x" * 300]
    pairs = list(zip(texts, reversed(texts), strict=True))
    for read, asked in ((batching.tokenize_texts, texts), (batching.tokenize_pairs, pairs)):
        assert read(ours, asked, 64) == read(theirs, asked, 64)
    readable = [batching.replace_surrogates(text) for text in texts]
    cut = theirs(readable, truncation=True, max_length=64)["input_ids"]
    assert [list(one.ids) for one in batching.tokenize_texts(ours, texts, 64)] == cut


@given(st.lists(st.integers(1, 400), max_size=80), st.sampled_from([64, 100, 256]))
def test_batches_hold_every_input_once_at_a_length_that_fits(lengths, limit):
    batches = list(batching.batches(lengths, limit, 512))
    assert sorted(place for places, *_ in batches for place in places) == list(range(len(lengths)))
    for places, length, rows in batches:
        assert 0 < len(places) <= rows and (rows * length <= 512 or rows == 1)
        assert all(min(lengths[place], limit) <= length <= limit for place in places)


def test_an_error_in_a_batch_is_raised():
    def forward(batch, length):
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        batching.compute_in_batches([Input((1,), (0,))], 16, forward)


def test_states_belong_to_their_texts_and_each_text_is_read_once():
    """Stands in for the network: a token's states are its number, after two layers."""
    read = []

    class Network(torch.nn.Linear):
        device = "cpu"

        def forward(self, input_ids, attention_mask, token_type_ids, output_hidden_states):
            lengths = attention_mask.sum(1).tolist()
            read.extend({tuple(ids[:n].tolist()) for ids, n in zip(input_ids, lengths, strict=True)})
            state = input_ids.unsqueeze(-1).float()
            return SimpleNamespace(hidden_states=[state, state * 10])

    texts = [Input((number, 3), (0, 0)) for number in range(50)] + [Input((7,) * 9, (0,) * 9)]
    found = batching.compute_states([*texts, texts[0]], Network(1, 1), 16, (0, 1))
    assert {one: states.tolist() for one, states in found.items()} == {
        one: [[number, number * 10.0] for number in one.ids] for one in texts
    }
    assert len(found) == len(texts) and sorted(set(read)) == sorted(one.ids for one in texts)


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
    monkeypatch.setattr(
        batching, "TOKENS_OFF_CPU", 512
    )  # batches are filled up: larger ones take long on a CPU


def test_none_is_the_cpu_and_adds_nothing_to_a_key():
    assert batching.chosen_device() == batching.check_device() == "cpu"
    assert batching.device_recipe() == ""
    assert "cpu" in batching.available_devices()


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
