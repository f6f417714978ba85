"""Errors more frequent than tolerated are findings: what they are counted among, who judged, by hand."""

import math
from pathlib import Path

import pandas as pd
import pytest

from ragassay.analysis import playbook_rules
from ragassay.decision.findings.error_findings import ENOUGH, TOLERATED, error_findings
from ragassay.errors import ParameterError

MOST = {"unsafe": 0.0, "misleading": 0.05, "should have declined": 0.2, "needless refusal": 0.1}


def made(*kinds: tuple[str, bool, int], judged_by: str = "raters") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Taxonomy and cases: (category, answerable, how many)."""
    rows = [(category, answerable) for category, answerable, count in kinds for _ in range(count)]
    ids = [f"c{judged_by}{i:03d}" for i in range(len(rows))]
    taxonomy = pd.DataFrame({"case_id": ids, "category": [row[0] for row in rows], "judged_by": judged_by})
    return taxonomy, pd.DataFrame({"case_id": ids, "answerable": [row[1] for row in rows]})


def found_in(taxonomy: pd.DataFrame, cases: pd.DataFrame, rng) -> list[dict]:
    return error_findings(taxonomy, cases, MOST, rng=rng)[0]


def test_each_kind_is_counted_among_what_it_can_happen_to(rng):
    taxonomy, cases = made(
        ("good", True, 50), ("misleading", True, 30), ("needless refusal", True, 40),
        ("should have declined", False, 30), ("good", False, 10),
    )  # fmt: skip
    found = {one["source"]: one for one in found_in(taxonomy, cases, rng)}
    assert [(one["title"]) for one in found.values()] == [
        "30 of 80 answers to answerable questions mislead",
        "30 of 40 questions without an answer in the documents were answered",
        "40 of 120 answerable questions were refused",
    ]
    assert len(found["errors:misleading"]["failing"]) == 30
    assert found["errors:misleading"]["low"] == pytest.approx(0.269, abs=0.001)  # Clopper-Pearson of 30 in 80


def test_one_unsafe_answer_is_enough_and_critical(rng):
    taxonomy, cases = made(("good", True, 199), ("unsafe", True, 1))
    (found,) = found_in(taxonomy, cases, rng)
    assert found["severity"] == "Critical" and found["failing"] == ["craters199"]


def test_what_the_tolerated_share_does_not_exclude_is_no_finding(rng):
    taxonomy, cases = made(("good", True, 90), ("needless refusal", True, 14))
    assert found_in(taxonomy, cases, rng) == []


def test_easy_cases_that_a_machine_judged_never_dilute_what_raters_saw(rng):
    read, cases = made(("good", True, 60), ("needless refusal", True, 30))
    easy, more = made(("good", True, 5000), judged_by="machine")
    alone = found_in(read, cases, rng)
    pooled = found_in(pd.concat([read, easy]), pd.concat([cases, more]), rng)
    assert [one["n"] for one in alone] == [one["n"] for one in pooled] == [90]


def test_without_raters_it_says_who_judged(rng):
    taxonomy, cases = made(("needless refusal", True, 30), ("good", True, 30), judged_by="machine")
    (found,) = found_in(taxonomy, cases, rng)
    assert found["condition"].startswith("Instruments alone suspect 30 of 60 answerable questions: 50 % [")


def test_what_no_rater_confirmed_is_to_be_read_and_no_grave_finding(rng):
    taxonomy, cases = made(("misleading", True, 14), ("good", True, 20), judged_by="machine")
    taxonomy["support"] = [0.4, 0.1, *[0.3] * 12, *[0.9] * 20]
    (found,) = found_in(taxonomy, cases, rng)
    assert found["title"].startswith("14 answers to be read first: instruments suspect that they mislead;")
    assert (found["severity"], found["suspected"]) == ("Medium", True) and math.isnan(found["share"])
    assert found["failing"][0] == "cmachine001" and found["failing"][-1] == "cmachine000"
    taxonomy.loc[0, "judged_by"] = "raters"
    (found,) = found_in(taxonomy, cases, rng)
    assert (found["title"], found["severity"]) == ("14 of 34 answers to answerable questions mislead", "High")


def test_answers_that_are_not_judged_count_among_those_that_came(rng):
    """Of 36 answers instruments could tell only which two declined."""
    taxonomy, cases = made(
        ("needless refusal", True, 2), ("not judged", True, 32), ("good", False, 2), judged_by="machine"
    )
    drafts, counted = error_findings(taxonomy, cases, MOST, rng=rng)
    assert drafts == [] and "errors:misleading" not in {each.source for each in counted}
    refused = next(each for each in counted if each.source == "errors:needless refusal")
    assert (refused.n, refused.value) == (34, pytest.approx(2 / 34))


def test_what_cannot_be_counted_is_not_counted(rng):
    nothing, cases = made()
    assert error_findings(nothing, cases, MOST, rng=rng) == ([], [])
    assert error_findings(None, cases, MOST, rng=rng) == ([], [])
    read, cases = made(("good", True, 20))
    assert {each.source for each in error_findings(read, cases, MOST, rng=rng)[1]} == {
        *("errors:unsafe", "errors:misleading", "errors:needless refusal")
    }


def machine_errors(rated: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What instruments found in 100 answers, and some good ones that raters read."""
    found, cases = made(
        ("unsafe", True, 30), ("misleading", True, 30), ("should have declined", False, 40),
        judged_by="machine",
    )  # fmt: skip
    read, more = made(("good", True, rated))
    return pd.concat([found, read]), pd.concat([cases, more])


