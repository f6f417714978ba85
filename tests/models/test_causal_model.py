"""Perplexity under a tiny random model in a folder: by hand, as torch computes it, laws, refusals."""

import math

import numpy as np
import pytest
import torch
from tiny_language_model import SIZE, save_tiny_language_model

from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import classifier, model_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_language_model(tmp_path_factory.mktemp("lm") / "tiny")


@pytest.fixture(scope="module")
def even(tmp_path_factory):
    """A model to which every word is equally likely."""
    return save_tiny_language_model(tmp_path_factory.mktemp("lm") / "even", spread=0.0)


def test_by_hand(even):
    """Every word equally likely: as perplexed as there are words."""
    assert models.perplexity(["fee card fee", "card"], model=even) == pytest.approx([SIZE, SIZE])


def test_it_is_what_torch_computes(folder):
    """exp of the cross-entropy of the tokens after the one that begins a text."""
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer("fee card loan")["input_ids"]]])
    with torch.inference_mode():
        loss = network(input_ids=ids, labels=ids).loss.item()
    assert models.perplexity(["fee card loan"], model=folder) == pytest.approx(math.exp(loss), rel=1e-5)


def test_refusals(folder, tmp_path, monkeypatch):
    monkeypatch.delenv(model_files.OF_RUN["language_model"], raising=False)
    assert models.of_run("language_model") == ""
    with pytest.raises(ModelError, match="no language model is named"):
        models.perplexity(["fee"])
    with pytest.raises(ModelError, match="not on this machine"):
        models.check_model("language_model", str(tmp_path / "nowhere"))
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="of another kind"):
        models.check_model("language_model", str(tmp_path))
    monkeypatch.setenv(model_files.OF_RUN["language_model"], folder)
    assert models.perplexity(["fee"])[0] > 1


def test_a_text_is_read_once(folder, monkeypatch, tmp_path):
    """What is known comes from the cache, the same to the bit; another model's values are not taken for it."""
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path))
    read = []
    compute = classifier._perplexity
    monkeypatch.setattr(classifier, "_perplexity", lambda *given: read.append(given[2]) or compute(*given))
    first = models.perplexity(["fee card", "loan", "fee card", ""], model=folder)
    again = models.perplexity(["loan", "fee card", ""], model=folder)
    assert sorted(read) == ["", "fee card", "loan"] and np.isnan(again[2])
    assert first[:2].tolist() == again[[1, 0]].tolist() and first[0] == first[2]
    other = save_tiny_language_model(tmp_path / "other", spread=0.0)
    assert models.perplexity(["loan"], model=other) == pytest.approx([SIZE]) and read.count("loan") == 2
