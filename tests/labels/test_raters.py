"""Agreement of any number of raters: the textbook's table, formulas spelled out with loops, laws, coverage, what labels can carry."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from ragassay.errors import LabelError
from ragassay.labels.raters import (
    COLUMNS,
    accepted,
    agreement,
    coincidences,
    estimate_agreement,
    gwet_ac,
    in_every_respect,
    krippendorff_alpha,
    rank_correlation,
)

NAN = np.nan
TEXTBOOK = np.array([  # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section D: four observers, twelve units
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
])  # fmt: skip


def table(ratings, dimension="d", scale="1-5"):
    """(raters, answers) as a table of labels; NaN is no label."""
    rows = [
        (f"c{i:04d}", "bot", dimension, f"r{r}", ratings[r][i], scale)
        for r in range(len(ratings))
        for i in range(len(ratings[r]))
    ]
    frame = pd.DataFrame(rows, columns=["case_id", "system", "dimension", "rater", "label", "scale"])
    return frame.dropna(subset=["label"], ignore_index=True)


def found_in(ratings):
    return coincidences(table(ratings))


def rng(seed=0):
    return np.random.default_rng(seed)


def test_alpha_of_the_textbook_table():
    found = estimate_agreement(found_in(TEXTBOOK), krippendorff_alpha, rng=rng())
    assert found.value == pytest.approx(0.815, abs=0.0006) and found.n == 11 and found.left_out == 1
    assert found.low < found.value < found.high


def test_gwet_by_hand():
    """Two raters, 0-1: 1-1 three times, 1-0 once: agreed 0.75, share of ones 7/8, by chance 2 * 7/8 * 1/8 = 7/32."""
    found = estimate_agreement(found_in([[1, 1, 1, 1], [1, 1, 1, 0]]), gwet_ac, rng=rng())
    assert found.value == pytest.approx((0.75 - 7 / 32) / (1 - 7 / 32))


def drawn(seed, noise=0.8, n=40, m=3, missing=0.2):
    """Labels 1 to 4 of a common mood with noise, some missing."""
    draw = rng(seed)
    ratings = np.clip(np.round(2.5 + draw.normal(size=n) + noise * draw.normal(size=(m, n))), 1, 4)
    return np.where(draw.random((m, n)) < missing, NAN, ratings)


@pytest.mark.parametrize("seed, alpha, ac2", [
    (None, 0.8153875037548814, 0.912798231573), (0, 0.3517804737133995, 0.595142684848),
    (2, 0.4863010343338988, 0.610493520348),
])  # fmt: skip
def test_values_are_those_of_krippendorff_and_irrcac(seed, alpha, ac2):
    """krippendorff 0.9.0 (GPL) and irrCAC 0.4.4 (pandas below 3), of answers labelled twice or more."""
    found = found_in(TEXTBOOK if seed is None else drawn(seed))
    values = [float(measure(found, np.ones(len(found.agreed)))) for measure in (krippendorff_alpha, gwet_ac)]
    assert values == pytest.approx([alpha, ac2], abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_rank_correlation_is_spearman_of_all_pairs(seed):
    ratings = drawn(seed, m=2, missing=0)
    one, other = np.concatenate(ratings), np.concatenate(ratings[::-1])
    expected = np.corrcoef(rankdata(one), rankdata(other))[0, 1]
    found = found_in(ratings)
    assert rank_correlation(found, np.ones(len(found.agreed))) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, 4, NAN]), min_size=3, max_size=3), min_size=2, max_size=12)
)
def test_laws_hold_for_any_table(columns):
    """The order of raters and of answers does not matter; everything lies within its range or is not available with a reason."""
    ratings = np.array(columns, dtype=float).T
    found, turned = found_in(ratings), found_in(ratings[::-1, ::-1])
    for measure in (krippendorff_alpha, gwet_ac, rank_correlation):
        one, same = (estimate_agreement(each, measure, n_boot=20, rng=rng()) for each in (found, turned))
        assert one.value == pytest.approx(same.value, nan_ok=True) and one.left_out == found.once
        assert one.reason if np.isnan(one.value) else one.value <= 1 + 1e-9


def test_a_cluster_is_redrawn_whole():
    """Answers of one conversation all alike: the interval is as wide as the conversations allow."""
    ratings = np.repeat(drawn(3, n=30, m=2, missing=0), 6, axis=1)
    labels = table(ratings)
    conversation = pd.Series({f"c{i:04d}": f"k{i // 6}" for i in range(180)})
    alone, together = (
        estimate_agreement(coincidences(labels, clusters), krippendorff_alpha, rng=rng())
        for clusters in (None, conversation)
    )
    assert together.value == pytest.approx(alone.value) and together.high - together.low > 1.8 * (
        alone.high - alone.low
    )


def test_a_rater_judges_an_answer_once():
    labels = table([[1, 2, 3]])
    with pytest.raises(LabelError, match="twice"):
        coincidences(pd.concat([labels, labels.assign(label=4)]))


@pytest.mark.parametrize("n", [40, 120])
def test_intervals_cover(n, simulations):
    """300 simulations of three raters, a fifth of labels missing; the truth from 60,000 answers. 3 standard errors."""
    runs = simulations(300)
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    truth = found_in(drawn(99, n=60_000))
    measures = (krippendorff_alpha, gwet_ac, rank_correlation)
    true = {measure: measure(truth, np.ones(len(truth.agreed))) for measure in measures}
    hits = dict.fromkeys(measures, 0)
    for seed in range(runs):
        found = found_in(drawn(1000 + seed, n=n))
        for measure in measures:
            one = estimate_agreement(found, measure, n_boot=500, rng=rng(seed))
            hits[measure] += one.low <= true[measure] <= one.high
    assert all(0.943 - error <= count / runs <= min(0.953 + error, 1) for count in hits.values()), {
        name.__name__: count / runs for name, count in hits.items()
    }


def test_what_labels_carry():
    draw = rng(2)
    good, noise = drawn(4, noise=0.5, n=120), draw.integers(1, 5, (3, 120)).astype(float)
    few = np.where(np.arange(120) < 12, good, np.where(np.arange(3)[:, None] == 0, good, NAN))
    wide = np.where(np.arange(120) < 40, drawn(5, noise=1, n=120)[:2], NAN)
    alike = np.full((2, 120), 5.0)  # but one label of each rater: their ranks agree by chance alone
    alike[[0, 1], [3, 7]] = 4.0
    parts = {"clear": good, "dim": noise, "few": few, "wide": wide, "alike": alike}
    found = agreement(pd.concat([table(each, name) for name, each in parts.items()])).set_index("dimension")
    states = {"clear": "carried", "dim": "refused"} | dict.fromkeys(
        ("few", "wide", "alike"), "not_assessable"
    )
    assert found["state"].to_dict() == states and found.loc["few", "enough"] == "not known"
    assert found.rank_correlation_low["wide"] < 0.1 < found.rank_correlation["wide"]
    assert list(found.reset_index().columns) == COLUMNS and "0.1" in found.loc["dim", "reason"]


def test_accepted_by_hand():
    """Of two raters the lower label counts, of three the middle one; a dimension nobody judged has no row."""
    rows = [("c1", "ann", 5), ("c1", "bob", 2), ("c2", "ann", 4), ("c2", "bob", 4), ("c2", "cleo", 1)]
    labels = pd.DataFrame(rows, columns=["case_id", "rater", "label"]).assign(
        system="bank", dimension="relevant"
    )
    found = accepted(labels, {"relevant": 4, "grounded": 1})
    assert found[["case_id", "dimension", "level", "accepted"]].to_numpy().tolist() == [
        ["c1", "relevant", 2, 0],
        ["c2", "relevant", 4, 1],
    ]
    assert accepted(labels.head(0), {"relevant": 4}).empty and accepted(labels, {}).empty


def test_in_every_respect_by_hand():
    rows = [("c1", "a", 1), ("c1", "b", 0), ("c2", "a", 1), ("c2", "b", 1), ("c3", "a", 1)]
    judged = pd.DataFrame(rows, columns=["case_id", "dimension", "accepted"]).assign(system="bank")
    found = in_every_respect(judged, ["a", "b"])
    assert found[["case_id", "accepted"]].to_numpy().tolist() == [["c1", 0], ["c2", 1]]
    assert in_every_respect(judged.head(0), ["a", "b"]).empty


def test_agreement_of_raters_who_are_not_independent_is_never_called_sufficient():
    labels = table([[1, 2, 3, 4] * 10, [1, 2, 3, 4] * 10])
    assert agreement(labels).enough.tolist() == ["sufficient"]
    assert agreement(labels, independent="no").enough.tolist() == ["not independent"]
