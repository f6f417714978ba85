"""Context comparison with its three outcomes, and which module is defective: by hand, laws, planted defects."""

import numpy as np
import pytest

from analysis.diagnosis.made_results import results_of
from ragassay.analysis import diagnosis
from ragassay.analysis.diagnosis import compare_contexts


@pytest.mark.parametrize(
    "failed, correct, outcome",
    [
        (["d1", "d2"], [["d1", "d2"]], "generator"),
        (["d2", "d1"], [["d9"], ["d1", "d2"]], "generator"),
        (["d1", "d2", "d3"], [["d1", "d2"]], "generator"),
        (["d1"], [["d1", "d2"]], "retrieval_suspected"),
        ([], [["d1"]], "retrieval_suspected"),
        (["d1"], [], "undetermined"),
        (["d1"], [[], None], "undetermined"),
        (None, [["d1"]], "undetermined"),
    ],
)
def test_comparison_of_contexts_by_hand(failed, correct, outcome):
    made = results_of((len(correct), len(correct) + 1)).assign(retrieved=[*correct, failed])
    assert compare_contexts(diagnosis.read_results(made))["comparison"].iloc[-1] == outcome


def assigned(made, **options):
    return diagnosis.assign_modules(diagnosis.read_results(made, **options))


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
