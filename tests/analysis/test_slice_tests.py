"""The search for weak slices: false slices rare, planted ones found, one finding of nested slices, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ragassay.analysis import slices

LEVELS = {"topic": 6, "kind": 5, "answer": 4, "language": 3, "length": 3, "place": 3, "audience": 2}
PLANTED = "topic=0 & kind=0"
N, SUPPORT, EFFECT = 400, 40, 0.2


def made_cases(rng, planted: bool, support: int = SUPPORT) -> tuple[pd.DataFrame, np.ndarray]:
    """400 cases with a level of each factor, and which of them are in the planted pair: 40 or none."""
    cases = pd.DataFrame({name: rng.integers(0, n, N).astype(str) for name, n in LEVELS.items()})
    cases = cases.assign(cluster=[f"case {i}" for i in range(N)], origin=rng.choice(["own", "generated"], N))
    inside = np.zeros(N, dtype=bool)
    if planted:
        cases.loc[(cases["topic"] == "0") & (cases["kind"] == "0"), "topic"] = "1"
        inside[rng.permutation(N)[:support]] = True
        cases.loc[inside, ["topic", "kind"]] = "0"
    return cases, inside


def search_once(rng, *, planted=False, verdicts=False, accepted=0.8, effect=EFFECT, support=SUPPORT):
    """The slices of one table with two metrics, the first of which has the planted weakness."""
    cases, inside = made_cases(rng, planted, support)
    parts = {}
    for metric in ("first", "second"):
        lower = effect * (inside & (metric == "first"))
        scores = rng.random(N) < accepted - lower if verdicts else np.clip(rng.beta(6, 2, N) - lower, 0, 1)
        parts[metric] = cases.assign(value=scores.astype(float))
    return slices.find_weak_slices(parts, list(LEVELS))


def shares(seed: int, n: int, **how) -> tuple[float, float]:
    """Of n tables: the share with the planted slice found, and with any other slice."""
    rng, hits, others = np.random.default_rng(seed), 0, 0
    for _ in range(n):
        table = search_once(rng, **how)
        found = table[table["finding"]]
        hit = (found["level"] == PLANTED) & (found["metric"] == "first")
        hits, others = hits + bool(hit.any()), others + bool((~hit).any())
    return hits / n, others / n


def rows_of(values, **columns) -> pd.DataFrame:
    return pd.DataFrame({"value": values, "cluster": [f"case {i}" for i in range(len(values))], **columns})


def findings_of(rows, names, **rules) -> pd.DataFrame:
    return slices.find_weak_slices({"own": rows}, names, **rules)


def test_nested_slices_and_one_slice_under_two_names_are_one_finding(rng):
    """A weak topic; a column that says the same of it, and one that splits it in two."""
    topic = np.repeat(["a", "b", "c"], 60)
    part = np.where(topic == "a", np.where(np.arange(180) % 2, "left", "right"), "elsewhere")
    rows = rows_of(rng.normal(0.8, 0.1, 180) - 0.3 * (topic == "a"), topic=topic, same=topic, part=part)
    found = findings_of(rows, ["topic", "same", "part"])
    assert found["flagged"].sum() >= 4
    assert found.loc[found["finding"], "level"].tolist() in (["a"], ["elsewhere"])


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
