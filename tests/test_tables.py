"""The tables: what is declared is held, flaws are named, a round trip changes nothing."""

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.errors import TableError


def scores(**changes) -> pd.DataFrame:
    row = {
        "case_id": "a",
        "system": "bank",
        "metric": "groundedness",
        "value": 0.5,
        "state": "scored",
        "reason": None,
        "detail": None,
    }
    return pd.DataFrame([row | changes])


def test_a_round_trip_changes_nothing(tmp_path):
    written = scores(extra="kept")
    tables.write(tmp_path, "scores", written)
    pd.testing.assert_frame_equal(tables.read(tmp_path, "scores"), written)


def test_a_table_for_a_terminal_hides_no_column_and_no_row():
    named = pd.DataFrame(np.zeros((90, 30)), columns=[f"column{i:02}" for i in range(30)])
    with pd.option_context("display.max_columns", 0, "display.max_rows", 10, "display.width", 80):
        printed = repr(tables.Whole(named))
        assert "column15" not in repr(named)
    assert all(name in printed for name in named) and all(f"\n{i} " in printed for i in range(90))


def test_parts_are_kept_apart(tmp_path):
    tables.write(tmp_path, "scores", scores())
    tables.write(tmp_path, "scores", scores(case_id="b"), part="variants")
    assert list(tables.read(tmp_path, "scores").case_id) == ["a"]
    assert list(tables.read(tmp_path, "scores", part="variants").case_id) == ["b"]


def test_reading_selects_rows(tmp_path):
    tables.write(tmp_path, "scores", pd.concat([scores(), scores(metric="completeness")]))
    assert list(tables.read(tmp_path, "scores", metric="completeness").metric) == ["completeness"]


def test_missing_values_are_allowed_where_a_score_does_not_exist():
    tables.check("scores", scores(value=np.nan, state="not_applicable", reason="abstained"))


@pytest.mark.parametrize(
    "flawed, complaint",
    [
        (scores().drop(columns="state"), "column 'state' is missing"),
        (scores(state="zero"), "one of scored, not_applicable, not_measured, error"),
        (scores(value="high"), "column 'value'"),
        (scores(case_id=7), "found: 7"),
        (scores(case_id=None), "key"),
        (pd.concat([scores(), scores()], ignore_index=True), "row 1"),
    ],
)
def test_flaws_are_named(flawed, complaint):
    with pytest.raises(TableError, match=complaint):
        tables.check("scores", flawed)


def test_a_number_outside_its_range_is_named():
    verdict = pd.DataFrame(
        [
            {
                "case_id": "a",
                "system": "s",
                "metric": "m",
                "probability": 1.5,
                "prediction_set": [1],
                "decision": "accept",
            }
        ]
    )
    with pytest.raises(TableError, match=r"(?s)1\.5.*at most 1"):
        tables.check("verdicts", verdict)


def test_a_table_not_written_yet_says_what_to_do(tmp_path):
    with pytest.raises(TableError, match="execute the notebook that writes it"):
        tables.read(tmp_path, "cases")


def test_a_failed_write_leaves_the_old_table(tmp_path):
    tables.write(tmp_path, "scores", scores())
    with pytest.raises(TableError):
        tables.write(tmp_path, "scores", scores(state="wrong"))
    assert tables.read(tmp_path, "scores").loc[0, "state"] == "scored"
