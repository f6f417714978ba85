"""Variants against what they vary: by hand, against scipy, laws, refusals; abstention."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of
from scipy import stats

from ragassay.analysis import robustness
from ragassay.errors import TableError
from ragassay.stats import exceeds


def variants_of(kind="spelling", n=20, prefix="v", **columns) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case_id": [f"{prefix}{i:03d}" for i in range(n)],
            "parent_id": [f"c{i:03d}" for i in range(n)],
            "kind": kind,
            **columns,
        }
    )


def test_by_hand(rng):
    base = scores_of([0.8] * 10 + [0.4] * 10)
    after = scores_of([0.5] * 4 + [0.8] * 6 + [0.4] * 9 + [np.nan], prefix="v")
    row = robustness.compare_variants(
        base, after, variants_of(intensity=0.2), metric="groundedness", threshold=0.7, rng=rng
    ).iloc[0]
    assert (row["pairs"], row["n"], row["left_out"], row["reason"]) == (20, 19, 1, "1 variant not measured")
    assert row["difference"] == pytest.approx(4 * -0.3 / 19)
    assert (row["flips"], row["to_fail"], row["flip_rate"]) == (4, 4, pytest.approx(4 / 19))
    rival = stats.binomtest(4, 19).proportion_ci(0.95, "exact")
    assert (row["flip_low"], row["flip_high"]) == pytest.approx((rival.low, rival.high))
    assert row["p"] == 1 / 2**4  # four parents lost, none gained


def test_p_agrees_with_scipy(rng):
    """Of scores that are 0 or 1, and only ever lost: the binomial test against the smallest difference."""
    after = np.r_[np.zeros(9), np.ones(31)]
    row = robustness.compare_variants(
        scores_of(np.ones(40)),
        scores_of(after, prefix="v"),
        variants_of(n=40),
        metric="groundedness",
        rng=rng,
        smallest_difference=0.1,
    ).iloc[0]
    rival = stats.binomtest(9, 40, 0.1, alternative="greater").pvalue
    assert row["p"] == pytest.approx(rival, abs=0.005) and row["smallest_difference"] == 0.1


def test_each_kind_and_intensity_is_judged_and_the_harmful_one_found(rng):
    before = rng.uniform(0.5, 0.9, 40)
    sides = [("spelling", 0.1, "v", 0.0), ("spelling", 0.3, "w", 0.15), ("paraphrase", np.nan, "x", 0.0)]
    after = pd.concat(
        [scores_of(before - drop + rng.normal(0, 0.03, 40), prefix=prefix) for _, _, prefix, drop in sides]
    )
    cases = pd.concat(
        [variants_of(kind, 40, prefix, intensity=strength) for kind, strength, prefix, _ in sides]
    )
    found = robustness.compare_variants(scores_of(before), after, cases, metric="groundedness", rng=rng)
    assert found[["kind", "worse"]].to_numpy().tolist() == [
        ["paraphrase", False],
        ["spelling", False],
        ["spelling", True],
    ]
    assert np.isnan(found["intensity"][0]) and found["intensity"].tolist()[1:] == [0.1, 0.3]
    assert found["flip_rate"].isna().all()


def test_several_variants_of_a_question_count_as_one_draw(rng):
    before = rng.uniform(0.5, 0.9, 8)
    moved = np.repeat(rng.normal(-0.05, 0.1, 8), 5)
    cases = pd.DataFrame(
        {
            "case_id": [f"v{i:03d}" for i in range(40)],
            "parent_id": np.repeat([f"c{i:03d}" for i in range(8)], 5),
            "kind": "spelling",
        }
    )
    found = robustness.compare_variants(
        scores_of(before),
        scores_of(np.repeat(before, 5) + moved, prefix="v"),
        cases,
        metric="groundedness",
        rng=rng,
    ).iloc[0]
    by_parent = exceeds(-moved[::5], 0.0, rng=np.random.default_rng(0))
    assert found["n"] == 40 and found["p"] == pytest.approx(by_parent, abs=0.02)


def test_no_change_is_no_finding(rng):
    base = scores_of(rng.uniform(0, 1, 20))
    row = robustness.compare_variants(
        base,
        base.assign(case_id=base["case_id"].str.replace("c", "v")),
        variants_of(),
        metric="groundedness",
        threshold=0.5,
        rng=rng,
    ).iloc[0]
    assert (
        row["difference"] == 0
        and row["p"] == 1
        and not row["worse"]
        and row["flips"] == 0
        and row["flip_high"] == pytest.approx(1 - 0.025**0.05)
    )


def test_a_kind_that_was_never_scored_is_shown_with_its_reason(rng):
    base, after = scores_of([0.5] * 20), scores_of([np.nan] * 20, prefix="v")
    row = robustness.compare_variants(
        base, after, variants_of(), metric="groundedness", threshold=0.4, rng=rng
    ).iloc[0]
    assert (
        row["n"] == 0
        and np.isnan(row["difference"])
        and np.isnan(row["p"])
        and row["reason"] == "20 variant not measured"
        and not row["worse"]
    )


def test_refusals(rng):
    base = scores_of([0.5] * 20)
    with pytest.raises(TableError, match="no parent_id"):
        robustness.compare_variants(
            base,
            scores_of([0.5] * 20, prefix="v"),
            variants_of().assign(parent_id=None),
            metric="groundedness",
            rng=rng,
        )
    with pytest.raises(TableError, match="no variant has a score"):
        robustness.compare_variants(
            base, scores_of([0.5] * 20, prefix="other"), variants_of(), metric="groundedness", rng=rng
        )
    with pytest.raises(TableError, match="two systems"):
        robustness.compare_variants(
            base, scores_of([0.5] * 20, prefix="v", system="b"), variants_of(), metric="groundedness", rng=rng
        )


def test_abstention_by_hand():
    cases = cases_of("T" * 5, answerable=[False, False, False, False, True])
    said = [
        "I could not find this in the documents.",
        "The fee is 5 dollars.",
        "I do not know.",
        None,
        "I do not know.",
    ]
    errors = [None, None, None, "timeout", None]
    answers = pd.DataFrame(
        {"case_id": cases["case_id"], "system": "bank", "repeat": 0, "answer": said, "error": errors}
    )
    refused = robustness.abstention_rate(answers, cases)
    assert (refused.value, refused.n, refused.left_out) == (pytest.approx(2 / 3), 3, 1)
    assert refused.low == pytest.approx(stats.binomtest(2, 3).proportion_ci(0.95, "exact").low)
    assert robustness.abstention_rate(answers, cases, answerable=True).value == 1
    assert "no case asked" in robustness.abstention_rate(answers, cases[cases["answerable"]]).reason


def over_two(rng, drop=0.15):
    before = {"groundedness": rng.uniform(0.5, 0.9, 40), "answer_relevancy": rng.uniform(0.5, 0.9, 40)}
    moved = {"groundedness": rng.normal(-drop, 0.03, 40), "answer_relevancy": rng.normal(0, 0.03, 40)}
    base = pd.concat([scores_of(values, metric) for metric, values in before.items()])
    after = pd.concat([scores_of(before[metric] + moved[metric], metric, prefix="v") for metric in before])
    return base, after, variants_of(n=40, intensity=0.3)


def test_several_metrics_share_one_control_of_false_discoveries(rng):
    base, after, cases = over_two(rng)
    found = robustness.compare_metrics(
        base,
        after,
        cases,
        thresholds={"groundedness": 0.6, "answer_relevancy": None},
        rng=np.random.default_rng(1),
    )
    assert found["metric"].tolist() == ["groundedness", "answer_relevancy"] and found["worse"].tolist() == [
        True,
        False,
    ]
    assert found["q"].to_numpy() == pytest.approx(stats.false_discovery_control(found["p"]))
    assert found["flip_rate"].notna().tolist() == [True, False]


def test_a_loss_that_is_not_worth_naming_is_not_worse(rng):
    base, after, cases = over_two(rng, drop=0.03)
    named = {"groundedness": None, "answer_relevancy": None}
    found = [
        robustness.compare_metrics(
            base, after, cases, thresholds=named, rng=np.random.default_rng(1), smallest_difference=least
        )["worse"].tolist()
        for least in (0.0, 0.05)
    ]
    assert found == [[True, False], [False, False]]


def test_variants_are_held_against_the_question_of_their_parent():
    """Else a metric that compares with the question would measure the misspelling."""
    answers = pd.DataFrame(
        {"case_id": ["v000", "o1"], "question": ["Wht is it?", "Who?"], "answer": ["a", "b"]}
    )
    parents = pd.DataFrame({"case_id": ["c000"], "question": ["What is it?"]})
    held = robustness.against_originals(answers, variants_of(n=1), parents)
    assert held["question"].tolist() == ["What is it?", "Who?"] and answers["question"][0] == "Wht is it?"
