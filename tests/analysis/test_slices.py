"""The table of weak slices: every slice with its interval; a user's own table."""

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay import tables
from ragassay.analysis import slices
from ragassay.errors import ParameterError, TableError
from ragassay.stats import mean_interval

TOPICS = ["T1"] * 40 + ["T2"] * 40 + ["T3"] * 40


@pytest.fixture
def cases() -> pd.DataFrame:
    spanish = np.array(["en"] * 120, dtype=object)
    spanish[40:64] = "es"
    return cases_of(TOPICS, answer_type="short_fact", answerable=True, language=spanish, kind="own")


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.random.default_rng(2).uniform(0.6, 0.9, 120)
    values[40:80] -= 0.3
    return pd.concat([scores_of(values), scores_of(1 - values, metric="privacy_leak_rate")])


def found(scores, cases, names=("topic", "language"), metrics=("groundedness",), seed=0) -> pd.DataFrame:
    values = scores.pivot(index="case_id", columns="metric", values="value").reset_index()
    return slices.search(cases.merge(values), list(metrics), names, seed=seed).table


def test_the_weak_topic_is_the_finding(scores, cases):
    table = found(scores, cases)
    tables.check("weakness", table)
    first = table.iloc[0]
    assert table["finding"].sum() == 1 and first["level"] == "T2"
    mine = scores[scores["metric"] == "groundedness"]["value"].to_numpy()
    assert first["mean"] == pytest.approx(mine[40:80].mean())
    assert first["rest"] == pytest.approx(np.delete(mine, range(40, 80)).mean())
    assert first["difference"] == pytest.approx(first["mean"] - first["rest"])
    assert first["low"] < first["mean"] < first["high"] < first["rest"]


def test_no_slice_follows_from_how_its_column_is_made(cases):
    """Declining is right for one kind of question and wrong for the other; the slice of one kind is no slice."""
    kinds = np.where(np.arange(120) < 30, "no_answer", "short_fact")
    asked = cases.assign(answer_type=kinds, answerable=kinds != "no_answer")
    values = np.where(asked["answerable"], 1.0, 0.0)
    values[100:104] = 0
    given = scores_of(values, metric="abstention_correct")
    table = found(given, asked, ["answer_type", "topic"], ["abstention_correct"])
    assert "no_answer" not in set(table["level"]) and not table["flagged"].any()
    assert found(scores_of(values), asked.assign(origin="own"), ["origin"]).empty


def test_what_is_found_depends_on_no_seed_nor_order_and_one_adjustment_is_over_all(scores, cases):
    """Two mirrored metrics tie to the last bit: which of them is the finding goes by name, on any machine."""
    both = ["groundedness", "privacy_leak_rate"]
    table, other = (found(scores, cases, metrics=both, seed=seed) for seed in (0, 1))
    same = ["metric", "level", "difference", "p", "q", "flagged", "finding", "tests", "confidence"]
    pd.testing.assert_frame_equal(table[same], other[same])
    again = scores.sample(frac=1, random_state=1), cases.sample(frac=1, random_state=2)
    pd.testing.assert_frame_equal(found(*again, metrics=both), table)
    assert table["metric"].iloc[0] == "groundedness" and table["finding"].sum() == 1
    assert table["confidence"].tolist() == [1 - 0.05 / table["tests"][0]] + [0.95] * (len(table) - 1)
    usual = mean_interval(scores["value"].to_numpy()[40:80], rng=np.random.default_rng(0))
    assert table.loc[0, "high"] - table.loc[0, "low"] > 1.1 * (usual.high - usual.low)


def test_no_score_at_all_is_an_empty_table(cases):
    table = found(scores_of([np.nan] * 120), cases)
    assert table.empty and not table["finding"].any()
    tables.check("weakness", table)
    tables.check("weakness", found(scores_of([1.0] * 120), cases, metrics=[]))


def test_a_table_of_ones_own(rng):
    """No case_id, no metric of the kit, a scale of its own: higher is better."""
    branch = rng.choice(list("abcd"), 400)
    stars = rng.normal(70, 5, 400) - 12 * (branch == "c")
    found = slices.search(pd.DataFrame({"stars": stars, "branch": branch}), "stars", ["branch"])
    assert found.weak["level"].tolist() == ["c"] and len(found.factors) == 4 == found.tests
    assert slices.name_slices(found.weak)["slice"].tolist() == ["branch c"]


@pytest.mark.parametrize("wrong", [{"minimum": 1}, {"level": 0.0}, {"least_effect": -0.1}])
def test_refusals(wrong):
    with pytest.raises(TableError, match="'nothing'"):
        slices.search(pd.DataFrame({"a": [1.0]}), "a", ["nothing"])
    with pytest.raises(ParameterError):
        slices.search(pd.DataFrame({"a": [1.0]}), "a", ["a"], **wrong)
