"""The metric perplexity: measured where a language model is named, and only where it is asked for."""

import pandas as pd
import pytest

from ragassay.api.scoring import metric_names
from ragassay.models import model_files
from ragassay.scores import DEFAULT, score

ROW = {"case_id": "c", "system": "s", "answer": "The fee is 9 euros [a#p1].", "context_ids": ["a#p1"]}


def measured(perplexity=None, **changed):
    instruments = {"perplexity": perplexity} if perplexity else {}
    return score(pd.DataFrame([ROW | changed]), metrics=["perplexity"], instruments=instruments).iloc[0]


@pytest.fixture(autouse=True)
def none_named(monkeypatch):
    monkeypatch.delenv(model_files.OF_RUN["language_model"], raising=False)


def test_the_answer_is_asked_about_without_its_citations():
    found = measured(lambda texts: [float(len(text)) for text in texts])
    assert found.value == len("The fee is 9 euros.") and "The fee is 9 euros." in found.detail


def test_without_a_language_model_it_is_not_measured():
    found = measured()
    assert (found.state, found.reason) == (
        "not_measured",
        "no language model named (language_model in section run)",
    )


def test_it_is_computed_only_where_it_is_named_or_all_is_asked_for():
    assert "perplexity" not in DEFAULT and "perplexity" not in metric_names("judge")
    assert "perplexity" in metric_names("all")
