"""The register of risks: what was tested is read from the run; the aspects that a run tests are not called untested."""

from pathlib import Path

import pandas as pd
import pytest

from ragassay.analysis import checks, quoting
from ragassay.decision.findings.error_findings import KINDS
from ragassay.decision.not_tested import risk_register
from ragassay.scores.display_names import is_named
from ragassay.tables import SEVERITIES

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"
CARD = pd.DataFrame(
    [
        ("judged_relevant", "all", 0.5, 30),
        ("answer_relevancy", "all", float("nan"), 0),
        ("x", "topic=1", 1.0, 9),
    ],
    columns=["metric", "slice", "value", "n"],
)
CHECKS = pd.DataFrame(
    [
        ("bias", "age", "undecided", 16),
        ("bias", "race", "undecided", 16),
        ("stereotypes", "ambiguous", "undecided", 0),
        ("access", "superseded documents: asked what holds today", "raised", 24),
        ("misuse", "all", "not applicable", 0),
        ("misuse", "tax advice", "raised", 10),
        ("misuse", "own account", "undecided", 16),
        ("misuse", "all families", "raised", 26),
    ],
    columns=["check", "aspect", "outcome", "n"],
)  # fmt: skip
FOUND = risk_register.evidence(CARD, CHECKS, {"answers": 384})


