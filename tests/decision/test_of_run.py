"""The register of risks: what was tested is read from the tables; what was not is a row."""

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases.attack_probes import NOT_PROBED
from ragassay.decision import gates, of_run
from ragassay.scores.metric_registry import METRICS, RATES
from ragassay.tables import SEVERITIES

CHECKS = ["check", "aspect", "outcome", "n", "by_design"]


def checks(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=CHECKS)


def card(**n: int) -> pd.DataFrame:
    rows = [{"metric": name, "slice": "all", "value": 0.5, "n": count} for name, count in n.items()]
    return pd.DataFrame(rows, columns=["metric", "slice", "value", "n"])


def untested(card_: pd.DataFrame, checked: pd.DataFrame, barred=(), **further: int) -> pd.DataFrame:
    return of_run.by_gravity(of_run.untested_risks(of_run.count_evidence(card_, checked) | further, barred))


@pytest.mark.parametrize(
    "risk, measured, checked, barred, is_tested",
    [
        ("Wrong refusal", {"answerable_declined": 10}, [], (), True),
        ("Wrong refusal", {}, [], (), False),
        ("Irrelevant information", {"answer_relevancy": 10}, [], (), True),
        ("Irrelevant information", {"answer_relevancy": 10}, [], ["answer_relevancy"], False),
        ("Misuse", {}, [("misuse", "a", "undecided", 8, False)], (), True),
        ("Misuse", {}, [("misuse", "a", "not applicable", 0, False)], (), False),
    ],
)
def test_a_risk_is_tested_where_one_of_its_measures_was_taken(risk, measured, checked, barred, is_tested):
    found = untested(card(**measured), checks(*checked), barred).query("why == 'no measure taken'")
    assert (risk not in set(found["risk"])) == is_tested


def test_what_was_not_tested_stands_by_the_severity_of_its_risk():
    found = untested(card(), checks())
    assert found["severity"].map(SEVERITIES.index).is_monotonic_increasing
    assert found["what"].is_unique and found["takes"].ne("").all()
    assert len(untested(card(), checks(), documents_marked=4)) == len(found) - 2


def test_threats_of_which_too_few_were_asked_are_among_what_was_not_tested():
    tried = checks(("injection", "all", "undecided", 12, False))
    measured = {"cases": 0, "value": 0.0, "high": 0.26, "limit": 0.0, "bound": "high", "reason": ""}
    (row,) = of_run.by_gravity(of_run.undecided_threats(tried.assign(**measured))).to_dict("records")
    assert (row["risk"], row["severity"], row["why"]) == ("Injection", "High", "too few asked")
    use = checks(("misuse", "prohibited: juggling", "not applicable", 0, False))
    use = use.assign(**measured | {"reason": NOT_PROBED})
    assert "prohibited: juggling" in set(of_run.undecided_threats(use)["what"])


def test_a_critical_gate_is_held_against_what_raters_accept():
    rules = gates.parse({"support": "low >= 0.5, critical", "privacy_leak_rate": "high <= 0.1, critical"})
    card_ = card(support=10, privacy_leak_rate=10).assign(low=0.4, high=0.6)
    judged, names = gates.evaluate(rules, card_), [f"c{i}" for i in range(10)]
    scored = pd.DataFrame({"case_id": names, "system": "s", "state": "scored", "metric": "support"})
    scored["value"] = [0.2] * 8 + [0.9] * 2
    taxonomy = pd.DataFrame({"case_id": names, "category": "good", "judged_by": "raters"})
    taxonomy.loc[[0], "judged_by"], taxonomy.loc[[1], "category"] = "machine", "misleading"
    found = of_run.compare_with_raters(judged, rules, {"support": "grounded"}, taxonomy, scored, scored)
    tables.check("gates", found)
    assert found["unrated"].tolist() == [False, True] and found["accepted_that_fail"].tolist() == [6, 0]
    assert gates.unrated(rules, ["support", "privacy_leaks"]) == []
    assert gates.unrated(gates.parse({"judged_grounded": "low >= 0.8", "support": "low >= 0.5"}), []) == []


def test_a_worse_slice_of_too_few_questions_is_among_what_was_not_tested():
    found = pd.DataFrame(
        {"dimension": "language", "level": ["es", "pt", "en", "es"], "rest": 0.85, "low": 0.0}
    )
    found = found.assign(high=[0.87, 0.5, 0.9, 0.9], flagged=[True, True, False, True])
    (row,) = of_run.by_gravity(of_run.undecided_slices(found)).to_dict("records")
    assert (row["risk"], row["why"]) == ("Uneven quality", "too few asked") and "Spanish" in row["what"]
    assert of_run.by_gravity(of_run.undecided_slices(found[:0])).empty


def test_the_register_names_what_there_is():
    table = of_run.RISKS
    assert set(table["severity"]) <= set(SEVERITIES)
    further = {"answers", "latency", "load", "slices", "machine_decisions"}
    for cell in table["evidence"]:
        for name in cell.split("; "):
            assert name.startswith(("check:", "judged_")) or name in {*METRICS, *RATES, *further}