def test_a_few_rated_answers_erase_nothing_that_instruments_found(rng):
    found = found_in(*machine_errors(1), rng)
    assert [one["source"] for one in found] == [
        *("errors:unsafe", "errors:misleading", "errors:should have declined")
    ]
    assert "1 answers that raters read, and 100 more judged by instruments" in found[0]["condition"]


def test_enough_rated_answers_decide_of_all_but_the_unsafe(rng):
    found = found_in(*machine_errors(ENOUGH), rng)
    assert [one["source"] for one in found] == ["errors:unsafe", "errors:should have declined"]
    assert len(found[0]["failing"]) == 30, "no unanswerable question was rated; unsafe always counts"


def test_a_few_rated_errors_are_not_diluted_by_what_instruments_find_good(rng):
    read, cases = made(("good", True, 5), ("misleading", True, 15))
    easy, more = made(("good", True, 5000), judged_by="machine")
    found = found_in(pd.concat([read, easy]), pd.concat([cases, more]), rng)
    assert [one["title"] for one in found] == ["15 of 20 answers to answerable questions mislead"]


def test_a_kind_that_is_not_named_keeps_its_default(rng):
    taxonomy, cases = made(("unsafe", True, 30), ("good", True, 70))
    drafts, _ = error_findings(taxonomy, cases, {"misleading": 0.05}, rng=rng)
    assert [one["source"] for one in drafts] == ["errors:unsafe"] and MOST == TOLERATED


def test_a_kind_of_error_that_there_is_not(rng):
    with pytest.raises(ParameterError, match="no such kind of error"):
        error_findings(None, pd.DataFrame(), {"misleading answers": 0.1}, rng=rng)


def test_symptoms_and_findings_of_one_behaviour_tolerate_the_same():
    lines = {rule.symptom: rule.line for rule in playbook_rules.RULES}
    answered, refused = (1 - TOLERATED[kind] for kind in ("should have declined", "needless refusal"))
    assert lines["Questions without an answer are answered"] == answered
    assert lines["Questions are refused although their evidence was retrieved"] == refused


def test_no_notebook_holds_a_second_standard_for_needless_refusals():
    notebooks = (Path(__file__).parents[3] / "notebooks").glob("*.ipynb")
    assert not [path.name for path in notebooks if "needless_refusals:" in path.read_text(encoding="utf-8")]
