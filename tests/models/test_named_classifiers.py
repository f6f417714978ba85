"""Hugging Face models behind the same door: tiny random ones in folders, asked as the library itself is asked; which label means what."""

import numpy as np
import pytest
import torch
from scipy.special import expit, softmax
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertForTokenClassification

from models.tiny_classifier import made
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models.load_instrument import label_columns

PAIRS = [("The fee is 28 dollars.", "A fee is due."), ("It rains in Paris all day long.", "It is dry.")]
TEXTS = ["The fee is 28 dollars.", "You are a fool."]


def asked_directly(folder, first, second=None):
    """The scores of one input without any padding."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return network(**tokenizer(first, second, return_tensors="pt")).logits[0].double().numpy()


@pytest.mark.parametrize(
    ("labels", "asked", "model", "found"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], "entailment", "m", [2, 1, 0]),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "entailment", "m#LABEL_2, LABEL_1,LABEL_0", [2, 1, 0]),
        (["toxic", "severe_toxic", "insult"], "toxicity", "m", [0]),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_1", [1]),
        (["entailment", "not_entailment"], "support", "m", [0]),
        (["entailment", "not_entailment"], "entailment", "m", None),
        (["LABEL_0", "LABEL_1"], "acceptability", "m", None),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_7", None),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "entailment", "m#LABEL_2", None),
        (["LABEL_0", "LABEL_1"], "toxicity", "m#LABEL_0,LABEL_1", None),
    ],
)
def test_labels_are_found_by_their_names_or_the_users_word_and_never_by_guess(labels, asked, model, found):
    if found:
        assert label_columns(labels, asked, model) == found
    else:
        with pytest.raises(ModelError, match="do not say"):
            label_columns(labels, asked, model)


def test_entailment_agrees_with_the_library(tmp_path):
    folder = made(tmp_path / "m", ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])
    found = models.entail(PAIRS, model=folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder)
    weights = network.classifier.weight.detach().double().numpy()
    norm = np.linalg.norm(weights[2] - (weights[0] + weights[1]) / 2)
    for place, pair in enumerate(PAIRS):
        c, n, e = asked_directly(folder, *pair)
        np.testing.assert_allclose(found.probabilities[place], softmax([e, n, c]), atol=1e-5)
        assert found.z[place] == pytest.approx(e - (n + c) / 2, abs=1e-4)
        assert found.distance[place] == pytest.approx(found.z[place] / norm, abs=1e-4)


@pytest.mark.parametrize(
    ("labels", "chosen", "options", "expected"),
    [
        (["non-toxic", "toxic"], "", {}, lambda s: softmax(s)[1]),
        (["LABEL_0", "LABEL_1"], "#LABEL_0", {}, lambda s: softmax(s)[0]),
        (["toxic", "insult"], "", {"problem_type": "multi_label_classification"}, lambda s: expit(s[0])),
    ],
)
def test_toxicity_agrees_with_the_library(tmp_path, labels, chosen, options, expected):
    place = made(tmp_path / "m", labels, **options)
    models.check_model("toxicity", place + chosen)
    found = models.toxic(TEXTS, place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, text)) for text in TEXTS], abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "chosen", "expected"),
    [
        (["unsupported", "supported"], "", lambda s: softmax(s)[1]),
        (["contradiction", "neutral", "entailment"], "", lambda s: softmax(s)[2]),
        (["LABEL_0"], "#LABEL_0", lambda s: expit(s[0])),
    ],
)
def test_support_agrees_with_the_library(tmp_path, labels, chosen, expected):
    place = made(tmp_path / "m", labels)
    models.check_model("support", place + chosen)
    found = models.supported([((premise,), text) for premise, text in PAIRS], place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, *pair)) for pair in PAIRS], abs=1e-5)


@pytest.mark.parametrize("kind", ["toxicity", "support", "entailment"])
def test_a_model_that_cannot_judge_is_refused_with_what_to_write(tmp_path, kind):
    with pytest.raises(ModelError, match=f"do not say which means {kind}") as refused:
        models.check_model(kind, made(tmp_path / "m", ["LABEL_0", "LABEL_1"]))
    assert "LABEL_1" in refused.value.found and "model#LABEL" in refused.value.do
    with pytest.raises(ModelError, match="another kind"):
        models.check_model(kind, made(tmp_path / "names", ["O", "B-PER"], BertForTokenClassification))
    with pytest.raises(ModelError, match="nowhere"):
        models.check_model(kind, "nowhere")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(ModelError, match=r"config\.json"):
        models.check_model(kind, str(tmp_path / "empty"))
