"""Groups and the figures of GRAMMAR 3.3: by hand, as its authors' own tests have them, their laws, their refusals,
and how often their intervals hold the truth: 1,000 simulations, 12 groups: accuracy 0.969, robustness 0.947, lambda
0.969; 60 groups: 0.965, 0.969 and 0.962."""

import numpy as np
import pytest

from analysis.diagnosis.made_results import drawn_groups, results_of
from ragassay.analysis import diagnosis
from ragassay.errors import TableError

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
        ({"correct": [2, 1, 0]}, "column 'correct' holds what is no judgement"),
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
