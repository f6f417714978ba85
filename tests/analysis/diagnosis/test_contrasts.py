"""Two linguistic clusters against each other: by hand, against a rival computation, laws, refusals, and how often a
true null is rejected.

1,000 simulated contrasts without any effect of wording (30 groups of 3 and 3 queries, chance drawn from a
beta(0.5, 0.5), the first cluster thinned where answers are bad): at 0.05 the permutation test rejects 0.048 of
them.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score

from analysis.diagnosis.made_results import drawn_groups, results_of
from ragassay.analysis import diagnosis
from ragassay.analysis.diagnosis import contrasts
from ragassay.errors import TableError


def clustered(groups: list[tuple[int, int, int, int]], **columns) -> pd.DataFrame:
    """One group for each (correct short, short, correct long, long)."""
    rows = [
        {"query": f"g{g} {name} {q}", "group": f"g{g}", "correct": q < right, "style": name}
        for g, (s, n, t, m) in enumerate(groups)
        for name, right, size in (("short", s, n), ("long", t, m))
        for q in range(size)
    ]
    return pd.DataFrame(rows).assign(**columns)


def contrast(made):
    read = diagnosis.read_results(made)
    found = diagnosis.contrast_clusters(read, "style", rng=np.random.default_rng(0))
    return found.set_index(["quantity", "design"])


def test_by_hand():
    """Clusters in the order of their names: long less short. Two groups known, one gap group, one in one cluster."""
    found = contrast(clustered([(2, 2, 1, 2), (1, 2, 0, 2), (0, 2, 0, 1), (1, 1, 0, 0)]))
    accuracy, robust = found.loc["accuracy"], found.loc["robustness"]
    assert accuracy.loc["as sampled", "difference"] == pytest.approx(1 / 5 - 4 / 7)
    assert accuracy.loc["stratified", "difference"] == pytest.approx(np.mean([-0.5, -0.5, 0]))
    assert robust.loc["as sampled", "difference"] == pytest.approx(1 / 4 - 4 / 5)
    assert robust.loc["stratified", "difference"] == pytest.approx(-0.5)
    assert robust.loc["stratified", "groups"] == 2
    assert found.loc[("lambda", "as sampled"), "difference"] == pytest.approx(1 / 5 - 2 / 7)


def test_robustness_sees_what_unbalanced_accuracy_hides():
    """GRAMMAR table 2: with more gap groups in the robust cluster, accuracy ranks the clusters wrongly."""
    made = clustered([*[(4, 4, 2, 4), (4, 4, 3, 4)] * 5, *[(0, 8, 0, 1)] * 10])
    found = contrast(made)
    assert found.loc[("accuracy", "as sampled"), "difference"] > 0
    for quantity, design in (
        ("robustness", "as sampled"),
        ("robustness", "stratified"),
        ("accuracy", "stratified"),
    ):
        row = found.loc[(quantity, design)]
        assert row["difference"] < 0 and (row["p"] < 0.001 or design == "as sampled")
    assert found.loc[("robustness", "as sampled"), "high"] < 0


def test_the_module_that_wording_hurts():
    """Retrieval fails for long wording, the generator for none; then the reverse."""
    long_fails = clustered([(3, 3, 1, 3)] * 12)
    served = long_fails.assign(retrieval_correct=long_fails["correct"])
    q = contrast(served)["q"].xs("stratified", level="design")
    assert q["robustness_retrieval"] < 0.05 and q["robustness_generator"] == 1
    q = contrast(long_fails.assign(retrieval_correct=True))["q"].xs("stratified", level="design")
    assert q["robustness_retrieval"] == 1 and q["robustness_generator"] < 0.05


@pytest.mark.parametrize("seed", range(5))
def test_the_permutation_test_agrees_with_scipy(seed):
    """The rival permutes the names of the clusters in one group alone."""
    rng = np.random.default_rng(seed)
    values, first = rng.integers(0, 2, 14).astype(float), rng.permutation(np.arange(14) < 6)
    groups = np.zeros(14, dtype=int)
    p = contrasts.permutation_p(values, first, groups, 9999, np.random.default_rng(0))
    rival = stats.permutation_test(
        (values[first], values[~first]), lambda a, b: a.mean() - b.mean(), n_resamples=np.inf
    )
    assert p == pytest.approx(_two_sided(values, first), abs=0.02) and p <= rival.pvalue + 0.02


def _two_sided(values, first) -> float:
    """Exact: the chance of as large an absolute difference, by the hypergeometric distribution."""
    n, k, m = len(values), int(values.sum()), int(first.sum())
    drawn = np.arange(max(0, m - (n - k)), min(m, k) + 1)
    away = np.abs(drawn / m - (k - drawn) / (n - m))
    seen = abs(values[first].mean() - values[~first].mean())
    return float(stats.hypergeom.pmf(drawn, n, k, m)[away >= seen - 1e-12].sum())


@pytest.mark.parametrize("styles, found", [(["one"] * 6, "1: one"), (["a", "b", "c"] * 2, "3: a, b, c")])
def test_another_number_of_clusters_is_refused(styles, found):
    made = clustered([(1, 2, 0, 1), (1, 2, 1, 1)]).assign(style=styles)
    with pytest.raises(TableError, match="a hypothesis contrasts two clusters") as refused:
        contrast(made)
    assert refused.value.found == found and refused.value.do
    with pytest.raises(TableError, match="column 'style' is missing"):
        contrast(made.drop(columns="style"))


def test_a_true_null_is_rejected_as_often_as_promised(simulations):
    times = simulations(1000, part=12)
    p = [null_contrast(seed) for seed in range(times)]
    assert np.mean(np.array(p) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


def null_contrast(seed: int) -> float:
    """p of the stratified accuracy, where wording does not matter and one cluster has fewer of what is not known."""
    rng = np.random.default_rng(seed)
    made = drawn_groups(rng, n=30, size=6)
    made["style"] = ["short", "long"] * (len(made) // 2)
    bad = made.groupby("group")["correct"].transform("mean") < 0.5
    thinned = made[~((made["style"] == "short") & bad & (rng.random(len(made)) < 0.5))]
    values, first = thinned["correct"].to_numpy(dtype=float), (thinned["style"] == "short").to_numpy()
    groups = np.unique(thinned["group"].to_numpy(dtype=str), return_inverse=True)[1]
    return contrasts.permutation_p(values, first, groups, 999, rng)


def compared(made, evaluators=None):
    """Evaluators without gold against gold, as GRAMMAR's table 1."""
    read = diagnosis.read_results(made)
    found = diagnosis.compare_evaluators(read, evaluators or {"e": 1}, rng=np.random.default_rng(0))
    return found.set_index("mark")


