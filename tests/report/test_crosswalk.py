"""Profiles: readable by a bank, pointing at things that exist, and honest about what is not there."""

import json
import shutil
from types import SimpleNamespace

import pandas as pd
import pytest

from ragassay import engagement_registers, report
from ragassay.answers import asking
from ragassay.report import crosswalk, document_control
from ragassay.report.blocks import ANCHORS
from ragassay.report.decision_words import read_rows
from ragassay.report.markup import table_blocks
from ragassay.report.run_folder import Run


def row(sections: str, **more: str) -> dict[str, str]:
    return {"clause": "A theme", "sections": sections, "decision": ""} | more


def test_criteria_fit_profiles_facts_and_chapters():
    found = read_rows("criteria")
    sections = {each["section"] for each in found}
    assert set(engagement_registers.SECTIONS) == sections and set(crosswalk.RAISED) <= sections
    assert {each["fact"].partition(": ")[0] for each in found} == set(crosswalk.FACTS)
    assert {each["chapter"] for each in found} <= set(ANCHORS)


@pytest.mark.parametrize(
    "sections, expected",
    [
        ("functionality", "not evidenced"),  # executed, but nothing measures retrieval and declining
        ("monitoring", "partly"),  # triggers are stated, no plan is shown
        ("conditions materiality parts", "evidenced"),
        ("", "not evidenced"),
        ("gates", "not evidenced"),  # one gate is incomplete
        ("findings", "evidenced"),
        ("B", "not evidenced"),  # a file of the run is lost
        ("sign-off", "partly"),  # no document holds the acceptance of itself
    ],
)
def test_status_by_hand(run_dir, sections, expected):
    assert crosswalk.judge_theme(Run(run_dir), row(sections))[1] == expected


@pytest.mark.parametrize(
    "key, section, line",
    [("next_review", "monitoring", "Next review"), ("triggers", "monitoring", "Earlier review on"),
     ("model_version", "control", "Version"), ("owner", "control", "Owner"),
     ("approver", "sign-off", "Approver")],
)  # fmt: skip
def test_what_the_cover_states_is_met_and_what_it_does_not_is_not(run_dir, tmp_path, key, section, line):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    record, missing = json.loads((copy / "engagement.json").read_text()), {}
    for stated in ("2.0", None):
        (copy / "engagement.json").write_text(
            json.dumps(record | {key: [stated] if key == "triggers" and stated else stated})
        )
        run = Run(copy)
        assert (dict(document_control.cover(run))[line] != "not stated") == bool(stated)
        missing[stated] = crosswalk.judge_theme(run, row(section))[0]
    assert len({*missing[None]} - {*missing["2.0"]}) == 1 and {*missing["2.0"]} < {*missing[None]}


