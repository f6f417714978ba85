"""The search for weak slices: false slices rare, planted ones found, one finding of nested slices, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ragassay.analysis.slicing import slice_search, slice_tests, slice_units
from ragassay.analysis.slicing.slice_search import Rules
from ragassay.errors import ParameterError

LEVELS = {"topic": 6, "kind": 5, "answer": 4, "language": 3, "length": 3, "place": 3, "audience": 2}
PLANTED = "topic=0 & kind=0"
N, SUPPORT, EFFECT = 400, 40, 0.2
SIZES = [(1, 3), (1, 9), (5, 9)]  # wordings of a question of topic 1, of topic 2, of another but 0


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


def clustered(rng, rows: pd.DataFrame, *, verdicts: bool) -> pd.DataFrame:
    """Wordings of questions, 1 to 8 a question, an intra-cluster correlation of 0.5, and no slice weaker than
    the rest of its origin. Topic, kind and answer belong to a question: questions of topic 0 are mostly alone,
    those of topics 3 to 5 have mostly 5 to 8 wordings; the other factors vary among wordings. Own questions
    are harder, and most of topics 0 and 1."""
    topic = rng.integers(0, 6, N)
    usual = np.choose(np.minimum(topic, 3), [np.ones(N, int), *(rng.integers(*of, N) for of in SIZES)])
    question = np.repeat(np.arange(N), np.where(rng.random(N) < 0.1, rng.integers(1, 9, N), usual))[:N]
    own = rng.random(N) < np.where(topic < 2, 0.8, 0.3)
    good = np.where(own, 0.6, 0.8)
    easy = rng.beta(good, 1 - good) if verdicts else good - 0.8 + rng.beta(8, 2, N)
    value = rng.random(N) < easy[question] if verdicts else easy[question] + rng.normal(0, 0.12, N)
    return rows.assign(
        topic=topic[question].astype(str),
        kind=rows["kind"].to_numpy()[question],
        answer=rows["answer"].to_numpy()[question],
        cluster=[f"group {each}" for each in question],
        origin=np.where(own, "own", "generated")[question],
        value=value.astype(float),
    )


def search_once(
    rng, *, planted=False, verdicts=False, accepted=0.8, effect=EFFECT, support=SUPPORT, clusters=False
):
    """The slices of one table with two metrics, the first of which has the planted weakness."""
    cases, inside = made_cases(rng, planted, support)
    rules = Rules(n_permutations=3999)
    units, found = [], []
    for metric in range(2):
        lower = effect * (inside & (metric == 0))
        scores = rng.random(N) < accepted - lower if verdicts else rng.beta(6, 2, N) - lower
        rows = cases.assign(value=scores.astype(float))
        rows = clustered(rng, rows, verdicts=verdicts) if clusters else rows
        units.append(slice_units.units_of(rows, list(LEVELS), higher_is_better=True, rng=rng))
        found.append(slice_search.search(units[-1], rules, rng, n_metrics=2).assign(metric_place=metric))
    table = pd.concat(found, ignore_index=True)
    judged = slice_search.judge(table, np.ones(len(table)), rules)
    return slice_search.name_findings(judged, units, rules).join(units[0].slices["level"], on="place")


def shares(seed: int, n: int, **how) -> tuple[float, float]:
    """Of n tables: the share with the planted slice found, and with any other slice."""
    rng, hits, others = np.random.default_rng(seed), 0, 0
    for _ in range(n):
        table = search_once(rng, **how)
        found = table[table["finding"]]
        hit = (found["level"] == PLANTED) & (found["metric_place"] == 0)
        hits, others = hits + bool(hit.any()), others + bool((~hit).any())
    return hits / n, others / n


def rows_of(values, **columns) -> pd.DataFrame:
    return pd.DataFrame({"value": values, "cluster": [f"case {i}" for i in range(len(values))], **columns})


def findings_of(rows, names, rng, **rules) -> pd.DataFrame:
    units = slice_units.units_of(rows, names, higher_is_better=True, rng=rng)
    rules = Rules(**{"n_permutations": 1999} | rules)
    found = slice_search.search(units, rules, rng).assign(metric_place=0)
    judged = slice_search.judge(found, np.ones(len(found)), rules)
    return slice_search.name_findings(judged, [units], rules).join(
        units.slices[["dimension", "level"]], on="place"
    )


def test_nested_slices_and_one_slice_under_two_names_are_one_finding(rng):
    """A weak topic; a column that says the same of it, and one that splits it in two."""
    topic = np.repeat(["a", "b", "c"], 60)
    part = np.where(topic == "a", np.where(np.arange(180) % 2, "left", "right"), "elsewhere")
    rows = rows_of(rng.normal(0.8, 0.1, 180) - 0.3 * (topic == "a"), topic=topic, same=topic, part=part)
    found = findings_of(rows, ["topic", "same", "part"], rng)
    assert found["flagged"].sum() >= 4
    assert found.loc[found["finding"], "level"].tolist() in (["a"], ["elsewhere"])
    left = found[found["flagged"] & ~found["finding"]]
    assert (left["no_finding"] == "restates another slice").all()


def test_two_weak_spots_are_two_findings(rng):
    topic, kind = rng.choice(list("abcd"), 400), rng.choice(list("wxyz"), 400)
    rows = rows_of(
        rng.normal(0.8, 0.1, 400) - 0.2 * (topic == "a") - 0.2 * (kind == "w"), topic=topic, kind=kind
    )
    found = findings_of(rows, ["topic", "kind"], rng)
    assert sorted(found.loc[found["finding"], "level"]) == ["a", "w"]
    assert found.loc[found["finding"], "confirmed"].all()


def test_a_small_difference_is_no_finding_however_sure(rng):
    topic = np.repeat(["a", "b"], 2000)
    rows = rows_of(rng.normal(0.8, 0.1, 4000) - 0.05 * (topic == "a"), topic=topic)
    found = findings_of(rows, ["topic"], rng, least_effect=0.1, n_permutations=199)
    assert found["p"].min() < 0.01 and not found["flagged"].any()


def test_the_wordings_of_one_question_count_once(rng):
    """Ten wordings of each question have its value: with clusters ten questions are no proof."""
    values = np.repeat(rng.normal(0.8, 0.1, 20), 10)
    topic = np.repeat(["a", "b"], 100)
    rows = rows_of(values, topic=topic).assign(cluster=np.repeat([f"group {i}" for i in range(20)], 10))
    units = slice_units.units_of(rows, ["topic"], higher_is_better=True, rng=rng)
    assert len(units.values) == 20 and units.member.sum() == 20


def test_where_lower_is_better_the_high_slice_is_weak(rng):
    topic = np.repeat(["a", "b", "c"], 40)
    rows = rows_of(rng.normal(0.2, 0.1, 120) + 0.3 * (topic == "a"), topic=topic)
    units = slice_units.units_of(rows, ["topic"], higher_is_better=False, rng=rng)
    found = slice_search.search(units, Rules(n_permutations=999), rng)
    assert found["z"].idxmin() == 0 and found.loc[0, "difference"] == pytest.approx(-0.3, abs=0.06)


def test_the_moments_are_those_of_the_exchanges(rng):
    """Mean, deviation and skewness of the sums that exchanges within two origins give."""
    values, member = rng.beta(8, 2, 50), (rng.random((50, 3)) < 0.3).astype(float)
    strata = np.repeat([0, 1], 25)
    known = slice_tests.moments(values, member, strata)
    sums = np.concatenate(list(slice_tests._exchanged(known, strata, 40_000, rng)))
    assert np.sqrt(known.variance) == pytest.approx(sums.std(axis=0), rel=0.02)
    assert known.skewness == pytest.approx(stats.skew(sums), abs=0.05)
    assert (slice_tests.standard_scores(known, sums) < -2).mean(axis=0) == pytest.approx(
        [0.0228] * 3, abs=0.004
    )


def test_an_adjusted_p_of_one_slice_is_that_of_the_exchanges(rng):
    """Two groups of two, the lower two together: one of six orders is as low; scipy counts the same."""
    values, member = np.array([0.0, 0.0, 1.0, 1.0]), np.array([[1.0], [1], [0], [0]])
    assert adjusted(values, member, rng)[0] == pytest.approx(1 / 6, abs=0.03)
    values, inside = np.array([0.1, 0.3, 0.2, 0.9, 0.8, 0.7, 0.95, 0.4]), np.arange(8) < 3
    rival = stats.permutation_test(
        (values[inside], values[~inside]),
        lambda x, y: x.mean() - y.mean(),
        n_resamples=np.inf,
        alternative="less",
    )
    p = adjusted(values, inside[:, None].astype(float), rng)
    assert p[0] == pytest.approx(rival.pvalue, abs=0.01)
    known = slice_tests.moments(values, inside[:, None], np.zeros(8))
    assert slice_tests.differences(known)[0] == pytest.approx(rival.statistic)


def adjusted(values, member, rng, n_permutations=3999):
    strata = np.zeros(len(values))
    known = slice_tests.moments(values, member, strata)
    shares = slice_tests.shares_of_level(known, 0.05)
    return slice_tests.adjusted_chances(known, strata, shares, n_permutations=n_permutations, rng=rng)[0]


def test_equal_values_and_slices_of_nobody_have_no_p(rng):
    assert np.isnan(adjusted(np.ones(4), np.eye(4), rng)).all()
    member = np.column_stack([np.zeros(4), [1.0, 1, 0, 0]])
    assert np.isnan(adjusted(np.arange(4.0), member, rng)).tolist() == [True, False]


def test_a_slice_is_compared_within_its_origin_alone(rng):
    """The only slice of an origin has nothing to be compared with, whatever the others hold."""
    origin = np.repeat(["own", "generated"], [30, 90])
    topic = np.where(origin == "own", "a", rng.choice(["b", "c"], 120))
    rows = rows_of(rng.random(120) - (origin == "own"), topic=topic, origin=origin)
    found = findings_of(rows, ["topic"], rng)
    assert sorted(found["level"]) == ["b", "c"] and not found["flagged"].any()


def test_the_shares_of_the_level_follow_from_sizes_alone(rng):
    member = np.column_stack([np.arange(400) < n for n in (6, 20, 40, 100)]).astype(float)
    values = rng.random(400)
    one, two = (
        slice_tests.shares_of_level(slice_tests.moments(v, member, np.zeros(400)), 1e-3)
        for v in (values, values[::-1] ** 3)
    )
    assert one == pytest.approx(two) and one.sum() == pytest.approx(1)
    assert one[0] == pytest.approx(1 / 8, abs=0.01) and one[1] < one[2]


@pytest.mark.parametrize("verdicts", [False, True])
def test_groups_of_unequal_size_make_no_false_slice(simulations, verdicts):
    """Means of few wordings vary more than means of many, and slices are mostly of one or the other."""
    n = simulations(500, part=25)
    _, false = shares(7, n, clusters=True, verdicts=verdicts)
    assert false <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)


def test_a_slice_of_questions_asked_once_is_not_weak_because_they_vary_more(rng):
    """15 questions in topic a and 5 in b have one wording, 80 in b have eight; all wordings are alike."""
    cluster = np.r_[np.arange(20), np.repeat(np.arange(20, 100), 8)].astype(str)
    topic = np.repeat(["a", "b"], [15, 645])
    rows = pd.DataFrame({"cluster": cluster, "topic": topic})
    p = [chance_of(rows.assign(value=rng.normal(size=660)), rng) for _ in range(300)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def chance_of(rows: pd.DataFrame, rng) -> float:
    """The p value of the first level of topic."""
    units = slice_units.units_of(rows, ["topic"], higher_is_better=True, rng=rng)
    return slice_tests.chances(units.moments([0]), units.strata, n_permutations=199, rng=rng)[0]


def test_what_the_search_says_it_could_have_found_it_finds(simulations):
    """A pair of 40 verdicts, as much worse than the rest as the search says it finds with 80 % power."""
    n, rng = simulations(200), np.random.default_rng(4)
    told = [search_once(rng, planted=True, verdicts=True, effect=0.37) for _ in range(n)]
    pairs = pd.concat(table[(table["level"] == PLANTED) & (table["metric_place"] == 0)] for table in told)
    assert pairs["detectable"].median() == pytest.approx(0.35, abs=0.05)
    assert pairs["flagged"].sum() / n == pytest.approx(0.85, abs=0.08 + 3 * np.sqrt(0.8 * 0.2 / n))


@pytest.mark.parametrize("wrong", [{"minimum": 1}, {"level": 0.0}, {"least_effect": -0.1}])
def test_rules_outside_their_range_are_refused(wrong):
    with pytest.raises(ParameterError):
        Rules(**wrong)
