"""The scores of one metric beside their cases: states, systems, levels, slices, clusters, direction, order."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay.analysis import case_scores
from ragassay.errors import ParameterError, TableError


def test_only_scored_values_count():
    rows = case_scores.metric_scores(
        scores_of([0.5, 0.9, np.nan], states=["scored", "error", "scored"]), "groundedness"
    )
    assert rows["value"].isna().tolist() == [False, True, True]
    assert rows["state"].tolist() == ["scored", "error", "not_measured"]


def test_refusals_name_the_culprit():
    both = pd.concat([scores_of([0.5]), scores_of([0.6], system="challenger")])
    with pytest.raises(TableError, match="several systems"):
        case_scores.metric_scores(both, "groundedness")
    with pytest.raises(TableError, match="no score of metric 'grundedness'"):
        case_scores.metric_scores(scores_of([0.5]), "grundedness")
    with pytest.raises(TableError, match="column 'value' is missing"):
        case_scores.metric_scores(scores_of([0.5]).drop(columns="value"), "groundedness")
    with pytest.raises(TableError, match="c001"):
        case_scores.scores_with_cases(scores_of([0.5, 0.6]), cases_of(["a"]), "groundedness")
    with pytest.raises(TableError, match="'colour' is missing"):
        case_scores.levels(cases_of(["a"]), "colour")


def test_clusters_are_the_widest_thing_drawn_together():
    groups, talks = [None, None, "g1", "g2"], [None, None, None, "k"]
    cases = cases_of("abcd", parent_id=[None, "c000", None, None], group_id=groups, conversation_id=talks)
    found = case_scores.case_clusters(cases)
    assert found.tolist() == ["case c000", "case c000", "group g1", "conversation k"]
    assert case_scores.cluster_ids(found.drop_duplicates()) is None


CASES = pd.DataFrame({"case_id": list("abc"), "language": ["es", "en", None], "year": [2024.0, 2025, 2025]})
CASES["origin"] = ["own", "own", "log"]
MEMBERS = {
    "all": "abc",
    "language=es": "a",
    "language=(none)": "c",
    "year=2025 & origin=own": "b",
    "origin=log": "c",
}


@pytest.mark.parametrize("text", ["T01", "", "language=", "=es", "="])
def test_what_is_no_slice_is_refused(text):
    with pytest.raises(ParameterError, match="a slice names a factor and one of its levels"):
        case_scores.parse_slice(text)


@pytest.mark.parametrize("name, members", MEMBERS.items())
def test_members_by_hand(name, members):
    assert "".join(CASES["case_id"][case_scores.in_slice(CASES, name)]) == members


ABSENT = {
    "language=es & origin=own": "",
    "lang=es": "the cases have no column 'lang'; did you mean 'language'?",
    "language=fr": "no case has language=fr; there are (none), en, es",
}


@pytest.mark.parametrize("name, said", ABSENT.items())
def test_what_is_absent_is_named_with_the_nearest_there_is(name, said):
    assert case_scores.why_absent(name, CASES) == said