def test_a_version_that_every_reply_names_is_known(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    record = json.loads((copy / "engagement.json").read_text()) | {"model_version": "not stated"}
    (copy / "engagement.json").write_text(json.dumps(record))
    run, missing = Run(copy), {}
    for versions in ([], [{"version": "9.1", "by": "said by each reply", "answers": 3}]):
        run.manifest["versions"] = versions
        missing[len(versions)] = {*crosswalk.judge_theme(run, row("control"))[0]}
    assert (
        dict(document_control.cover(run))["Version"].startswith("9.1") and len(missing[0] - missing[1]) == 1
    )


def test_a_bank_names_its_own_profile_and_decides_what_is_out_of_scope(run_dir, tmp_path):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    rows = engagement_registers.read_profile("sr-26-2-by-analogy")
    rows[0] |= {"decision": "the Model Risk Committee", "regime": "Our policy <b>7</b>"}
    record = json.loads((copy / "engagement.json").read_text()) | {"profile": "policies/own.csv"}
    (copy / "engagement.json").write_text(json.dumps(record | {"crosswalk": rows}))
    made = next(chapter for chapter in report.assemble(copy).chapters if chapter.anchor == "crosswalk")
    assert "policies/own.csv" in str(made.blocks[0]) and "Our policy" in made.blocks[1].caption
    assert made.blocks[1].rows[0][-1][0].text == "out of scope by decision of the Model Risk Committee"
    assert crosswalk.judge_theme(Run(copy), rows[0])[0] == []


@pytest.mark.parametrize("name", engagement_registers.SHIPPED)
def test_a_theme_that_is_not_evidenced_names_what_is_not_met(run_dir, name):
    run = Run(run_dir)
    for each in [*engagement_registers.read_profile(name), row("")]:
        missing, status = crosswalk.judge_theme(run, each)
        assert bool(missing) != status.startswith("evidenced")
    assert 0 < sum(bool(each["critical"]) for each in engagement_registers.read_profile(name)) < 8


CHECKED = {"check": ["bias"] * 3, "n": [9, 9, 9], "outcome": ["clear", "undecided", "undecided"]}
TRIED = {"check": ["injection"] * 2, "n": [14, 16], "outcome": ["clear", "raised"]}
CARD = {"metric": ["recall"], "n": [30], "low": [0.1], "high": [0.2]}
LOGGED, FAILED = "has_rows: cases; origin == 'log'; 3", "has_no_rows: gates; decides and outcome == 'fail'"


@pytest.mark.parametrize(
    "fact, table, columns, is_held",
    [
        (LOGGED, "cases", {"origin": ["log"] * 3}, True),
        (LOGGED, "cases", {"origin": ["log"] * 2}, False),
        (FAILED, "gates", {"outcome": ["fail"], "decides": [False]}, True),
        (FAILED, "gates", {"outcome": ["fail"], "decides": [True]}, False),
        ("is_tried: 30, injection", "checks", TRIED, True),
        ("is_tried: 30, misuse", "checks", TRIED, False),
        ("groups_decided: 0.7", "checks", CHECKED, True),
        ("groups_decided: 0.5", "checks", CHECKED, False),
        ("is_measured: 30, recall", "scorecard", CARD, True),
        ("is_measured: 31, recall", "scorecard", CARD, False),
        ("has_rows: challengers", "challengers", {"n": []}, False),
    ],
)
def test_facts_of_tables_by_hand(tmp_path, fact, table, columns, is_held):
    (tmp_path / "tables").mkdir()
    pd.DataFrame(columns).to_parquet(tmp_path / f"tables/{table}.parquet")
    assert crosswalk.holds(Run(tmp_path), fact) == is_held
    assert not crosswalk.holds(Run(tmp_path / "nothing"), fact)


@pytest.mark.parametrize(
    "fact, name, record, is_held",
    [
        ("version_reported", "manifest", {"versions": [{"version": "v1"}]}, True),
        ("version_reported", "manifest", {"versions": [{"version": None}]}, False),
        ("has_parameter: a, b, yes", "manifest", {"parameters": {"a": {"b": "yes"}}}, True),
        ("has_parameter: a, b, yes", "manifest", {"parameters": {"a": {"b": "no"}}}, False),
        ("parts_identified", "engagement", {"vendor_components": [["bm25s-2", "encoder, version 2"]]}, True),
        ("parts_identified", "engagement", {"vendor_components": [["bm25s-2", "lexical retrieval"]]}, False),
        ("validator_independent", "engagement", {"validator_independent": "yes"}, True),
        ("validator_independent", "engagement", {"validator_independent": "no"}, False),
        ("independence_stated", "engagement", {"independence": "Reports to the CRO."}, True),
        ("independence_stated", "engagement", {"independence": "not stated"}, False),
    ],
)
def test_facts_of_records_by_hand(tmp_path, fact, name, record, is_held):
    (tmp_path / f"{name}.json").write_text(json.dumps(record))
    assert crosswalk.holds(Run(tmp_path), fact) == is_held


@pytest.mark.parametrize(
    "kept, log, is_held",
    [({}, "", True), ({"a": "1"}, "", False), ({}, "log.jsonl", False), (None, "", False)],
)
def test_a_plan_counts_only_where_no_answer_to_it_was_known(kept, log, is_held):
    files = {"plan.json": b"{}"}
    files |= {} if kept is None else {asking.BEFORE_PLAN: json.dumps(kept).encode()}
    held = pd.DataFrame({"case_id": ["a"]})
    run = SimpleNamespace(rows=lambda name: held, content=files.get, engagement={"answers_log": log})
    assert crosswalk.planned_before(run) == is_held


@pytest.mark.parametrize(
    "responses, is_held",
    [
        (["agreed", "mended"], True),
        (["agreed"] * 3, True),
        (["agreed", "agreed", ""], False),
        ([""] * 3, False),
    ],
)
def test_challenges_are_answered_where_each_has_its_response(responses, is_held):
    log = pd.DataFrame({"challenge": list("abc")[: len(responses)], "response": responses})
    (shown,) = table_blocks(log.to_html(index=False))
    shown.caption = "Challenge log"
    assert crosswalk.holds(SimpleNamespace(shown=[shown]), "challenges_answered") == is_held


def test_no_row_of_a_shipped_profile_is_evidenced_by_executions_alone(tmp_path):
    """A run whose notebooks all ran and left nothing is evidence of nothing but the code and the manifest."""
    run = Run(tmp_path)
    ran = SimpleNamespace(state="executed", code="", parts=[], tagged=lambda tag: [])
    run.notebooks = dict.fromkeys(run.notebooks, ran)
    rows = [each for name in engagement_registers.SHIPPED for each in engagement_registers.read_profile(name)]
    assert {crosswalk.judge_theme(run, each)[1] for each in rows} == {"not evidenced"}


@pytest.mark.parametrize(
    "name, status, expected",
    [
        ("misuse", "open", "evidenced; result: F8 open"),
        ("misuse", "retested", "evidenced"),
        ("access", "open", "evidenced"),
    ],
)
def test_an_open_finding_on_what_a_row_looks_at_stands_beside_its_status(name, status, expected):
    finding = {"finding_id": "F8", "severity": "High", "rule": "check", "name": name, "status": status}
    checked = {"check": "misuse", "n": 102, "outcome": "raised"}
    held = {"findings": [finding], "finding_sources": [finding], "checks": [checked]}
    run = SimpleNamespace(rows=lambda name: pd.DataFrame(held[name]))
    assert crosswalk.judge_theme(run, row("misuse"))[1] == expected
