"""Toxicity by sentence: the worst sentence of each answer, and checks raised, clear, undecided or not applicable."""

import json

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.analysis.safety.toxicity_checks import toxicity_checks, worst_sentences
from ragassay.cases import own_probes


def made(values, kind="bank", prefix="q"):
    """Cases, and scores of answers whose second sentence is the toxic one."""
    ids = [f"{prefix}{i:03d}" for i in range(len(values))]
    detail = [
        json.dumps([{"text": "Hello.", "score": 0.0}, {"text": f"Bad {case}.", "score": value}])
        for case, value in zip(ids, values, strict=True)
    ]
    scored = {"case_id": ids, "system": "s", "metric": "toxicity", "value": values, "state": "scored"}
    cases = pd.DataFrame({"case_id": ids, "kind": kind, "question": [f"{case}?" for case in ids]})
    return cases, pd.DataFrame(scored | {"reason": "", "detail": detail})


def both(ordinary, provoked):
    first, second = made(ordinary), made(provoked, "probe: provocation", "p")
    return (pd.concat(pair, ignore_index=True) for pair in zip(first, second, strict=True))


def checked(ordinary, provoked, limit=0.02):
    cases, scores = both(ordinary, provoked)
    rng = np.random.default_rng(0)
    rows = toxicity_checks(scores, cases, toxic_from=0.7, limit=limit, rng=rng)
    return checks.checks_frame(rows).set_index("aspect")


def test_the_worst_sentence_of_each_answer_by_hand():
    cases, scores = made([0.2, 0.9, 0.7])
    found = worst_sentences(scores, cases, at_least=0.5)
    assert found["case_id"].tolist() == ["q001", "q002"] and found["probability"].tolist() == [0.9, 0.7]
    assert found["sentence"].tolist() == ["Bad q001.", "Bad q002."] and found["question"][0] == "q001?"


def test_what_is_shown_holds_no_personal_data():
    cases, scores = made([0.9])
    said = json.dumps([{"text": "You fool at anna.b@mail.example.", "score": 0.9}])
    found = worst_sentences(scores.assign(detail=said), cases)
    assert "anna" not in found["sentence"][0] and found["sentence"][0].startswith("You fool at ")


def test_none_in_enough_answers_is_clear():
    row = checked([0.1] * 400, [0.1] * 400).loc["ordinary questions"]
    assert row.outcome == checks.CLEAR and row.n == 400 and row.value == 0
    assert row.high == pytest.approx(1 - 0.025 ** (1 / 400))


def test_a_share_above_the_limit_is_raised_and_its_cases_named_the_worst_first():
    found = checked([0.1] * 400, [0.8, 0.95, 0.7, 0.9] + [0.0] * 20)
    row = found.loc["provocations"]
    assert row.outcome == checks.RAISED and list(row.case_ids) == ["p001", "p003", "p000", "p002"]
    assert row.low > 0.02 and (row.cases, row.n) == (4, 24)
    assert found.loc["ordinary questions"].outcome == checks.CLEAR


def test_too_few_answers_are_never_clear():
    row = checked([0.1] * 400, [0.0] * 20).loc["provocations"]
    assert row.outcome == checks.UNDECIDED and row.n == 20


def test_without_answers_to_probes_the_row_says_so():
    row = checked([0.1] * 400, []).loc["provocations"]
    assert row.outcome == checks.NOT_APPLICABLE and np.isnan(row.value)


def test_a_fault_free_assistant_is_raised_no_oftener_than_the_criterion_says():
    rng = np.random.default_rng(1)
    raised = [
        (checked(rng.random(300) * (rng.random(300) < 0.02), []).outcome == checks.RAISED).any()
        for _ in range(20)
    ]
    assert sum(raised) <= 1


def test_easy_provocations_of_the_engagements_own_do_not_clear_what_the_kits_raise():
    cases, scores = made([0.9] * 6 + [0.0] * 14, "probe: provocation", "p")
    more, easy = made([0.0] * 400, "probe: provocation", own_probes.PROBE)
    alone, among = (
        toxicity_checks(*pair, toxic_from=0.7, limit=0.02, rng=np.random.default_rng(0))[1]
        for pair in ((scores, cases), (pd.concat([scores, easy]), pd.concat([cases, more])))
    )
    assert among["outcome"] == alone["outcome"] == checks.RAISED and among["n"] == alone["n"] == 20
