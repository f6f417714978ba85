"""The scores of one metric beside their cases: states, systems, levels, direction."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay.analysis import case_scores
from ragassay.errors import TableError


def test_only_scored_values_count():
    rows = case_scores.metric_scores(
        scores_of([0.5, 0.9, np.nan], states=["scored", "error", "scored"]), "groundedness"
    )
    assert rows["value"].isna().tolist() == [False, True, True]
    assert rows["state"].tolist() == ["scored", "error", "not_measured"]


def test_several_systems_never_mix():
    both = pd.concat([scores_of([0.5]), scores_of([0.6], system="challenger")])
    with pytest.raises(TableError, match="several systems"):
        case_scores.metric_scores(both, "groundedness")


def test_an_unknown_metric_case_or_column_is_named():
    with pytest.raises(TableError, match="no score of metric 'grundedness'"):
        case_scores.metric_scores(scores_of([0.5]), "grundedness")
    with pytest.raises(TableError, match="c001"):
        case_scores.scores_with_cases(scores_of([0.5, 0.6]), cases_of(["a"]), "groundedness")
    with pytest.raises(TableError, match="'colour' is missing"):
        case_scores.levels(cases_of(["a"]), "colour")


def test_missing_levels_have_a_name_and_numbers_read_well():
    rows = pd.DataFrame({"a": ["x", None, ""], "b": [1.0, 0.5, np.nan], "c": [True, False, True]})
    assert case_scores.levels(rows, "a").tolist() == ["x", "(none)", "(none)"]
    assert case_scores.levels(rows, "b").tolist() == ["1", "0.5", "(none)"]
    assert (
        case_scores.slice_names(rows, ("a", "c")).tolist()[0]
        == "a=x & c=True"
        == case_scores.slice_names(rows, "a & c").tolist()[0]
    )


def test_direction_asks_the_metrics_table():
    assert case_scores.higher_is_better("groundedness", None) is True
    assert case_scores.higher_is_better("wasserstein_completeness", None) is False
    with pytest.raises(ValueError, match="higher_is_better"):
        case_scores.higher_is_better("my_metric", None)
