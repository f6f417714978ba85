"""The judged answers that the support model learns from: their folds, and features computed once."""

import numpy as np

import support_cases
from ragassay.scores import support_model
from ragassay.scores.prepared_answer import Sample
from support_cases import Case


def test_features_are_computed_once_for_the_same_case_and_code(monkeypatch, tmp_path):
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path))
    asked = []

    def computed(found, tools):
        asked.extend(case.material.case_id for case in found)
        return np.full((len(found), len(support_model.NAMES)), 0.5, dtype=np.float32)

    monkeypatch.setattr(support_cases, "_computed", computed)
    cases = [Case("begin", "d", 1.0, Sample(name, "s", answer=name)) for name in "ab"]
    first, again = (support_cases.inputs(cases, None) for _ in range(2))
    assert (
        asked == ["a", "b"] and np.array_equal(first, again) and first.shape == (2, len(support_model.NAMES))
    )
    monkeypatch.setattr(support_cases, "code", lambda: "changed")
    support_cases.inputs(cases[:1], None)
    assert asked == ["a", "b", "a"]


def test_the_pairs_on_tables_are_right_and_wrong_in_turn():
    found = support_cases.numbers("dev")
    assert [case.label for case in found[:4]] == [1.0, 0.0, 1.0, 0.0]
    assert all(case.material.question and case.material.contexts for case in found)
    assert {case.document for case in found}.isdisjoint(
        case.document for case in support_cases.numbers("held")
    )


def test_a_documents_cases_share_a_fold_and_a_domain_is_one():
    cases = [Case("wice", f"d{i % 50}", 1.0, Sample("a", "s")) for i in range(100)]
    assert all(cases[i].fold == cases[i + 50].fold for i in range(50)) and {
        case.fold for case in cases
    } == set(range(5))
    assert {
        Case(f"summedits/{one}", "d", 1.0, Sample("a", "s")).fold for one in support_cases.SUMMEDITS
    } == set(range(5))
