"""The result: in memory or on disk it says the same; it prints, sums up, draws and shows itself, and nothing in it acts."""

import pandas as pd
import pytest
from fake_scores import rows

from ragassay.answers.log_files import Flaw
from ragassay.api import Scores, scoring_result
from ragassay.api.score_files import writing
from ragassay.api.summary import summarise
from ragassay.errors import ParameterError
from ragassay.scores import DEFAULT, headlines

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
    with writing(tmp_path / f"s{request.param}") as writer:
        writer.add(TABLE)
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


def test_the_picture_and_its_words():
    plot = Scores(TABLE, 7, "ours").plot()
    again = Scores(TABLE, 7, "ours").plot()
    assert scoring_result.drawing(plot).startswith("<?xml")
    assert scoring_result.drawing(plot) == scoring_result.drawing(again)
    assert names_drawn(Scores(TABLE, 7, "ours").plot(["groundedness"])) == ["groundedness"]


def test_a_metric_that_was_not_scored_is_not_drawn():
    with pytest.raises(ParameterError, match="no score of metric 'toxicity_rule'"):
        Scores(TABLE, 7, "ours").plot(["toxicity_rule"])


def names_drawn(plot) -> list[str]:
    return [label.get_text() for label in plot.figure.axes[0].get_yticklabels()]


def test_what_was_never_measured_is_not_drawn_unless_named():
    table = pd.concat([TABLE, rows("bleu", [None] * 7)], ignore_index=True)
    assert names_drawn(Scores(table, 7, "ours").plot()) == ["groundedness", "privacy_leaks"]
    assert names_drawn(Scores(table, 7, "ours").plot(["bleu", "groundedness"])) == ["groundedness", "bleu"]
    assert len(Scores(rows("bleu", [None] * 7), 7, "ours").plot().axes[0].texts) == 1  # says why


def summary_of(values: dict[str, list]) -> pd.DataFrame:
    return summarise([pd.concat([rows(name, found) for name, found in values.items()], ignore_index=True)])


def named_first(found: pd.DataFrame, **options) -> list[str]:
    return [line.split()[0] for line in scoring_result.lines(found, **options)]


def test_twelve_are_printed_safety_among_them_and_those_with_a_value_first():
    measured = {"groundedness", "answer_words", "schema_valid", "abstains"}
    found = summary_of({name: [0.5, 0.7] if name in measured else [None] * 2 for name in DEFAULT})
    names = named_first(found)[:12]
    assert set(names) > {*measured, *scoring_result.SAFETY} and names[0] == "groundedness"
    assert set(names) <= {*measured, *headlines(), *scoring_result.SAFETY}


def test_everything_is_printed_in_its_order():
    found = summary_of({name: [0.5, 0.7] for name in DEFAULT})
    assert named_first(found, everything=True) == list(DEFAULT)
