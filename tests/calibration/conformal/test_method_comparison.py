"""Methods of conformal prediction side by side: a row each, by topic where topics are known, and what it promises."""

import numpy as np
import pandas as pd
import pytest

from ragassay.calibration.conformal.method_comparison import COLUMNS, METHODS, compare_methods


def labelled(n, seed, topics=True):
    """Answers of two topics: in `clear` the score tells the label well, in `murky` badly."""
    rng = np.random.default_rng(seed)
    murky = rng.random(n) < 0.5
    label = (rng.random(n) < 0.6).astype(int)
    value = np.where(murky, 0.3, 2.0) * (2 * label - 1) + rng.normal(size=n) * 0.8
    found = pd.DataFrame({"case_id": [f"c{i}" for i in range(n)], "value": value, "label": label})
    found["cluster"] = found["case_id"]
    return found.assign(group=np.where(murky, "murky", "clear")) if topics else found


def test_a_row_for_each_method():
    found = compare_methods(labelled(80, 0), alpha=0.2)
    assert list(found) == COLUMNS and found["method"].tolist() == list(METHODS)
    assert (found["n"] == 80).all() and (found["reason"] == "").all() and found["coverage"].ge(0.65).all()
    assert found.set_index("method")["promise"]["by topic"] == "1 - alpha for each topic"


@pytest.mark.parametrize("table", [labelled(60, 0, topics=False), labelled(60, 0).assign(group=None)])
def test_without_topics_that_row_alone_says_why(table):
    found = compare_methods(table, alpha=0.2).set_index("method")
    assert found.loc["by topic", "reason"] == "the labelled answers have no topics"
    assert (
        np.isnan(found.loc["by topic", "coverage"]) and (found.drop(index="by topic")["reason"] == "").all()
    )


def test_one_topic_for_all_is_the_split():
    """By hand: where all answers are of one topic, its threshold is that of all of the same half."""
    table = labelled(120, 1).assign(group="all")
    pooled = table.assign(group="everything")
    one, other, split = (
        METHODS[method](given[:90], given[90:], 0.2, 0)
        for method, given in (("by topic", table), ("by topic", pooled), ("split", table))
    )
    assert one == other == split


def test_a_topic_never_seen_rules_nothing_out():
    table = labelled(120, 2)
    new = table[90:].assign(group="new topic")
    assert all(list(each) == [0, 1] for each in METHODS["by topic"](table[:90], new, 0.2, 0))


def test_the_promise_holds_within_each_topic(simulations):
    """A pooled threshold gives the murky topic less than it promises; its own gives what it promises."""
    covered = {"split": {"clear": [], "murky": []}, "by topic": {"clear": [], "murky": []}}
    for seed in range(simulations(150)):
        table = labelled(240, 1000 + seed)
        known, new = table[:200], table[200:]
        for method, by_topic in covered.items():
            sets = METHODS[method](known, new, 0.2, seed)
            hits = np.array([label in each for label, each in zip(new["label"], sets, strict=True)])
            for topic, found in by_topic.items():
                found += hits[(new["group"] == topic).to_numpy()].tolist()
    for topic in ("clear", "murky"):
        found = covered["by topic"][topic]
        assert np.mean(found) >= 0.8 - 3 * np.sqrt(0.16 / len(found))
    assert np.mean(covered["split"]["murky"]) < np.mean(covered["by topic"]["murky"]) - 0.02
