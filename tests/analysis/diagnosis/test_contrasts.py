"""Two linguistic clusters against each other, and evaluators against gold: by hand, against scikit-learn,
refusals."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from analysis.diagnosis.made_results import drawn_groups, results_of
from ragassay.analysis import diagnosis
from ragassay.errors import TableError


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
