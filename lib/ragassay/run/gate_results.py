"""What became of a run's gates, for other programs: one exit code, JUnit XML, JSON."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from ragassay import provenance, tables
from ragassay.decision.gates import FAIL, INCOMPLETE, PASS
from ragassay.decision.rating import FAILED, PASSED, UNKNOWN, open_findings
from ragassay.errors import InputError, KitError
from ragassay.report.decision_words import gate_words
from ragassay.run import run_records
from ragassay.sanitized_text import clean

FILES = ("decision.json", "tables/gates.parquet", "tables/findings.parquet")
TAGS = {PASS: "", FAIL: "failure", INCOMPLETE: "error"}  # of an outcome that decides, in JUnit


@dataclass(frozen=True)
class GateResults:
    """The gates of one run.

    exit_code : 0 passed, 2 a gate failed or a grave finding is open, 3 the evidence is incomplete
    gates : a record per gate and origin; findings : the open Critical and High ones
    """

    run: str
    exit_code: int
    rating: str = ""
    gates: list[dict[str, Any]] = field(default_factory=list)
    set_aside: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)

    def causes(self) -> list[str]:
        """What caused the exit code: failed gates that decide and open grave findings of 2, gates without
        enough evidence of 3; none of 0."""
        outcome = {FAILED: FAIL, UNKNOWN: INCOMPLETE}.get(self.exit_code)
        gates = [row for row in self.gates if row["decides"] and row["outcome"] == outcome]
        found = [f"gate {outcome}: {row['gate']} [{row['origin']}]" for row in gates]
        findings = self.findings if outcome == FAIL else []
        shown = "finding open: {finding_id} ({severity}), {title}"
        return found + [shown.format_map(each) for each in findings]

    def to_json(self) -> str:
        """As JSON: what is undefined is null."""
        words = {PASSED: "passed", FAILED: "failed", UNKNOWN: "incomplete"}
        record = asdict(self) | {"outcome": words[self.exit_code]}
        record["gates"] = json.loads(pd.DataFrame(self.gates).to_json(orient="records", double_precision=15))
        return json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"

    def to_junit(self) -> str:
        """As JUnit XML: a test case per gate and origin and per open grave finding; failed is a failure,
        incomplete an error, what does not decide is skipped."""
        cases = []
        for gate in self.gates:
            tag = TAGS[gate["outcome"]] if gate["decides"] or gate["outcome"] != INCOMPLETE else "skipped"
            cases.append(("gates", f"{gate['gate']} [{gate['origin']}]", tag, gate_words(gate)))
        cases += [("gates", str(gate["gate"]), "skipped", gate["reason"]) for gate in self.set_aside]
        for each in self.findings:
            name, message = f"{each['finding_id']}: {each['title']}", f"open {each['severity']} finding"
            cases.append(("findings", name, "failure", message))
        document = ElementTree.Element("testsuites", name="ragassay")
        suite = ElementTree.SubElement(document, "testsuite", name=clean(self.run), tests=str(len(cases)))
        for group, case, tag, message in cases:
            shown = ElementTree.SubElement(suite, "testcase", classname=group, name=clean(case))
            if tag:
                ElementTree.SubElement(shown, tag, message=clean(message))
        tags = [tag for _, _, tag, _ in cases]
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(count, str(tags.count(tag)))
        ElementTree.indent(document)
        text = ElementTree.tostring(document, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def read(run_dir: Path) -> GateResults:
    """The gates of a run folder.

    Raises InputError if the folder is none of a finished run, a file that decides is not as its manifest
    lists it, or another release made the run."""
    folder, do = provenance.source(run_dir), "run again, or restore the files"
    if not (folder / "engagement.json").exists():
        raise InputError("there is no run to judge", where=run_dir, do="name one, such as reports/bank")
    if missing := [name for name in (*FILES, run_records.MANIFEST) if not (folder / name).exists()]:
        found = f"it lacks {', '.join(missing)}"
        raise InputError("the run is not finished", where=run_dir, found=found, do="run it to its end")
    listed = {entry["path"]: entry["sha256"] for entry in run_records.read_manifest(folder)["artefacts"]}
    differences = (run_records.difference(folder, name, listed.get(name, "")) for name in FILES)
    if changed := list(filter(None, differences)):
        raise InputError("what decides is not as the run made it", found="; ".join(changed), do=do)
    try:
        decision, findings = provenance.load(folder, FILES[0]), tables.read(folder, "findings")
        grave = pd.concat([open_findings(findings, each) for each in tables.SEVERITIES[:2]])
        gates, aside = tables.read(folder, "gates").to_dict("records"), decision.get("set_aside") or []
        code, columns = int(decision["exit_code"]), ("finding_id", "severity", "title", "due", "owner")
        shown = [{column: str(row[column]) for column in columns} for row in grave.to_dict("records")]
        return GateResults(folder.name, code, str(decision["rating"]), gates, list(aside), shown)
    except (KitError, ValueError, KeyError, OSError) as problem:
        why = getattr(problem, "what", problem)
        raise InputError("another release made this run", where=run_dir, found=why, do=do) from problem
