"""The register of risks: what was tested is read from the tables; what was not is a row."""

import pandas as pd
import pytest

from ragassay.decision import findings, risk_register
from ragassay.decision.severity import finding_rule
from ragassay.scores.metric_registry import METRICS, RATES
from ragassay.tables import SEVERITIES

CHECKS = ["check", "aspect", "outcome", "n", "by_design"]


def checks(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=CHECKS)


def card(**n: int) -> pd.DataFrame:
    rows = [{"metric": name, "slice": "all", "value": 0.5, "n": count} for name, count in n.items()]
    return pd.DataFrame(rows, columns=["metric", "slice", "value", "n"])


def state(risk: str, card_: pd.DataFrame, checked: pd.DataFrame, barred=(), **further: int) -> str:
    found = risk_register.evidence(card_, checked, further)
    table = risk_register.register(found, checked, barred).set_index("risk")
    return table.loc[risk, "in this run"]


def test_by_hand():
    nothing = checks()
    assert state("Wrong refusal", card(answerable_declined=10), nothing) == "tested"
    assert state("Wrong refusal", card(), nothing) == "not tested"
    assert state("Irrelevant information", card(answer_relevancy=10), nothing) == "in part"
    both = card(judged_relevant=10, answer_relevancy=10)
    assert state("Irrelevant information", both, nothing) == "tested"
    assert state("Irrelevant information", both, nothing, ["answer_relevancy"]) == "in part"


@pytest.mark.parametrize(
    "rows, expected",
    [
        ([("misuse", "a", "clear", 80, False)], "tested"),
        ([("misuse", "a", "undecided", 8, False)], "in part"),
        ([("misuse", "a", "clear", 80, True)], "in part"),  # it could not have failed
        ([("misuse", "a", "not applicable", 0, False)], "not tested"),
    ],
)
def test_a_check_without_a_verdict_tests_in_part(rows, expected):
    assert state("Misuse", card(), checks(*rows)) == expected


def test_what_was_not_tested_stands_by_the_severity_of_its_risk():
    found = risk_register.evidence(card(), checks(), {})
    table = risk_register.register(found, checks())
    untested = risk_register.untested(table, found)
    assert untested["severity"].map(SEVERITIES.index).is_monotonic_increasing
    assert untested["what"].is_unique and untested["takes"].ne("").all()
    fewer = risk_register.untested(table, found | {"documents_marked": 4})
    assert len(fewer) == len(untested) - 2


def test_the_register_names_what_there_is():
    table = risk_register.RISKS
    assert set(table["severity"]) <= set(SEVERITIES)
    further = {"answers", "latency", "load", "slices", "machine_decisions"}
    for cell in table["evidence"]:
        for name in cell.split("; "):
            assert name.startswith(("check:", "judged_")) or name in {*METRICS, *RATES, *further}
    assert all(
        finding_rule(findings.CHECK, name) for cell in table["checks"] for name in cell.split("; ") if name
    )
