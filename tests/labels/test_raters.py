"""What labels can carry, pairs of raters, disagreements: by hand."""

import numpy as np
import pandas as pd
import pytest

from labels.test_agreement_coefficients import NAN, drawn, rng, table
from ragassay.errors import LabelError
from ragassay.labels.reliability import (
    COLUMNS,
    between_raters,
    disagreements,
    label_reliability,
    rater_overlap,
    sufficiency,
)


def test_one_rater_says_nothing_of_agreement():
    one = label_reliability(table([[1, 2, 3, 4] * 10]), rng=rng()).iloc[0]
    assert (
        one.state == "not_assessable"
        and one.twice == 0
        and np.isnan(one.krippendorff_alpha.value)
        and one.answers == 40
    )


def test_constant_labels_are_not_agreement():
    one = label_reliability(table([[1] * 40] * 2), rng=rng()).iloc[0]
    assert (
        one.state == "not_assessable"
        and "one and the same" in one.reason
        and np.isnan(one.rank_correlation.value)
    )


def test_what_labels_carry():
    draw = rng(2)
    good, noise = drawn(4, noise=0.5, n=120), draw.integers(1, 5, (3, 120)).astype(float)
    few = np.where(np.arange(120) < 12, good, np.where(np.arange(3)[:, None] == 0, good, NAN))
    labels = pd.concat([table(good, "clear"), table(noise, "dim"), table(few, "few")])
    found = label_reliability(labels, rng=rng()).set_index("dimension")
    assert found["state"].to_dict() == {"clear": "carried", "dim": "refused", "few": "not_assessable"}
    assert list(found.reset_index().columns) == COLUMNS and "0.1" in found.loc["dim", "reason"]


def test_no_labels_no_rows():
    assert label_reliability(table([[1, 2]]).iloc[:0], rng=rng()).empty


@pytest.fixture
def labels():
    rows = [("c1", "grounded", "ann", 1), ("c1", "grounded", "bob", 0), ("c2", "grounded", "ann", 1), ("c2", "grounded", "bob", 1),
            ("c1", "relevant", "ann", 5), ("c1", "relevant", "bob", 2), ("c2", "relevant", "ann", 4), ("c2", "relevant", "bob", 4),
            ("c3", "relevant", "ann", 3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["case_id", "dimension", "rater", "label"])
    return frame.assign(system="bank", scale=np.where(frame["dimension"] == "grounded", "0-1", "1-5"))


def test_disagreements_by_hand(labels):
    found = disagreements(labels.sample(frac=1, random_state=1))
    assert found[["case_id", "dimension", "spread"]].to_numpy().tolist() == [
        ["c1", "relevant", 3],
        ["c1", "grounded", 1],
    ]
    assert found.loc[0, "given"] == "ann: 5; bob: 2"
    assert len(disagreements(labels[labels["case_id"] == "c2"])) == 0


def test_between_raters_by_hand(labels):
    found = between_raters(labels, rng=rng())
    assert found[["dimension", "first", "second", "n", "agreement", "kind"]].to_numpy().tolist() == [
        ["grounded", "ann", "bob", 2, 0.5, "cohen"], ["relevant", "ann", "bob", 2, 0.5, "quadratic"]
    ]  # fmt: skip
    assert len(between_raters(labels[labels["rater"] == "ann"], rng=rng())) == 0
    with pytest.raises(LabelError, match="scale"):
        between_raters(labels.assign(scale="low to high"), rng=rng())


def test_agreement_of_raters_who_are_not_independent_is_never_called_sufficient():
    found = label_reliability(table([[1, 2, 3, 4] * 10, [1, 2, 3, 4] * 10]), rng=rng())
    assert sufficiency(found).tolist() == ["sufficient"]
    assert sufficiency(found, independent="no").tolist() == ["not independent"]


@pytest.mark.parametrize(
    "pairs, overlap",
    [
        (["a", "b"], "none"),
        (["ab"], "every pair"),
        (["ab", "bc", "ac"], "every pair"),
        (["ad", "bd", "cd", "d"], "star"),
        (["ab", "bc", "cd"], "connected"),
        (["ab", "cd"], "apart"),
        (["ab", "c"], "apart"),
    ],
)
def test_which_raters_share_answers(pairs, overlap):
    rows = [(f"c{case}", rater) for case, raters in enumerate(pairs) for rater in raters]
    labels = pd.DataFrame(rows, columns=["case_id", "rater"]).assign(system="s", dimension="d", label=1.0)
    assert rater_overlap(labels) == overlap
