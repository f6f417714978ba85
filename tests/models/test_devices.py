"""The device of a run: named once, refused where it is not there, in the cache's keys; every network and its inputs go to it.

No accelerator is needed: a stand-in says that it is there and leaves the networks where they are, or moves them to `meta`, on which torch computes shapes and no numbers.
"""

import numpy as np
import pytest
from tiny_language_model import save_tiny_language_model

from models.tiny_classifier import made
from models.tiny_encoder import save_tiny_encoder
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import devices, load_instrument

TEXTS = ["The fee is 28 dollars.", "A wire leaves the same day.", "word " * 300]
PAIRS = [("The fee is 28 dollars.", "A fee is due."), ("It rains in Paris all day long.", "It is dry.")]


@pytest.fixture(autouse=True)
def of_no_run(monkeypatch):
    monkeypatch.delenv("RAGASSAY_DEVICE", raising=False)


@pytest.fixture
def without_numbers(monkeypatch):
    """The device is said to be there; networks go to `meta` in its stead."""
    monkeypatch.setenv("RAGASSAY_DEVICE", "mps")
    monkeypatch.setattr(devices, "available", lambda: list(devices.DEVICES))
    monkeypatch.setattr(devices, "move", lambda network: network.to("meta"))
    monkeypatch.setattr(devices, "TOKENS", 512)  # batches are filled up: larger ones take long on a CPU


def test_none_is_the_cpu_and_adds_nothing_to_a_key():
    assert devices.chosen_device() == devices.check_device() == "cpu"
    assert devices.recipe() == ""
    assert "cpu" in devices.available()


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