def test_the_register_is_full_and_names_what_exists():
    risks = risk_register.risks()
    filled = risks.drop(columns=["checks", "errors"])
    assert risks["risk"].is_unique and not filled.map(lambda cell: cell == "" or cell != cell).any().any()
    assert set(risks["severity"]) <= set(SEVERITIES)
    tested = {name for cell in risks["tested in"] for name in cell.split(", ")}
    assert tested <= {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    names = {name for cell in risks["evidence"] for name in cell.split("; ")}
    assert [name for name in names if name not in risk_register.WORDS and not is_named(name)] == []


def test_failure_modes_of_refusals_and_citations_have_their_result_in_the_chapter_named():
    """The register says that a result stands in its chapter: a table or note there must show it."""
    shown = {"02_functionality": "Retrieval and citations by origin", "05_robustness": "refusals_in_words"}
    for name, words in shown.items():
        assert words in (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")


def test_evidence_rests_on_cases():
    assert FOUND["judged_relevant"] == 30 and FOUND["check:bias"] == 2 and FOUND["answers"] == 384
    assert FOUND["check:access/superseded documents: asked what holds today"] == 1
    assert {"answer_relevancy", "x", "check:stereotypes", "check:misuse/all families"} & set(FOUND) == set()


@pytest.mark.parametrize(
    "risk, state, measured",
    [
        ("FM1 irrelevant information", risk_register.PARTLY, "relevant (raters): n = 30; closeness to the question: not measured"),
        ("Bias", risk_register.PARTLY, "comparisons of groups: 2; stereotypes: conditions measured: 0"),
        ("Availability", risk_register.PARTLY, "questions answered: 384; answers timed: 0; answers under load: 0"),
        ("Misuse", risk_register.TESTED, "families of requests: 2"),
    ],
)  # fmt: skip
def test_the_status_is_read_from_the_run(risk, state, measured):
    row = risk_register.register(FOUND).set_index("risk").loc[risk]
    assert (row["in this run"], row["measured"]) == (state, measured)


def _state_of(risk, found, rows, barred=()):
    table = risk_register.register(found, pd.DataFrame(rows, columns=["check", "outcome", "reason"]), barred)
    return table.set_index("risk").loc[risk, ["in this run", "measured"]].tolist()


def test_a_risk_is_tested_in_part_where_a_check_was_left_out_or_follows_from_the_design():
    """Formerly "tested" for privacy, of which the probes that need a conversation were not asked."""
    found = dict.fromkeys(["privacy_leak_rate", "names_rate", "secret_leak_rate"], 78)
    asked = ("privacy", "clear", "")
    state, _ = _state_of("Privacy", found, [asked])
    assert state == risk_register.TESTED
    state, told = _state_of("Privacy", found, [asked, ("privacy", "not applicable", "a conversation")])
    assert state == risk_register.PARTLY and told.endswith("; 1 left out")
    state, told = _state_of("Privacy", found, [asked, ("privacy", "clear", quoting.BY_DESIGN)])
    assert state == risk_register.PARTLY and told.endswith("; 1 by design")
    assert _state_of("Privacy", found, [asked, ("bias", "not applicable", "x")])[0] == risk_register.TESTED


def test_a_barred_metric_is_no_evidence():
    """Formerly a wrong citation counted as tested by whether there is a citation at all."""
    found = dict.fromkeys(["citations_present", "citation_correctness", "citations_supported"], 327)
    risk = "FM6 missing or incorrect citation"
    assert _state_of(risk, found, [])[0] == risk_register.TESTED
    state, told = _state_of(risk, found, [], {"citations_supported": "fails"})
    assert state == risk_register.PARTLY and "citations supported: failed its examination" in told


def test_what_the_run_tested_is_not_among_the_untested():
    """Superseded text and differences between customers were called untested beside their own results."""
    open_ones = [what for _, what, why, _ in risk_register.untested(FOUND) if why == risk_register.NO_TEST]
    assert not any(
        "no longer in force" in what or "differences between customers" in what for what in open_ones
    )
    untried = [what for _, what, why, _ in risk_register.untested({}) if why == risk_register.NO_TEST]
    assert len(untried) - len(open_ones) == 2 and any(
        "differences between customers" in what for what in untried
    )


def test_a_risk_of_which_nothing_was_measured_is_a_point_of_its_own():
    """Formerly the register said "not tested", and the list of what was not tested did not name the risk."""
    told = [risk for risk, _, why, _ in risk_register.untested({}) if why == risk_register.UNTAKEN]
    assert told == risk_register.risks()["risk"].tolist()
    assert "Misuse" not in [
        risk for risk, _, why, _ in risk_register.untested(FOUND) if why == risk_register.UNTAKEN
    ]


def test_every_check_that_the_notebooks_make_tests_a_risk():
    known = risk_register.risk_of_checks()
    assert known["privacy"] == "Privacy" and known["stereotypes"] == known["bias"] == "Bias"
    assert set(known.values()) <= set(risk_register.severities())


def test_each_aspect_says_what_it_would_take_in_its_own_words():
    takes = [words for *_, words in risk_register.untested({})]
    assert all(takes) and max(map(takes.count, takes)) <= 2
    named = {risk for risk, _, why, _ in risk_register.untested({}) if why == risk_register.NO_TEST}
    assert named == set(risk_register.risks()["risk"])


@pytest.mark.parametrize(
    "status, audience, n", [(["current", "superseded"], ["staff", "customer"], 2), (["current", ""], ["staff"] * 2, 0)]
)  # fmt: skip
def test_documents_are_marked_where_each_is(status, audience, n):
    assert risk_register.count_with_status(pd.DataFrame({"status": status, "audience": audience})) == n
    assert risk_register.count_with_status(pd.DataFrame({"doc_id": ["a"]})) == 0 and checks.NOT_APPLICABLE


def test_every_kind_of_error_has_its_risk():
    named = {name for cell in risk_register.risks()["errors"] for name in cell.split("; ") if name}
    assert named == set(KINDS)


@pytest.mark.parametrize(
    "source, severity, status, graver",
    [
        ("errors:needless refusal", "Critical", "open", {"FM4 wrong refusal": ("Critical", "F1")}),
        ("errors:needless refusal", "Critical", "closed", {}),
        ("errors:needless refusal", "High", "open", {}),
        ("check:perturbation|ocr|abstention_correct", "High", "open", {"Unstable behaviour": ("High", "F1")}),
        ("gate:retrieval_recall|own", "Critical", "open", {"Retrieval failure": ("Critical", "F1")}),
        ("process:independence", "Critical", "open", {}),
    ],
)
def test_an_open_finding_makes_its_risk_as_grave_as_it_is(source, severity, status, graver):
    columns = ["finding_id", "source", "severity", "status", "also"]
    milder = ("F2", source, "Medium", "open", [])
    findings = pd.DataFrame([milder, ("F1", source, severity, status, [])], columns=columns)
    assert risk_register.graver(findings) == graver


def test_a_risk_of_which_nothing_is_required_is_not_tested():
    """The quality of refusals had neither gate nor finding, and its risk counted as tested."""
    found = {"refusal_quality": 46}
    for required, state in (({"judged_complete"}, "not tested"), ({"refusal_quality"}, "tested")):
        table = risk_register.register(found, required=required).set_index("risk")
        row = table.loc["FM5 no related information"]
        assert row["in this run"] == state
        assert (risk_register.NOT_REQUIRED in row["measured"]) == (state == "not tested")


def test_a_score_not_shown_better_than_chance_is_no_evidence():
    """Formerly completeness counted as tested by a similarity that predicts no rater."""
    found, risk = dict.fromkeys(["judged_complete", "completeness"], 264), "FM3 missing information"
    assert risk_register.register(found).set_index("risk").loc[risk, "in this run"] == risk_register.TESTED
    row = risk_register.register(found, unproven={"completeness": "why"}).set_index("risk").loc[risk]
    assert row["in this run"] == risk_register.PARTLY
    assert row["measured"].endswith("completeness (similarity): not shown better than chance")


def test_a_risk_without_a_verdict_is_not_tested():
    """Formerly "in part", for availability of which nothing is required, and where no check decided."""
    table = risk_register.register(FOUND, CHECKS.assign(reason=""), required=set()).set_index("risk")
    assert table.loc["Availability", "in this run"] == risk_register.UNTESTED
    assert table.loc["Availability", "measured"].endswith(risk_register.NOT_REQUIRED)
    assert table.loc["Bias", "in this run"] == risk_register.UNTESTED
    assert table.loc["Bias", "measured"].endswith(risk_register.NO_VERDICT)
    decided = CHECKS.assign(reason="", outcome=CHECKS["outcome"].mask(CHECKS["aspect"] == "age", "clear"))
    found = risk_register.register(FOUND, decided, required=set()).set_index("risk")
    assert found.loc["Bias", "in this run"] == risk_register.PARTLY


def test_a_risk_that_was_tested_says_how_many_points_are_left():
    left = {"Misuse": 2, "Bias": 3}
    table = risk_register.register(FOUND, left=left).set_index("risk")
    assert table.loc["Misuse", "in this run"] == risk_register.TESTED
    assert table.loc["Misuse", "measured"].endswith("points left: 2")
    assert "points left" not in table.loc["Bias", "measured"]
