"""The result: in memory or on disk it says the same; it prints, sums up, draws and shows itself, and nothing in it acts."""

import pandas as pd
import pytest
from fake_scores import rows

from ragassay.answers.log_files import Flaw
from ragassay.api import Scores
from ragassay.api.score_files import write
from ragassay.errors import ParameterError

HOSTILE = "<script>alert(1)</script>\u202e"
TABLE = pd.concat(
    [
        rows("groundedness", [0.1, 0.9, 0.4, None, 0.3, 0.8, 0.7]),
        rows("privacy_leaks", [1, 1, 0, 1, 1, 1, None]),
    ],
    ignore_index=True,
)
FLAW = Flaw("a.jsonl, line 3", "contexts", "'<b>'", "a list", "correct it")


@pytest.fixture(params=["memory", ".parquet", ".csv", ".jsonl"])
def scores(request, tmp_path) -> Scores:
    if request.param == "memory":
        return Scores(TABLE, 7, "ours")
    write([TABLE], tmp_path / f"s{request.param}")
    return Scores(tmp_path / f"s{request.param}", 7, "ours")


def test_memory_and_disk_say_the_same(scores):
    pd.testing.assert_frame_equal(scores.to_pandas(), TABLE, check_dtype=False)
    pd.testing.assert_frame_equal(scores.summary(), Scores(TABLE, 7, "ours").summary())
    assert len(scores) == 7 and repr(scores) == repr(Scores(TABLE, 7, "ours"))


def test_hostile_texts_do_not_act():
    scores = Scores(
        TABLE.assign(system=HOSTILE, reason=HOSTILE),
        7,
        "ours",
        (HOSTILE,),
        (FLAW._replace(found=HOSTILE),),
        1,
    )
    page = scores._repr_html_()
    assert (
        "<script" not in page and "\u202e" not in page and "alert(1)" in page and "\u202e" not in repr(scores)
    )


def test_what_could_not_be_read_is_told_and_counted():
    scores = Scores(TABLE, 7, "ours", ("No contexts.",), (FLAW,) * 30, 45)
    assert (
        len(scores.problems()) == 11
        and scores.problems()[-1] == "... and 35 more"
        and "45 unreadable" in repr(scores)
    )
    assert "No contexts." in scores._repr_html_() and Scores(TABLE, 7, "ours").problems() == []


def test_a_metric_that_was_not_scored_is_not_drawn():
    with pytest.raises(ParameterError, match="no score of metric 'toxicity_rule'"):
        Scores(TABLE, 7, "ours").plot(["toxicity_rule"])
