"""Where a case comes from: by what it is, or as it says; a column of the user's is kept."""

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import case_origins


@pytest.mark.parametrize(
    "kind, parent, origin",
    [
        ("own", None, "own"),
        ("my own word", None, "own"),
        ("generated", None, "generated"),
        ("grounded", None, "database"),
        (None, None, "log"),
        ("", "", "log"),
        ("probe: privacy", None, "probe"),
        ("probe: planted injection", "u-1", "probe"),
        ("bias: ambiguous", None, "probe"),
        ("out_of_scope", None, "outside"),
        ("false_permission", None, "outside"),
        ("spelling", "u-1", "variation"),
    ],
)
def test_by_kind_and_parent(kind, parent, origin):
    found = case_origins.with_origin(pd.DataFrame([{"case_id": "a", "kind": kind, "parent_id": parent}]))
    assert found["origin"].tolist() == [origin]
    assert origin in tables.TABLES["cases"].columns["origin"].allowed


def test_what_is_said_already_is_kept_and_a_word_that_is_none_is_not():
    rows = pd.DataFrame({"case_id": ["a", "b"], "kind": ["x", "generated"], "origin": ["own", "web"]})
    assert case_origins.with_origin(rows)["origin"].tolist() == ["own", "generated"]


def test_a_column_of_the_users_keeps_its_values_under_another_name():
    found = case_origins.set_origin(pd.DataFrame({"case_id": ["a"], "origin": ["branch"]}), case_origins.LOG)
    assert found.to_dict("records") == [{"case_id": "a", "origin_given": "branch", "origin": "log"}]


def test_no_cases():
    assert case_origins.with_origin(pd.DataFrame({"case_id": []}))["origin"].tolist() == []
