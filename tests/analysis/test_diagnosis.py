"""Groups and the figures of GRAMMAR 3.3: by hand, as its authors' own tests have them, their laws, their refusals,
and how often their intervals hold the truth: 1,000 simulations, 12 groups: accuracy 0.969, robustness 0.947, lambda
0.969; 60 groups: 0.965, 0.969 and 0.962. Clusters against each other, evaluators against gold; context comparison
and the defective module: by hand, laws, planted defects."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from ragassay.analysis import diagnosis
from ragassay.analysis.diagnosis import compare_contexts
from ragassay.errors import TableError


def results_of(*groups: tuple[int, int], **columns) -> pd.DataFrame:
    """One group for each (correct, queries), as GRAMMAR's authors write them in their tests."""
    rows = [
        {"query": f"g{g} q{q}", "group": f"g{g}", "correct": q < correct}
        for g, (correct, n) in enumerate(groups)
        for q in range(n)
    ]
    return pd.DataFrame(rows).assign(**columns)


def drawn_groups(rng: np.random.Generator, n: int = 60, size: int = 4) -> pd.DataFrame:
    """Groups whose chance of a right answer is drawn from a U-shaped beta distribution."""
    right = rng.random((n, size)) < rng.beta(0.5, 0.5, (n, 1))
    served = right | (rng.random((n, size)) < 0.5)
    rows = pd.DataFrame({"group": np.repeat([f"g{g}" for g in range(n)], size), "correct": right.ravel()})
    return rows.assign(query=[f"query {row}" for row in rows.index], retrieval_correct=served.ravel())


GAPS = [(0, 3)] * 4
# of the authors' test: (correct, queries) of a non-robust cluster with four gap groups, and a robust one
AUTHORS = {
    "non-robust": ([(1, 3), (2, 3), (3, 3), (2, 3), *GAPS], 8 / 24, 8 / 12, 0.5),
    "robust": ([(3, 3), (2, 3), (3, 3), (3, 3), *GAPS], 11 / 24, 11 / 12, 0.5),
    "unbalanced": ([(1, 3), (2, 3), (3, 3), (2, 3), (0, 3), (0, 3)], 8 / 18, 8 / 12, 1 / 3),
}


def figures(given, seed=0, **options):
    read = diagnosis.read_results(given, **options)
    return diagnosis.measure_groups(read, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("made, acc, r, share", AUTHORS.values(), ids=AUTHORS.keys())
def test_as_the_authors_have_them(made, acc, r, share):
    found = figures(results_of(*made))
    assert found["accuracy"].value == pytest.approx(acc) and found["robustness"].value == pytest.approx(r)
    assert found["lambda"].value == pytest.approx(share)
    assert found["accuracy"].value == pytest.approx(found["robustness"].value * (1 - found["lambda"].value))


def test_the_closed_domain_rule():
    made = results_of((2, 3), (1, 2), retrieval_correct=[1, 0, 0, None, 0])
    plain, ruled = figures(made), figures(made, closed_domain=True)
    assert plain["accuracy"].value == pytest.approx(3 / 5) and ruled["accuracy"].value == pytest.approx(2 / 5)
    assert plain["accuracy_retrieval"].n == 4 and ruled["accuracy_retrieval"].value == pytest.approx(2 / 5)
    assert diagnosis.read_results(made, closed_domain=True)["reclassified"].sum() == 1


@pytest.mark.parametrize(
    "made, reason", [([(0, 3), (0, 2)], diagnosis.ALL_GAP), ([(1, 1), (0, 1), (1, 1)], diagnosis.ALL_ONE)]
)
def test_robustness_that_does_not_exist(made, reason):
    found = figures(results_of(*made))
    assert np.isnan(found["robustness"].value) and found["robustness"].reason == reason
    assert not np.isnan(found["lambda"].value) and not np.isnan(found["accuracy"].value)


@pytest.mark.parametrize("seed", range(5))
def test_laws(seed):
    """Equation 2; the order of rows does not matter; R is at least Acc; one more right answer lowers nothing."""
    made = drawn_groups(np.random.default_rng(seed), n=15)
    found = figures(made)
    assert found["accuracy"].value == pytest.approx(found["robustness"].value * (1 - found["lambda"].value))
    assert found["robustness"].value >= found["accuracy"].value
    turned = figures(made.sample(frac=1, random_state=seed))
    assert {name: each.value for name, each in turned.items()} == pytest.approx(
        {name: each.value for name, each in found.items()}
    )
    wrong = made.index[~made["correct"]][0]
    better = figures(made.assign(correct=made["correct"] | (made.index == wrong)))
    assert better["accuracy"].value > found["accuracy"].value
    assert better["lambda"].value <= found["lambda"].value


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"query": "same"}, "a query stands twice"),
        ({"group": ["a", "", "a"]}, "column 'group' is blank"),
        ({"correct": ["yes", 1, 0]}, "column 'correct' holds what is no judgement"),
        ({"retrieval_correct": [0.5, 1, 0]}, "column 'retrieval_correct' holds"),
    ],
)
def test_refusals(change, complaint):
    with pytest.raises(TableError, match=complaint) as refused:
        diagnosis.read_results(results_of((1, 3)).assign(**change))
    assert "row" in refused.value.where and refused.value.found and refused.value.expected


def test_judgements_and_ids_as_files_have_them():
    made = results_of((1, 3)).assign(
        correct=["Correct", "false", " 0 "], group=[1.0, 1.0, 1.0], retrieved=['["d1"]', "d1", 7.0], gold="d1"
    )
    read = diagnosis.read_results(made)
    assert read["correct"].tolist() == [1, 0, 0] and read["group"].tolist() == ["1", "1", "1"]
    assert read["retrieved"].tolist() == [("d1",), ("d1",), ("7",)]
    assert read["retrieval"].tolist() == [1, 1, 0]


