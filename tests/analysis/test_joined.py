"""Scores beside their cases: states, systems, clusters, levels."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay.analysis import joined
from ragassay.errors import TableError


def test_only_scored_values_count():
    rows = joined.measured(
        scores_of([0.5, 0.9, np.nan], states=["scored", "error", "scored"]), "groundedness"
    )
    assert rows["value"].isna().tolist() == [False, True, True]
    assert rows["state"].tolist() == ["scored", "error", "not_measured"]


def test_several_systems_never_mix():
    both = pd.concat([scores_of([0.5]), scores_of([0.6], system="challenger")])
    with pytest.raises(TableError, match="several systems"):
        joined.measured(both, "groundedness")


def test_an_unknown_metric_case_or_column_is_named():
    with pytest.raises(TableError, match="no score of metric 'grundedness'"):
        joined.measured(scores_of([0.5]), "grundedness")
    with pytest.raises(TableError, match="c001"):
        joined.by_case(scores_of([0.5, 0.6]), cases_of(["a"]), "groundedness")
    with pytest.raises(TableError, match="'colour' is missing"):
        joined.levels_of(cases_of(["a"]), "colour")


def test_clusters_are_the_widest_thing_drawn_together():
    cases = cases_of(
        "abcd",
        parent_id=[None, "c000", None, None],
        group_id=[None, None, "g1", "g2"],
        conversation_id=[None, None, None, "k"],
    )
    found = joined.clusters_of(cases)
    assert found["c000"] == found["c001"] == "case c000"
    assert found["c002"] == "group g1" and found["c003"] == "conversation k"


def test_missing_levels_have_a_name_and_numbers_read_well():
    rows = pd.DataFrame({"a": ["x", None, ""], "b": [1.0, 0.5, np.nan], "c": [True, False, True]})
    assert joined.levels_of(rows, "a").tolist() == ["x", "(none)", "(none)"]
    assert joined.levels_of(rows, "b").tolist() == ["1", "0.5", "(none)"]
    assert (
        joined.labels_of(rows, ("a", "c")).tolist()[0]
        == "a=x & c=True"
        == joined.labels_of(rows, "a & c").tolist()[0]
    )


def test_streams_depend_on_their_name_alone():
    one, again, other = (joined.stream(7, name).random() for name in ("a", "a", "b"))
    assert one == again != other


def test_direction_asks_the_metrics_table():
    assert joined.direction("groundedness", None) is True
    assert joined.direction("wasserstein_completeness", None) is False
    with pytest.raises(ValueError, match="higher_is_better"):
        joined.direction("my_metric", None)
