"""Weak slices: planted ones found, false ones rare, one finding of nested ones, exact p values; a user's own table."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

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
    return slices.search(cases.merge(values), list(metrics), names, seed=seed)


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


def test_a_table_of_ones_own(rng):
    """No case_id, no metric of the kit, a scale of its own: higher is better."""
    branch = rng.choice(list("abcd"), 400)
    stars = rng.normal(70, 5, 400) - 12 * (branch == "c")
    found = slices.search(pd.DataFrame({"stars": stars, "branch": branch}), "stars", ["branch"])
    assert found.query("finding")["level"].tolist() == ["c"] and (found["tests"] == 4).all()
    assert slices.name_slices(found.query("finding"))["slice"].tolist() == ["branch c"]


@pytest.mark.parametrize("wrong", [{"minimum": 1}, {"level": 0.0}])
def test_refusals(wrong):
    with pytest.raises(TableError, match="'nothing'"):
        slices.search(pd.DataFrame({"a": [1.0]}), "a", ["nothing"])
    with pytest.raises(ParameterError):
        slices.search(pd.DataFrame({"a": [1.0]}), "a", ["a"], **wrong)


LEVELS = {"topic": 6, "kind": 5, "answer": 4, "language": 3, "length": 3, "place": 3, "audience": 2}
PLANTED = "topic=0 & kind=0"
N, SUPPORT, EFFECT = 400, 40, 0.2


def search_once(rng, planted: bool, verdicts: bool) -> pd.DataFrame:
    """The slices of one table of 400 cases and two metrics, of which the first is lower in a pair of 40 cases."""
    cases = pd.DataFrame({name: rng.integers(0, n, N).astype(str) for name, n in LEVELS.items()})
    cases = cases.assign(cluster=[f"case {i}" for i in range(N)], origin=rng.choice(["own", "generated"], N))
    inside = np.zeros(N, dtype=bool)
    if planted:
        cases.loc[(cases["topic"] == "0") & (cases["kind"] == "0"), "topic"] = "1"
        inside[rng.permutation(N)[:SUPPORT]] = True
        cases.loc[inside, ["topic", "kind"]] = "0"
    parts = {}
    for metric, lower in (("first", EFFECT * inside), ("second", 0.0 * inside)):
        scores = rng.random(N) < 0.8 - lower if verdicts else np.clip(rng.beta(6, 2, N) - lower, 0, 1)
        parts[metric] = cases.assign(value=scores.astype(float))
    return slices.find_weak_slices(parts, list(LEVELS))


def shares(seed: int, n: int, planted=False, verdicts=False) -> tuple[float, float]:
    """Of n tables: the share with the planted slice found, and with any other slice."""
    rng, hits, others = np.random.default_rng(seed), 0, 0
    for _ in range(n):
        found = search_once(rng, planted, verdicts).query("finding")
        hit = (found["level"] == PLANTED) & (found["metric"] == "first")
        hits, others = hits + bool(hit.any()), others + bool((~hit).any())
    return hits / n, others / n


def rows_of(values, **columns) -> pd.DataFrame:
    return pd.DataFrame({"value": values, "cluster": [f"case {i}" for i in range(len(values))], **columns})


def findings_of(rows, names) -> pd.DataFrame:
    return slices.find_weak_slices({"own": rows}, names)


def test_nested_slices_and_one_slice_under_two_names_are_one_finding(rng):
    """A weak topic; a column that says the same of it, and one that splits it in two."""
    topic = np.repeat(["a", "b", "c"], 60)
    part = np.where(topic == "a", np.where(np.arange(180) % 2, "left", "right"), "elsewhere")
    rows = rows_of(rng.normal(0.8, 0.1, 180) - 0.3 * (topic == "a"), topic=topic, same=topic, part=part)
    found = findings_of(rows, ["topic", "same", "part"])
    assert found["flagged"].sum() >= 4
    assert found.loc[found["finding"], "level"].tolist() in (["a"], ["elsewhere"])


def test_a_slice_whose_interval_does_not_exclude_the_rest_is_no_finding():
    """Six of seven pairs of wordings fail, of 101 others one in eight: clear by the test; at that level of
    confidence seven clusters bear no interval."""
    values = np.repeat([1.0, *np.zeros(6), *np.zeros(13), *np.ones(88)], 2)
    wide = pd.DataFrame({"right": values, "language": np.where(np.arange(216) < 14, "other", "same")})
    wide["group_id"] = [f"g{row // 2}" for row in range(216)]
    for level, is_listed in ((0.05, True), (0.001, False)):
        row = slices.search(wide, "right", ["language"], level=level).iloc[0]
        assert row["level"] == "other" and row["flagged"] and row["finding"] == is_listed
        assert (row["high"] < row["rest"]) == is_listed


def test_the_wordings_of_one_question_count_once(rng):
    """Ten wordings of each question have its value: with clusters ten questions are no proof."""
    values = np.repeat(rng.normal(0.8, 0.1, 20), 10)
    rows = rows_of(values, topic=np.repeat(["a", "b"], 100))
    drawn = rows.assign(cluster=np.repeat([f"group {i}" for i in range(20)], 10))
    once = drawn.drop_duplicates("cluster")
    assert findings_of(drawn, ["topic"])["p"].tolist() == findings_of(once, ["topic"])["p"].tolist()


def test_a_share_has_the_p_of_fisher(rng):
    """Without a seed: 6 of 40 against 9 of 360, and a slice of all but 5."""
    for inside, low, rest in ((40, 6, 340), (395, 380, 5)):
        values = np.r_[np.ones(low), np.zeros(inside - low), np.ones(rest), np.zeros(400 - inside - rest)]
        z = compare(values, np.arange(400) < inside)
        table = [[low, inside - low], [rest, 400 - inside - rest]]
        exact = stats.fisher_exact(table, alternative="less").pvalue
        assert stats.norm.cdf(z[0]) == pytest.approx(exact, rel=1e-9)


def compare(values, inside) -> np.ndarray:
    member = np.asarray(inside, float).reshape(len(values), -1)
    return slices.exchange_test(np.asarray(values, float), member, np.zeros(len(values)))[1]


def test_no_p_is_smaller_than_the_exchanges_say(rng):
    """Scores of many values in 12 of 60, and 24 clusters that lie in part in a slice."""
    values, part = rng.beta(8, 2, 60), rng.random(60) * (rng.random(60) < 0.4)
    member = np.column_stack([np.arange(60) < 12, part])
    orders = rng.permuted(np.tile(values, (200_000, 1)), axis=1)
    sums = orders @ (member - member.mean(axis=0))
    for share in (0.1, 0.01, 0.001, 0.0001):
        for place, row in enumerate(np.argsort(sums, axis=0)[int(share * len(sums))]):
            p = stats.norm.cdf(compare(orders[row], member)[place])
            assert 0.7 * share < p < 4 * share


def test_a_slice_is_compared_within_its_origin_alone(rng):
    """The only slice of an origin has nothing to be compared with, whatever the others hold."""
    origin = np.repeat(["own", "generated"], [30, 90])
    topic = np.where(origin == "own", "a", rng.choice(["b", "c"], 120))
    rows = rows_of(rng.random(120) - (origin == "own"), topic=topic, origin=origin)
    found = findings_of(rows, ["topic"])
    assert sorted(found["level"]) == ["b", "c"] and not found["flagged"].any()


def test_the_planted_slice_is_found_and_hardly_another(simulations):
    """A pair of 40 scores, 0.2 lower than the others."""
    n = simulations(50)
    hit, other = shares(3, n, planted=True)
    assert hit >= 0.8 and other <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
