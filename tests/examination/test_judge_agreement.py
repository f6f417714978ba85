"""Two judges on the same answers, against scikit-learn and scipy; coverage of the intervals; prompts compared."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix, f1_score

from ragassay.errors import ParameterError
from ragassay.examination import conditions, judge_agreement
from ragassay.examination.examine import COLUMNS, FAILED, PASSED, Examination


def marks(draw, n):
    graded = (None, 1, 2, 3, 4, 5)
    return [
        {
            mark: (graded if mark in judge_agreement.GRADED else (None, 0, 1))[
                draw.integers(6 if mark in judge_agreement.GRADED else 3)
            ]
            for mark in conditions.MARKS
        }
        for _ in range(n)
    ]


def column(given, mark):
    return np.array([np.nan if each[mark] is None else each[mark] for each in given], dtype=float)


def test_rivals(rng):
    one, other = marks(rng, 80), marks(rng, 80)
    table = judge_agreement.agreement(one, other, rng=rng).set_index("metric")
    a, b = column(one, "completeness"), column(other, "completeness")
    both = ~(np.isnan(a) | np.isnan(b))
    assert table.loc["completeness", "value"] == pytest.approx(stats.spearmanr(a[both], b[both]).statistic)
    assert table.loc["completeness", ["n", "left_out"]].tolist() == [both.sum(), (~both).sum()]
    a, b = (np.nan_to_num(column(each, "usefulness"), nan=2) for each in (one, other))
    assert table.loc["usefulness", "value"] == pytest.approx(f1_score(a, b, average="macro"))
    assert table.loc["usefulness", "exact"] == pytest.approx(np.mean(a == b))
    assert (
        judge_agreement.confusion(one, other, "usefulness").to_numpy().tolist()
        == confusion_matrix(a, b, labels=[0, 1, 2]).tolist()
    )
    assert (table.low <= table.value).all() and (table.value <= table.high).all()


def test_unread_marks_are_left_out_and_counted(rng):
    one, other = marks(rng, 30), marks(rng, 30)
    del one[0]["faithfulness"]
    other[1]["faithfulness"] = float("nan")
    row = judge_agreement.agreement(one, other, rng=rng).set_index("metric").loc["faithfulness"]
    assert (row.n, row.left_out) == (28, 2) and judge_agreement.confusion(
        one, other, "faithfulness"
    ).to_numpy().sum() == 28


def test_one_mark_only_has_no_correlation_and_says_why(rng):
    same = [dict.fromkeys(conditions.MARKS, 1)] * 20
    table = judge_agreement.agreement(same, same, rng=rng).set_index("metric")
    assert (
        np.isnan(table.loc["completeness", "value"])
        and "one mark only" in table.loc["completeness", "reason"]
    )
    assert table.loc["faithfulness", "value"] == 1.0 and np.isnan(table.loc["faithfulness", "low"])


@pytest.mark.parametrize(("first", "second", "clusters"), [([{}], [], None), ([{}], [{}], ["a", "b"])])
def test_unlike_lengths_are_refused(first, second, clusters, rng):
    with pytest.raises(ParameterError):
        judge_agreement.agreement(first, second, clusters=clusters, rng=rng)


def examination(name, passed, tests=54):
    rows = [
        (test, f"q{test % 9}", 1, mark, 1.0, "==1", PASSED if test < passed else FAILED)
        for test in range(tests)
        for mark in conditions.ALL
    ]
    return Examination(name, pd.DataFrame(rows, columns=COLUMNS))


def test_ablation_by_hand():
    table = judge_agreement.ablation([examination("short prompt", 25), examination("long prompt", 54)])
    assert table.total.tolist() == pytest.approx([25 / 54, 1.0]) and table.against_first.isna().tolist() == [
        True,
        False,
    ]
    assert (
        table.against_first[1] == pytest.approx(29 / 54)
        and 0.4 < table.against_low[1] < 29 / 54 < table.against_high[1] < 0.7
    )


@pytest.mark.parametrize(
    "given", [[], [examination("a", 1), examination("a", 2)], [examination("a", 1), examination("b", 2, 9)]]
)
def test_ablation_refuses(given):
    with pytest.raises(ParameterError):
        judge_agreement.ablation(given)
