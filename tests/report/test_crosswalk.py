"""Profiles: readable by a bank, pointing at things that exist, and honest about what is not there."""

import json
import re
import shutil
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest
from small_run import code

from ragassay import regulatory_profiles, report, show, tables
from ragassay.answers import answer_journal, answers_before_plan
from ragassay.decision.closing.finding_phases import RELEASE, START
from ragassay.decision.closing.first_steps import spans
from ragassay.decision.not_tested import risk_register
from ragassay.decision.recommendation import PILOT
from ragassay.report import (
    crosswalk,
    crosswalk_conditions,
    crosswalk_criteria,
    crosswalk_facts,
    crosswalk_mark_facts,
)
from ragassay.report.run_folder import Run
from ragassay.run.execution.ask_again import SILENT, UNTOLD


def test_a_profile_may_name_just_what_a_report_has():
    assert (
        set(regulatory_profiles.SECTIONS)
        == set(crosswalk_criteria.FACTS)
        == {*crosswalk.IN_CHAPTER, *crosswalk.ELSEWHERE}
    )


@pytest.mark.parametrize(
    "sections, expected",
    [
        ("functionality", "not evidenced"),  # executed, but nothing measures retrieval and declining
        ("monitoring", "partly"),  # triggers are stated, no plan is shown
        ("deployment challengers", "not evidenced"),
        ("conditions materiality parts", "evidenced"),
        ("conclusion", "evidenced"),
        ("weakness robustness", "not evidenced"),
        ("", "not evidenced"),
        ("gates", "not evidenced"),  # one gate is incomplete
        ("findings", "evidenced"),
        ("B", "not evidenced"),  # a file of the run is lost
        ("sign-off", "partly"),  # no document holds the acceptance of itself
        ("control independence", "not evidenced"),  # a unit as validator is no name
        ("challenge", "not evidenced"),
    ],
)
def test_status_by_hand(run_dir, sections, expected):
    assert crosswalk.status(Run(run_dir), {"sections": sections, "decision": ""}) == expected


@pytest.mark.parametrize("rows, expected", [(0, "not evidenced"), (1, "evidenced"), (None, "not evidenced")])
def test_a_challenger_counts_only_where_one_was_compared(run_dir, tmp_path, rows, expected):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    if rows is not None:
        row = {
            "metric": "support",
            "challenger": "other",
            "n": 9,
            "difference": 0.1,
            "low": 0.0,
            "high": 0.2,
            "q": 0.5,
            "outcome": "no significant difference",
        }
        tables.write(copy, "challengers", pd.DataFrame([row]).head(rows))
    run = Run(copy)
    assert crosswalk.status(run, {"sections": "challengers", "decision": ""}) == expected and not [
        gap for gap in run.gaps if "challengers" in gap
    ]


