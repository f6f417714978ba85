"""A local model named for toxicity: its label found or refused, used in place of the kit's head, told of in the report."""

import numpy as np
import pytest
from test_named_classifiers import asked_directly

from models.tiny_classifier import made
from ragassay import models
from ragassay.errors import ModelError

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
    models.check_model("toxicity", place + chosen)
    found = models.toxic(TEXTS, place + chosen)
    assert found == pytest.approx([expected(asked_directly(place, text)[0]) for text in TEXTS], abs=1e-5)


def test_a_model_without_a_label_of_toxicity_is_refused_with_what_to_write(tmp_path):
    with pytest.raises(ModelError, match="do not say which means toxicity") as told:
        models.check_model("toxicity", made(tmp_path / "m", ["LABEL_0", "LABEL_1"]))
    assert told.value.do.endswith("model#LABEL")
    models.check_model("toxicity", "toxicity")
