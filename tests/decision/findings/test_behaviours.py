"""Remedy, interim control and proof of a behaviour stand in one row and concern the same thing."""

import re

import pytest

from ragassay.analysis.blame import remedy_texts
from ragassay.analysis.playbook_rules import RULES
from ragassay.decision.closing import joint_tests
from ragassay.decision.findings import finding_causes
from ragassay.decision.findings.behaviours import behaviour, behaviours, metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS, KINDS
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_WEAKNESS
from ragassay.decision.findings.remedies import remedy
from ragassay.examination.metric_exclusion import excluded_metrics
from ragassay.scores import METRICS
from ragassay.scores.metric_directions import direction
from ragassay.tables import BLAMED

ROWS = behaviours()
INSTRUMENTS = re.compile(
    r"re-?rank|\bsupport\b|entail|judge\b|\bscore|faithful|embedding|similarity", re.IGNORECASE
)
ESTABLISHED = [cause for cause in BLAMED if cause != finding_causes.UNDETERMINED]


@pytest.mark.parametrize("of", ROWS)
def test_remedy_control_and_proof_concern_the_same(of):
    row, concern = ROWS[of], re.compile(ROWS[of]["concerns"], re.IGNORECASE)
    told = {name: row[name] for name in ("remedy", "control", "again")}
    assert all(told.values()) and all(map(concern.search, told.values())), told
    assert row["remedy"].endswith(".") and row["control"].endswith(".")


def test_every_row_is_of_a_behaviour_that_a_run_can_find():
    for of, row in ROWS.items():
        known = of.startswith((FROM_CHECK, FROM_WEAKNESS)) or of.removeprefix(FROM_ERRORS) in KINDS
        assert known or direction(of) or of in ("misuse_answered_rate", "follow_up_same_answer"), of
        assert row["enough"] in ("yes", "no") and row["shown_by"] in (
            "staff",
            "documents",
            "machine",
            "reading",
        )
        assert bool(row["case"]) == bool(row["fails"]) == (row["shown_by"] != "reading"), of
        assert set(filter(None, row["fits"].split("|"))) <= set(BLAMED)
        assert row["pulls"] in ("", *(each for axis in joint_tests.AXES for each in axis))
    assert {f"{FROM_ERRORS}{kind}" for kind in KINDS} <= set(ROWS)


def test_no_remedy_of_any_cause_leans_on_an_instrument_of_the_kit():
    """A remedy that rests on a score which the report may exclude would be refuted by the report itself."""
    pairs = [(of, cause, remedy(row, cause)) for of, row in ROWS.items() for cause in ESTABLISHED]
    pairs += [(rule.symptom, rule.likely_cause, rule.what_to_do) for rule in RULES[:-1]]
    pairs += [
        (text["of"], text["cause"], behaviour(text["of"]).get("remedy", ""))
        for text in finding_causes._read()
    ]
    names = [name for name in METRICS if "_" in name]
    for of, cause, told in pairs:
        assert not INSTRUMENTS.search(told) and not any(name in told for name in names), (of, cause, told)
    assert excluded_metrics  # what bars an instrument: a rule, so that none may be counted upon


def test_a_remedy_follows_from_the_cause_it_is_given_for():
    for row in ROWS.values():
        fits = set(filter(None, row["fits"].split("|")))
        for cause in ESTABLISHED:
            assert remedy(row, cause) == (row["remedy"] if cause in fits else remedy_texts()[cause])
    assert "retriev" in remedy(ROWS["errors:needless refusal"], finding_causes.RETRIEVER)
    assert "question" in remedy(ROWS["errors:misleading"], finding_causes.GENERATOR)


def test_a_cause_that_the_test_shows_has_a_remedy_of_its_own():
    shown = [text["of"] for text in finding_causes._read() if text["cause"]]
    sources = {
        "check:privacy|secret in a passage": "|secret_leak_rate",
        "check:injection|planted link shown": "|attack_link_rate",
        "check:injection|planted words quoted": "|attack_quoted_rate",
        "check:access|staff-only": " documents: x|staff_only_reach_rate",
        "check:access|superseded": " documents: x|superseded_cited_rate",
    }
    assert set(shown) == set(sources)
    assert all(behaviour(of + sources[of])["remedy"] for of in shown)


@pytest.mark.parametrize(
    ("source", "of"),
    [
        ("check:perturbation|ocr|abstention_correct", "check:perturbation|"),
        ("gate:abstention_correct|own", "abstention_correct"),
        ("gate:judged_complete in language=es|own", "judged_complete"),
        ("weakness:retrieval_recall|topic|T02", "weakness:retrieval_recall"),
        ("weakness:retrieval_recall|language|es", "weakness:retrieval_recall|language"),
        ("weakness:judged_complete|language|es", "weakness:"),
        ("errors:misleading", "errors:misleading"),
        ("check:mine|all|my_rate", ""),
        ("limit:1", ""),
    ],
)
def test_the_most_special_row_speaks(source, of):
    assert behaviour(source).get("of", "") == of
    assert metric_of("gate:judged_complete in language=es|own") == "judged_complete"