def test_evaluators_by_hand():
    """Called correct: four, of which two are; correct: three."""
    found = compared(results_of((3, 7), e=[1.0, 1.0, 0.9, 1.0, 1.0, 0.0, np.nan]))
    assert found["value"].to_dict() == pytest.approx({"precision": 1 / 2, "recall": 2 / 3, "f1": 4 / 7})
    assert found["n"].to_dict() == {"precision": 4, "recall": 3, "f1": 6} and (found["left_out"] == 1).all()


def test_evaluators_agree_with_scikit_learn_and_intervals_are_of_groups():
    made = drawn_groups(np.random.default_rng(0)).assign(e=lambda t: t["retrieval_correct"])
    found = compared(made)
    rivals = [f(made["correct"], made["e"]) for f in (precision_score, recall_score, f1_score)]
    assert found["value"].tolist() == pytest.approx(rivals)
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"]) | (found["value"] == 1)).all()


@pytest.mark.parametrize(
    "change, mark, reason",
    [
        ({"e": 0.0}, "precision", "the evaluator calls no answer correct"),
        ({"correct": False}, "recall", "no answer is correct"),
        ({"e": 0.0, "correct": False}, "f1", "neither side calls an answer correct"),
    ],
)
def test_marks_that_do_not_exist(change, mark, reason):
    found = compared(results_of((2, 3), e=1.0).assign(**change)).loc[mark]
    assert np.isnan(found["value"]) and found["reason"] == reason


@pytest.mark.parametrize("change, complaint", [({}, "is missing"), ({"e": "high"}, "holds no number")])
def test_refusals_of_evaluators(change, complaint):
    with pytest.raises(TableError, match=complaint):
        compared(results_of((2, 3), **change))
