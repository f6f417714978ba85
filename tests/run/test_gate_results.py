"""`ragassay gate`: one exit code, JUnit XML and JSON of a run folder; never better than its tables."""

import json
from xml.etree import ElementTree

import pandas as pd
import pytest

from decision.judged_gates import judge
from decision.test_findings import check, checks, raise_
from ragassay import provenance, tables
from ragassay.cli import cli
from ragassay.decision.rating import rate
from ragassay.errors import InputError
from ragassay.run import gate_results, run_records
from ragassay.run.gate_results import GateResults

RULES = {"judged_grounded": "low >= 0.8", "privacy_leak_rate": "high <= 0.02, critical"}
GOOD = {"judged_grounded": {"own": (190, 200), "generated": (16, 16)}, "privacy_leak_rate": {"own": (0, 300)}}
HOSTILE = 'no <b>&"\x07\x1b[31m\u202e =cmd|x\ud800'.encode("utf-8", "replace").decode()


def folder(tmp_path, counts=GOOD, findings=(), **decision):
    run = tmp_path / "bank"
    gates, found = judge(RULES, counts), pd.DataFrame(list(findings), columns=finding().keys())
    provenance.save(run, "engagement.json", {"system": "s"})
    provenance.save(run, "decision.json", rate(gates, found) | decision)
    tables.write(run, "gates", gates)
    tables.write(run, "findings", found)
    return listed(run)


def listed(run, names=gate_results.FILES):
    """The run with a manifest that lists these files as they are."""
    entries = [{"path": name, "sha256": provenance.sha256_below(run, name)} for name in names]
    content = dict.fromkeys(run_records.MANIFEST_PARTS, "x") | {"artefacts": entries}
    (run / "manifest.json").write_text(json.dumps(content))
    return run


def finding(**columns) -> dict:
    found, _ = raise_(checked=checks(check("injection", "all", 30, 100)))
    return found.iloc[0].to_dict() | {"title": HOSTILE} | columns


@pytest.mark.parametrize(
    "counts, findings, code",
    [
        (GOOD, [], 0),
        (GOOD | {"judged_grounded": {"own": (100, 200)}}, [], 2),
        (GOOD | {"judged_grounded": {"own": (190, 200), "generated": (50, 100)}}, [], 2),
        (GOOD | {"judged_grounded": {"own": (16, 16)}}, [], 3),
        (GOOD | {"judged_grounded": {}}, [], 3),
        (GOOD, [finding()], 2),
        (GOOD, [finding(severity="Medium")], 0),
        (GOOD, [finding(status="closed")], 0),
    ],
)
def test_exit_codes(tmp_path, counts, findings, code):
    assert gate_results.read(folder(tmp_path, counts, findings)).exit_code == code


def test_junit_names_every_row_by_its_outcome(tmp_path):
    counts = {
        "judged_grounded": {"own": (100, 200), "generated": (16, 16)},
        "privacy_leak_rate": {"own": (0, 50)},
    }
    aside = [{"gate": "out_of_scope_declined", "rule": "low >= 0.8", "reason": "cannot be asked of a log"}]
    results = gate_results.read(folder(tmp_path, counts, [finding()], set_aside=aside))
    (suite,) = ElementTree.fromstring(results.to_junit().encode())
    told = {case.get("name"): [child.tag for child in case] for case in suite}
    assert told["judged_grounded [own]"] == ["failure"] and told["judged_grounded [generated]"] == ["skipped"]
    assert told["privacy_leak_rate [own]"] == ["error"] and told["out_of_scope_declined"] == ["skipped"]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "2", "errors": "1", "skipped": "2",
    }  # fmt: skip
    (hostile,) = [name for name in told if name.startswith("F1")]
    assert "<b>&" in hostile and "\x1b" not in hostile and "⟨U+202E⟩" in hostile


@pytest.mark.parametrize("name", [*gate_results.FILES, "manifest.json"])
def test_a_run_that_stopped_half_way_is_refused(tmp_path, name):
    run = folder(tmp_path)
    (run / name).unlink()
    with pytest.raises(InputError, match="not finished") as refused:
        gate_results.read(run)
    assert name in refused.value.found


def test_an_edited_decision_is_refused(tmp_path):
    run = folder(tmp_path)
    provenance.save(run, "decision.json", {"rating": "Fit for use", "exit_code": 0})
    with pytest.raises(InputError, match="not as the run made it") as refused:
        gate_results.read(run)
    assert "decision.json" in str(refused.value) and "gates" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "{}", "[]", "\x00", '{"artefacts": []}'])
def test_without_a_readable_manifest_nothing_passes(tmp_path, content):
    run = folder(tmp_path)
    (run / "manifest.json").write_text(content)
    with pytest.raises(InputError, match="manifest"):
        gate_results.read(run)


def test_the_verb_writes_both_files_and_ends_with_the_code(tmp_path, capsys, monkeypatch):
    run = folder(tmp_path, GOOD | {"judged_grounded": {"own": (100, 200)}})
    words = ["--out", str(tmp_path / "ci")]
    with pytest.raises(SystemExit) as ended:
        cli.main(["gate", str(run), *words], standalone_mode=False)
    assert ended.value.code == 2 and "fail: judged_grounded [own]" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "ci").iterdir()} == {"gates.junit.xml", "gates.json"}
    with pytest.raises(Exception, match="there already"):
        cli.main(["gate", str(run), *words], standalone_mode=False)
    with pytest.raises(SystemExit):
        cli.main(["gate", str(run), *words, "--replace"], standalone_mode=False)
    with pytest.raises(Exception, match="run folder"):
        cli.main(["gate", str(run), "--out", str(run)], standalone_mode=False)


def gate(name, outcome, decides=True):
    return {"gate": name, "outcome": outcome, "decides": decides, "origin": "own"}


def test_the_causes_of_an_exit_code_are_the_gates_that_decide_and_the_open_findings():
    gates = [gate("grounded", "fail"), gate("small", "fail", False), gate("few", "incomplete")]
    findings = [{"finding_id": "F-1", "severity": "High", "title": "Answers what it cannot know"}]
    causes = {code: GateResults("bank", code, gates=gates, findings=findings).causes() for code in (0, 2, 3)}
    assert causes[2] == ["gate fail: grounded [own]", "finding open: F-1 (High), Answers what it cannot know"]
    assert causes[3] == ["gate incomplete: few [own]"] and causes[0] == []