@pytest.mark.parametrize("n", [12, 60])
def test_intervals_hold_the_truth(n, simulations):
    """Against the figures of 200,000 such groups."""
    truth = true_figures()
    times = simulations(1000, part=25)
    held = dict.fromkeys(truth, 0)
    for seed in range(times):
        found = figures(drawn_groups(np.random.default_rng(seed), n=n), seed)
        for name, value in truth.items():
            held[name] += found[name].low <= value <= found[name].high
    for name, count in held.items():
        error = np.sqrt(0.95 * 0.05 / times)
        assert count / times >= 0.935 - 3 * error, f"{name}: {count / times:.3f}"


def true_figures() -> dict[str, float]:
    rng, size = np.random.default_rng(12345), 4
    right = rng.random((200_000, size)) < rng.beta(0.5, 0.5, (200_000, 1))
    gap = ~right.any(axis=1)
    return {"accuracy": right.mean(), "robustness": right[~gap].mean(), "lambda": gap.mean()}


def clustered(groups: list[tuple[int, int, int, int]], **columns) -> pd.DataFrame:
    """One group for each (correct short, short, correct long, long)."""
    parts = [
        (f"g{g}", *part)
        for g, (s, n, t, m) in enumerate(groups)
        for part in (("short", s, n), ("long", t, m))
    ]
    rows = [(f"{g} {style} {q}", g, q < right, style) for g, style, right, n in parts for q in range(n)]
    return pd.DataFrame(rows, columns=["query", "group", "correct", "style"]).assign(**columns)


def contrast(made):
    read = diagnosis.read_results(made)
    found = diagnosis.contrast_clusters(read, "style", rng=np.random.default_rng(0))
    return found.set_index("quantity")


def test_by_hand():
    """Clusters in the order of their names: long less short. Two groups known, one gap group, one in one cluster."""
    found = contrast(clustered([(2, 2, 1, 2), (1, 2, 0, 2), (0, 2, 0, 1), (1, 1, 0, 0)]))["difference"]
    assert found["accuracy"] == pytest.approx(1 / 5 - 4 / 7)
    assert found["robustness"] == pytest.approx(1 / 4 - 4 / 5)
    assert found["lambda"] == pytest.approx(1 / 5 - 2 / 7)


@pytest.mark.parametrize("styles, found", [(["one"] * 6, "1: one"), (["a", "b", "c"] * 2, "3: a, b, c")])
def test_another_number_of_clusters_is_refused(styles, found):
    made = clustered([(1, 2, 0, 1), (1, 2, 1, 1)]).assign(style=styles)
    with pytest.raises(TableError, match="a hypothesis contrasts two clusters") as refused:
        contrast(made)
    assert refused.value.found == found and refused.value.do
    with pytest.raises(TableError, match="column 'style' is missing"):
        contrast(made.drop(columns="style"))


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
    "failed, correct, outcome",
    [
        (["d1", "d2"], [["d1", "d2"]], "generator"),
        (["d2", "d1"], [["d9"], ["d1", "d2"]], "generator"),
        (["d1"], [["d1", "d2"]], "retrieval_suspected"),
        ([], [["d1"]], "retrieval_suspected"),
        (["d1"], [[], None], "undetermined"),
        (None, [["d1"]], "undetermined"),
    ],
)
def test_comparison_of_contexts_by_hand(failed, correct, outcome):
    made = results_of((len(correct), len(correct) + 1)).assign(retrieved=[*correct, failed])
    assert compare_contexts(diagnosis.read_results(made))["comparison"].iloc[-1] == outcome


def assigned(made, **options):
    return diagnosis.modules(diagnosis.read_results(made, **options))


def test_modules_by_their_evidence():
    made = results_of(
        (1, 5),
        (0, 1),
        retrieved=[["d1"], ["d1"], ["d2"], ["d1"], None, ["d1"]],
        retrieval_correct=[None, None, None, 0, None, 1],
    )
    found = assigned(made)
    assert found["module"].tolist() == [
        "", "generator", "retrieval_suspected", "retrieval", "undetermined", "generator",
    ]  # fmt: skip
    assert found["evidence"][1] == "the same passages served: g0 q0" and "recorded" in found["evidence"][3]
    counted = diagnosis.count_modules(found).set_index(["kind", "module"])["failures"]
    assert counted["gap", "generator"] == 1 and counted["non_robust"].sum() == 4


PLANTED = {
    "retrieval": ({"retrieval_correct": [1, 1, 0, 0]}, "retrieval"),
    "generator": ({"retrieval_correct": [1, 1, 1, 1]}, "generator"),
    "suspected": ({"retrieved": ["a", "a", "b", "c"]}, "retrieval_suspected"),
    "cleared": ({"retrieved": ["a", "a", "a", "a"]}, "generator"),
    "nothing known": ({}, "undetermined"),
}


@pytest.mark.parametrize("columns, module", PLANTED.values(), ids=PLANTED.keys())
def test_the_defective_module_is_named(columns, module):
    n = 12
    made = results_of(*[(2, 4)] * n, (0, 4)).assign(**{k: [*(v * n), *v] for k, v in columns.items()})
    found = diagnosis.defective_module(assigned(made), rng=np.random.default_rng(0))
    assert found.module == module and found.why.startswith("24 failures in 12 non-robust groups")
