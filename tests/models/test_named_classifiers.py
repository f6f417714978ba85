"""Hugging Face models behind the same door: tiny random ones in folders, asked as the library itself is asked."""

import math

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertForTokenClassification

from models.tiny_classifier import made
from ragassay import models
from ragassay.errors import ModelError

PAIRS = [("The fee is 28 dollars.", "A fee is due."), ("It rains in Paris all day long.", "It is dry.")]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))


def asked_directly(folder, first, second=None):
    """The scores of one input without any padding."""
    tokenizer, network = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForSequenceClassification.from_pretrained(folder).eval(),
    )
    with torch.inference_mode():
        return network(**tokenizer(first, second, return_tensors="pt")).logits[
            0
        ].double().numpy(), network.classifier.weight.detach().double().numpy()


def test_entailment_agrees_with_the_library(tmp_path):
    folder = made(tmp_path / "m", ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])
    found = models.entail(PAIRS, model=folder)
    for place, pair in enumerate(PAIRS):
        (c, n, e), weights = asked_directly(folder, *pair)
        np.testing.assert_allclose(
            found.probabilities[place], np.exp([e, n, c]) / np.exp([e, n, c]).sum(), atol=1e-5
        )
        assert found.z[place] == pytest.approx(e - (n + c) / 2, abs=1e-4)
        assert found.distance[place] == pytest.approx(
            found.z[place] / np.linalg.norm(weights[2] - (weights[0] + weights[1]) / 2), abs=1e-4
        )


def test_the_users_word_for_the_labels(tmp_path):
    folder = made(tmp_path / "m", ["LABEL_0", "LABEL_1", "LABEL_2"])
    named = models.entail(PAIRS, model=f"{folder}#LABEL_2,LABEL_1,LABEL_0")
    other = models.entail(PAIRS, model=f"{folder}#LABEL_0,LABEL_1,LABEL_2")
    np.testing.assert_allclose(named.probabilities, other.probabilities[:, ::-1])
    assert np.isfinite(named.distance).all()
    with pytest.raises(ModelError, match="do not say"):
        models.entail(PAIRS, model=folder)


def test_where_the_last_layer_is_not_known_there_is_no_distance(tmp_path, monkeypatch):
    folder = made(tmp_path / "m", ["contradiction", "neutral", "entailment"])
    monkeypatch.setattr("ragassay.models.load_instrument._norm_of_model", lambda network, model: math.nan)
    found = models.entail(PAIRS, model=folder)
    assert np.isnan(found.distance).all() and np.isfinite(found.z).all()


def test_toxicity_of_labels_judged_apart(tmp_path):
    folder = made(tmp_path / "m", ["toxic", "insult"], problem_type="multi_label_classification")
    score = asked_directly(folder, "You are late.")[0][0]
    assert models.toxic(["You are late."], model=folder)[0] == pytest.approx(
        1 / (1 + np.exp(-score)), abs=1e-5
    )


def test_acceptability(tmp_path):
    folder = made(tmp_path / "m", ["unacceptable", "acceptable"])
    scores, _ = asked_directly(folder, "The fee are due.")
    assert models.acceptable(["The fee are due."], model=folder)[0] == pytest.approx(
        1 / (1 + np.exp(scores[0] - scores[1])), abs=1e-5
    )


def test_a_model_of_another_trade_is_refused(tmp_path):
    folder = made(tmp_path / "m", ["O", "B-PER"], BertForTokenClassification)
    with pytest.raises(ModelError, match="another kind"):
        models.entail(PAIRS, model=folder)


def test_a_folder_without_a_configuration_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(ModelError, match=r"config\.json"):
        models.entail(PAIRS, model=str(tmp_path))
