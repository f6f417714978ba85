"""A local model named for toxicity: its label found or refused, used in place of the kit's head, told of in the report."""

import numpy as np
import pytest
from test_huggingface import asked_directly

import ragassay
from models.tiny_classifier import made
from ragassay import models
from ragassay.errors import ModelError
from ragassay.models import user_models

TEXTS = ["The fee is 28 dollars.", "You are a fool."]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RAGASSAY_TOXICITY", raising=False)


def logistic(value):
    return 1 / (1 + np.exp(-value))


@pytest.mark.parametrize(
    ("labels", "chosen", "expected"),
    [
        (["non-toxic", "toxic"], "", lambda s: logistic(s[1] - s[0])),
        (["nothate", "hate"], "", lambda s: logistic(s[1] - s[0])),
        (["LABEL_0", "LABEL_1"], "#LABEL_0", lambda s: logistic(s[0] - s[1])),
    ],
)
def test_the_probability_agrees_with_the_library(tmp_path, labels, chosen, expected):
    place = made(tmp_path / "m", labels)
    models.check_toxicity(place + chosen)
    found = models.toxic(TEXTS, place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, text)[0]) for text in TEXTS], abs=1e-5)


def test_a_model_without_a_label_of_toxicity_is_refused_with_what_to_write(tmp_path):
    with pytest.raises(ModelError, match="do not say which means toxicity") as told:
        models.check_toxicity(made(tmp_path / "m", ["LABEL_0", "LABEL_1"]))
    assert told.value.do.endswith("model#LABEL")
    models.check_toxicity("toxicity")


def test_the_run_s_model_judges_the_metric_and_the_report_says_so(tmp_path, monkeypatch):
    place = made(tmp_path / "m", ["clean", "toxic"])
    assert user_models.limits(["toxicity"]) == []
    answer = [{"question": "Why?", "answer": " ".join(TEXTS)}]
    named = ragassay.score(answer, metrics=["toxicity"], toxicity=place)
    assert named.to_pandas().value[0] == pytest.approx(models.toxic(TEXTS, place).max(), abs=1e-6)
    assert named.notes[-1].startswith(f"Toxicity is judged by {place} (SHA-256 ")
    monkeypatch.setenv("RAGASSAY_TOXICITY", place)
    assert (models.toxic(TEXTS) == models.toxic(TEXTS, place)).all()
    assert user_models.limits(["toxicity"])[0].startswith("Toxicity is judged by")
