"""Which label means what: by the names models use, by the user's word, and never by guess."""

import pytest

from ragassay.errors import ModelError
from ragassay.models.load_instrument import label_columns


@pytest.mark.parametrize(
    "labels, asked, model, found",
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], "entailment", "m", [2, 1, 0]),
        (["entailment", "neutral", "contradiction"], "entailment", "m", [0, 1, 2]),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "entailment", "m#LABEL_2, LABEL_1,LABEL_0", [2, 1, 0]),
        (["neutral", "toxic"], "toxicity", "m", [1]),
        (["toxic", "severe_toxic", "insult"], "toxicity", "m", [0]),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_1", [1]),
    ],
)
def test_labels_are_found(labels, asked, model, found):
    assert label_columns(labels, asked, model) == found


@pytest.mark.parametrize(
    "labels, asked, model",
    [
        (["entailment", "not_entailment"], "entailment", "m"),
        (["LABEL_0", "LABEL_1"], "acceptability", "m"),
        (["LABEL_0", "LABEL_1"], "acceptability", "m#LABEL_7"),
        (["LABEL_0", "LABEL_1", "LABEL_2"], "entailment", "m#LABEL_2"),
        (["LABEL_0", "LABEL_1"], "toxicity", "m#LABEL_0,LABEL_1"),
    ],
)
def test_labels_that_do_not_say_it_are_refused(labels, asked, model):
    with pytest.raises(ModelError, match="do not say"):
        label_columns(labels, asked, model)