def test_a_bank_names_its_own_profile_and_decides_what_is_out_of_scope(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    rows = regulatory_profiles.read("sr-26-2-by-analogy")
    rows[0] |= {"decision": "the Model Risk Committee", "regime": "Our policy <b>7</b>"}
    record = json.loads((copy / "engagement.json").read_text())
    (copy / "engagement.json").write_text(
        json.dumps(record | {"profile": "policies/own.csv", "crosswalk": rows})
    )
    annex = next(chapter for chapter in report.assemble(copy).chapters if chapter.anchor == "crosswalk")
    assert "the engagement's own file, policies/own.csv." in str(annex.blocks[0])
    table = annex.blocks[1]
    assert table.rows[0][-1][0].text == "out of scope by decision of the Model Risk Committee"
    assert "Our policy" in table.caption


def test_an_unknown_profile_is_a_gap_and_no_path(run_dir):
    run = Run(run_dir)
    run.engagement["profile"] = "../../../../etc/passwd"
    assert "There is no profile" in str(crosswalk.chapter(run).blocks)


def test_a_row_says_what_its_content_is_tested_for_and_what_it_lacks(run_dir):
    row = {"sections": "functionality", "decision": ""}
    assert crosswalk._content(Run(run_dir), row, {}) == (
        "Answer quality: not met: retrieval and declining measured on at least 30 answers"
    )
    row = {"sections": "weakness conclusion control", "decision": ""}
    assert crosswalk._content(Run(run_dir), row, {}).splitlines() == [
        "Weak spots: not met: its notebook executed; slices tested, with control of false discoveries",
        "Gates, findings and decision: met: a rating with its reasons",
        "Document control: not met: a person named as validator",
    ]


def test_every_criterion_that_is_not_met_has_a_number_and_a_consequence(run_dir):
    """Each row that is not evidenced points to what follows; nothing unmet is without a limit or condition."""
    run, rows = Run(run_dir), regulatory_profiles.read("sr-26-2-by-analogy")
    missed = crosswalk.unmet(run, rows)
    assert len({each.criterion for each in missed}) == len(missed) > 3
    assert all(each.becomes in ("Limit", "Condition") and len(each.follows) > 15 for each in missed)
    named = {clause for each in missed for clause in each.clauses}
    lacking = {row["clause"] for row in rows if crosswalk.status(run, row) != "evidenced"}
    assert named == lacking
    *_, table, consequences = crosswalk.chapter(run).blocks
    shown = str(table.rows)
    assert all(f"({each.number})" in shown for each in missed) and len(consequences.rows) == len(missed)


def test_what_is_out_of_scope_owes_nothing_and_an_empty_row_asks_the_bank(run_dir):
    row = regulatory_profiles.read("sr-26-2-by-analogy")[0] | {"sections": ""}
    (found,) = crosswalk.unmet(Run(run_dir), [row, row | {"clause": "Another"}])
    assert found.criterion == crosswalk.ELSE and found.clauses == [row["clause"], "Another"]
    assert not crosswalk.unmet(Run(run_dir), [row | {"decision": "the committee"}])


@pytest.mark.parametrize("section, name", [("independence", "validator"), ("calibration", "independent")])
@pytest.mark.parametrize("said, numbers", [("yes", None), ("no", "F7"), ("no", "no finding is open")])
def test_raters_and_a_validator_who_are_not_independent_point_to_the_finding(section, name, said, numbers):
    """Formerly a statement of independence was asked for, whatever it said."""
    found = [{"source": "process:independence", "status": "open", "finding_id": "F7"}][: numbers == "F7"]
    run = SimpleNamespace(
        engagement={"validator_independent": said, "validator": "A", "owner": "B"},
        manifest={"parameters": {"04_calibration": {"raters_independent": said}}},
        rows=lambda table: pd.DataFrame(found),
    )
    assert crosswalk_criteria.FACTS[section][name](run) == (numbers is None)
    follows = crosswalk_criteria._words()[section, name]["follows"]
    assert f"({numbers or 'no finding is open'})." in crosswalk._pointing(run, follows)


def test_what_is_critical_for_the_profile_stands_on_the_summary(run_dir):
    (line,) = crosswalk.critical_line(Run(run_dir))
    assert re.match(r"\d+ criteria are not met in themes critical for SR 26-2, by analogy: ", line)
    assert "[chapter](#crosswalk)" in line and line.count(";") <= crosswalk.MOST_NAMED
    run = Run(run_dir)
    run.engagement["crosswalk"] = [
        row | {"critical": ""} for row in regulatory_profiles.read("sr-26-2-by-analogy")
    ]
    assert crosswalk.critical_line(run) == []


def test_every_shipped_profile_says_what_is_critical():
    for name in regulatory_profiles.SHIPPED:
        assert 0 < sum(bool(row["critical"]) for row in regulatory_profiles.read(name)) < 8


def test_criteria_are_worded_as_requirements_each_with_what_follows():
    """None reads as a result: no criterion is a sentence with a verb in the present."""
    words = crosswalk_criteria._words()
    assert {
        (key, name) for key, facts in crosswalk_criteria.FACTS.items() for name in facts if name != "executed"
    } | {(key, words) for (key, _), (words, _) in crosswalk_criteria.STRICTER.items()} == set(words)
    for row in words.values():
        assert not re.search(r"\b(is|are|was|were|has|have|had|states?)\b(?! in force)", row["criterion"]), (
            row
        )
        assert row["becomes"] in (crosswalk_criteria.LIMIT, crosswalk_criteria.CONDITION) and row[
            "follows"
        ].endswith(".")
        assert "{" not in row["criterion"]


@pytest.mark.parametrize("n, expected", [(29, "not evidenced"), (30, "evidenced")])
def test_functionality_is_evidenced_by_what_was_measured(run_dir, tmp_path, n, expected):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    card = tables.read(copy, "scorecard").head(2)
    tables.write(
        copy, "scorecard", card.assign(metric=["retrieval_recall", "abstention_correct"], n=n, slice="all")
    )
    assert crosswalk.status(Run(copy), {"sections": "functionality", "decision": ""}) == expected


def test_a_gate_that_decides_nothing_may_be_incomplete(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    gates = tables.read(copy, "gates")
    decides = (gates.outcome != "incomplete").tolist()
    tables.write(copy, "gates", gates.assign(decides=decides))
    assert crosswalk.status(Run(copy), {"sections": "gates", "decision": ""}) == "evidenced"


def test_a_finding_without_owner_is_not_evidence(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    tables.write(copy, "findings", tables.read(copy, "findings").assign(owner=["a", " ", "b"]))
    assert crosswalk.status(Run(copy), {"sections": "findings", "decision": ""}) == "not evidenced"


@pytest.mark.parametrize(
    "responses, expected",
    [(["We agree.", "Done."], "evidenced"), (["We agree.", ""], "not evidenced"), ([], "not evidenced")],
)
def test_a_log_of_challenges_counts_when_each_has_its_response(run_dir, tmp_path, responses, expected):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    path = copy / "notebooks" / "07_conclusion.ipynb"
    book = nbformat.read(path, as_version=4)
    log = pd.DataFrame({"challenge": ["Why?"] * len(responses), "response": responses})
    book.cells.append(code("log", 9, show.table(log, crosswalk_facts.CHALLENGES)))
    nbformat.write(book, path)
    row = {"sections": "challenge", "decision": ""}
    assert crosswalk.status(Run(copy), row) == expected
    assert crosswalk.status(Run(run_dir), row) == "not evidenced"


def held(folder, fact, **named):
    """Whether a fact holds in a run of just these tables."""
    (folder / "tables").mkdir(exist_ok=True)
    for name, rows in named.items():
        pd.DataFrame(rows).to_parquet(folder / f"tables/{name}.parquet")
    return fact(Run(folder))


@pytest.mark.parametrize(
    "fact, tables, holds",
    [
        (crosswalk_facts.own_users, {"cases": {"origin": ["log"] * 30}}, True),
        (crosswalk_facts.own_users, {"cases": {"origin": ["own"] * 300}}, False),
        (crosswalk_mark_facts.marked, {"documents": {"status": ["current"], "audience": ["staff"]}}, True),
        (crosswalk_mark_facts.marked, {"documents": {"status": ["current"], "audience": [None]}}, False),
        (
            crosswalk_facts.tried("injection"),
            {"checks": {"check": ["injection"] * 2, "n": [14, 16], "outcome": ["clear", "raised"]}},
            True,
        ),
        (
            crosswalk_facts.tried("injection", "misuse"),
            {"checks": {"check": ["injection"], "n": [90], "outcome": ["clear"]}},
            False,
        ),
        (
            crosswalk_facts.groups_decided,
            {"checks": {"check": ["bias"] * 2, "n": [9, 9], "outcome": ["clear", "undecided"]}},
            True,
        ),
        (
            crosswalk_facts.groups_decided,
            {
                "checks": {
                    "check": ["bias"] * 3,
                    "n": [9, 9, 9],
                    "outcome": ["clear", "undecided", "undecided"],
                }
            },
            False,
        ),
        (crosswalk_facts.predicted, {"respect_errors": {"n": [0, 3]}}, True),
        (crosswalk_facts.predicted, {"respect_errors": {"n": [0]}}, False),
        (crosswalk_facts.followed_up, {"findings": {"carried_from": ["bank F1"]}}, True),
        (crosswalk_facts.followed_up, {"findings": {"carried_from": [""]}}, False),
        (crosswalk_facts.slices_tested, {"weakness": {"q": [0.2]}}, True),
        (crosswalk_facts.slices_tested, {"weakness": {"q": [float("nan")]}}, False),
        (crosswalk_facts.sourced, {"scorecard": {"metric": ["groundedness", "a rate"]}}, True),
        (crosswalk_facts.sourced, {"scorecard": {"metric": ["a rate"]}}, False),
    ],
)
def test_facts_by_hand(tmp_path, fact, tables, holds):
    assert held(tmp_path, fact, **tables) == holds
    assert not fact(Run(tmp_path / "nothing"))


def test_that_the_assistant_said_its_version_is_read_of_the_manifest(tmp_path):
    for said, holds in (
        ([SILENT], False),
        (["v1"], True),
        (["v1", SILENT], False),
        (["v1", UNTOLD], False),
        (["v1", "v2"], False),
        ([], False),
    ):
        (tmp_path / "manifest.json").write_text(json.dumps({"said_of_version": said}))
        assert crosswalk_facts.version_told(Run(tmp_path)) == holds
    assert SILENT.startswith(crosswalk_facts.SILENT)


@pytest.mark.parametrize(
    "given, holds",
    [(None, False), ({}, True), ({"x": "Ann: late; until 2027-01-01"}, True), ({"x": "late"}, False)],
)
def test_a_waiver_without_name_or_end_is_no_evidence(tmp_path, given, holds):
    values = {} if given is None else {"07_conclusion": {"run_dir": "r", "waivers": given}}
    (tmp_path / "manifest.json").write_text(json.dumps({"parameters": values}))
    assert crosswalk_facts.waivers_sound(Run(tmp_path)) == holds


@pytest.mark.parametrize("role, holds", [("encoder, version 2", True), ("lexical retrieval", False)])
def test_a_bought_in_part_states_its_version(tmp_path, role, holds):
    (tmp_path / "engagement.json").write_text(json.dumps({"vendor_components": [["bm25s-2", role]]}))
    assert crosswalk_facts.parts_identified(Run(tmp_path)) == holds


def test_no_row_of_a_shipped_profile_is_evidenced_by_executions_alone(tmp_path):
    """A run whose notebooks all ran and left nothing is evidence of nothing but the code and the manifest."""
    run = Run(tmp_path)
    run.notebooks = dict.fromkeys(run.notebooks, SimpleNamespace(state="executed", code="", parts=[]))
    for name in regulatory_profiles.SHIPPED:
        told = {row["clause"]: crosswalk.status(run, row) for row in regulatory_profiles.read(name)}
        assert set(told.values()) == {"not evidenced"}, told


@pytest.mark.parametrize(
    "kept, log, holds",
    [
        ({}, "", True),
        ({"a": "1"}, "", False),
        ({"a": "0"}, "", False),
        ({}, "log.jsonl", False),
        (None, "", False),
    ],
)
def test_a_plan_counts_in_full_only_where_no_answer_to_it_was_known(kept, log, holds):
    entry = {
        "key": ["a", 0, "", "", ""],
        "row": dict.fromkeys(answer_journal.OF_ROW),
        "asked": "1",
        "run": "",
    }
    files = {"plan.json": b"{}", "journal/answers.jsonl": json.dumps(entry).encode()}
    files |= {} if kept is None else {answers_before_plan.FILE: json.dumps(kept).encode()}
    run = SimpleNamespace(
        rows=lambda name: pd.DataFrame({"case_id": ["a", "b"]}),
        content=files.get,
        engagement={"answers_log": log},
    )
    assert crosswalk_facts.planned_before(run) == holds


@pytest.mark.parametrize("day, holds", [("2026-11-21", False), ("2026-11-23", True)])
def test_a_plan_younger_than_the_labels_of_its_answers_does_not_count(day, holds):
    entry = {
        "key": ["a", 0, "", "", ""],
        "row": dict.fromkeys(answer_journal.OF_ROW),
        "asked": "2026-11-23T10:00:00+00:00",
        "run": "",
    }
    files = {
        "plan.json": b"{}",
        "journal/answers.jsonl": json.dumps(entry).encode(),
        answers_before_plan.FILE: b"{}",
    }
    held = pd.DataFrame({"case_id": ["a"], "labelled_at": [day]})
    run = SimpleNamespace(rows=lambda name: held, content=files.get, engagement={})
    assert crosswalk_facts.planned_before(run) == holds


@pytest.mark.parametrize(
    "said, holds",
    [
        ("None: the maintainers validate it here.", False),
        ("none", False),
        ("n/a", False),
        ("Not independent.", False),
        ("not stated", False),
        ("", False),
        ("None of the validators built the system.", True),
        ("No member of the validation unit built the system.", True),
        ("The validator reports to the Chief Risk Officer.", True),
    ],
)
def test_a_statement_that_there_is_no_independence_is_not_one_of_it(said, holds):
    """Formerly "met" beside a statement that reads "None"."""
    run = SimpleNamespace(engagement={"independence": said})
    assert crosswalk_facts.independence_stated(run) == holds


@pytest.mark.parametrize(
    "source, also, status, expected",
    [
        ("check:misuse|all families|misuse_answered_rate", [], "open", "evidenced; result: F8 open"),
        ("gate:x", ["check:misuse|tax advice|misuse_answered_rate"], "open", "evidenced; result: F8 open"),
        ("check:misuse|all families|misuse_answered_rate", [], "retested", "evidenced"),
        ("check:access|superseded|superseded_cited_rate", [], "open", "evidenced"),
    ],
)
def test_an_open_finding_on_what_a_row_looks_at_stands_beside_its_status(source, also, status, expected):
    """Formerly "evidenced" alone for use within purpose, beside 31 % of prohibited requests answered."""
    found = {"finding_id": "F8", "severity": "High", "status": status, "source": source, "also": also}
    checked = {"check": "misuse", "n": 102, "outcome": "raised"}
    held = {"findings": pd.DataFrame([found]), "checks": pd.DataFrame([checked])}
    run = SimpleNamespace(rows=held.__getitem__)
    assert crosswalk.status(run, {"sections": "misuse", "decision": ""}) == expected


def test_what_raises_a_finding_beside_a_status_is_a_check_of_the_register():
    named = {begin for begins in crosswalk_criteria.RAISED_BY.values() for begin in begins}
    checks = {begin.removeprefix("check:").split("|")[0] for begin in named if begin.startswith("check:")}
    assert checks <= set(risk_register.risk_of_checks())
    assert set(crosswalk_criteria.RAISED_BY) <= set(crosswalk_criteria.FACTS)


def test_conditions_stand_by_what_they_come_before_in_summary_decision_and_sign_off(run_dir):
    """Formerly the sign-off offered its lines at once, and what must happen first named none of them."""
    run = Run(run_dir)
    missed = crosswalk.unmet(run, crosswalk.rows_of(run))
    told = crosswalk_conditions.conditions(run)
    assert set(told) <= set(crosswalk_criteria.BEFORE) and crosswalk_criteria.SIGN_OFF in told
    for each in missed:
        held = [before for before, text in told.items() if f"{each.number} (" in text]
        assert held == [each.before] * bool(each.before)
    made = {chapter.anchor: str(chapter.blocks) for chapter in report.assemble(run_dir).chapters}
    assert (
        told[crosswalk_criteria.SIGN_OFF] in made["sign-off"]
        and "Not to be signed before" in made["sign-off"]
    )
    assert all(f"before {before} {text}" in made["chapter-07_conclusion"] for before, text in told.items())


def test_each_condition_says_before_what_and_a_limit_before_nothing():
    for row in crosswalk_criteria._words().values():
        assert row["before"] in ("", *crosswalk_criteria.BEFORE)
        assert not row["before"] or row["becomes"] == crosswalk_criteria.CONDITION
        named = re.search(r"before (sign-off|release)", row["follows"])
        assert not named or named[1] == row["before"], row


def test_the_summary_names_conditions_by_number_where_they_come_in_the_order(run_dir):
    run = Run(run_dir)
    by_place, told = crosswalk_conditions.conditions_by_place(run), crosswalk_conditions.conditions(run)
    every = [number for numbers in by_place.values() for number in numbers]
    assert sorted(every) == sorted(re.findall(r"(C\d+) \(", " ".join(told.values()))) and every
    summary = next(each for each in report.assemble(run_dir).chapters if each.anchor == "summary")
    assert all(
        f"conditions {spans(numbers)} of the crosswalk" in str(summary.blocks)
        for numbers in by_place.values()
        if numbers
    )


@pytest.mark.parametrize(
    ("recommendation", "places"),
    [(PILOT, {START: ["C1", "C2"], RELEASE: ["C3"]}), ("none", {START: [], RELEASE: ["C1", "C2", "C3"]})],
)
def test_conditions_before_any_use_come_before_a_pilot_and_without_one_before_release(
    monkeypatch, recommendation, places
):
    missed = [
        crosswalk.Unmet(f"C{n}", "", "Condition", "", [], False, before)
        for n, before in enumerate((*crosswalk_criteria.BEFORE, ""), 1)
    ]
    monkeypatch.setattr(crosswalk, "rows_of", lambda run: [])
    monkeypatch.setattr(crosswalk, "unmet", lambda run, rows: missed)
    run = SimpleNamespace(decision={"recommendation": recommendation})
    assert crosswalk_conditions.conditions_by_place(run) == places


def test_of_a_criterion_with_several_parts_only_what_is_missing_is_told():
    """Formerly a missing name of the validator was told as names of model, version and owner missing too."""
    named = crosswalk_criteria.Parts(
        {"a name": lambda run: True, "its version": lambda run: False, "an owner": lambda run: False}
    )
    test = crosswalk_criteria.Test("all of them", named, "Condition", "state it.")
    assert not named(None) and test.lacking(None) == "its version, an owner"
    assert test._replace(holds=lambda run: False).lacking(None) == "all of them"
    (control,) = crosswalk_criteria.tests("control")
    assert isinstance(control.holds, crosswalk_criteria.Parts) and "not for another person" in control.follows


def test_where_a_use_needs_the_signature_what_precedes_it_precedes_a_pilot(run_dir, monkeypatch):
    """Formerly a pilot seemed to start with conditions of the sign-off open."""
    run = Run(run_dir)
    missed = crosswalk.unmet(run, crosswalk.rows_of(run))
    first = ", ".join(each.number for each in missed if each.before == crosswalk_criteria.SIGN_OFF)
    monkeypatch.setattr(crosswalk, "unmet", lambda *_: missed)
    for use in ("pilot", "none", "release"):
        run.__dict__["decision"] = {"recommendation": use}
        told = crosswalk_conditions.order(run)
        assert (f"{first} precede a pilot too" in told) == (use == "pilot")
