"""The register of findings: every failed gate, weak slice, frequent error and raised check is in a numbered,
evidenced, dated finding, and none says what another does."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ragassay.analysis.checks import RAISED
from ragassay.analysis.slicing.scorecard_slices import ALL
from ragassay.cases import prohibited_uses
from ragassay.decision.closing import criteria, earlier_findings, finding_closure
from ragassay.decision.closing.due_days import with_common_days
from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.closing.joint_plan import with_joint_numbers
from ragassay.decision.findings import finding_order, finding_texts
from ragassay.decision.findings.example_cases import (
    came_right,
    choose,
    families,
    rejected,
    subjects,
    with_texts,
)
from ragassay.decision.findings.finding_causes import is_before_answers
from ragassay.decision.findings.finding_effects import effect
from ragassay.decision.findings.finding_rows import Context, finished_row
from ragassay.decision.findings.finding_texts import Draft
from ragassay.decision.findings.presuppositions import weighed
from ragassay.decision.findings.restated_findings import merge_restatements
from ragassay.decision.gates import shared_gate_cases
from ragassay.decision.gates.findings_behind_gates import attribute
from ragassay.decision.gates.gates import PASS
from ragassay.errors import ParameterError
from ragassay.tables import TABLES


@dataclass(frozen=True)
class Earlier:
    """What the previous run left: its findings (`earlier_findings.read_previous`), what this run measured and
    did not raise (`earlier_findings.met_criteria`), who closed what, and what the retest rests on."""

    findings: pd.DataFrame | None = None
    met: frozenset[criteria.Criterion] = frozenset()
    closures: Mapping[str, str] = field(default_factory=dict)
    where: str = "this run"


def raise_findings(
    gates: pd.DataFrame,
    weak: pd.DataFrame | None = None,
    limits: Sequence[str] = (),
    *,
    checks: pd.DataFrame | None = None,
    errors: Sequence[Draft] = (),
    context: Context,
    waivers: Mapping[str, str] | None = None,
    earlier: Earlier | None = None,
) -> pd.DataFrame:
    """The findings table, F1 the gravest (`finding_severity.SEVERITY_RULE`); `source` (`gate:groundedness`)
    ties each to what raised it, `also` to what it absorbed (`restated_findings`).

    Parameters
    ----------
    gates : of `gates.evaluate`; every row that failed or is incomplete is in a finding
    weak : of `weakness`; every row that is a finding there is in one here
    limits : sentences; each becomes a finding of severity Low
    checks : of `analysis.checks`; every row whose outcome is "raised" is in one, as grave as it says
    errors : of `error_findings`, and of `independence.finding`
    waivers : gate -> "who signed, when, why"; a waived gate stays a finding, its status says `waived: ...`
    earlier : what the previous run left

    Raises
    ------
    ParameterError
        If the owner is empty, the date is no ISO date, a waiver names no gate, or a closure no finding.
    TableError
        If `evidence_of` names no evidence for a finding: a finding cannot exist without it.
    """
    _check(context, waivers or {}, gates)
    drafts = [
        *errors,
        *of_gates(gates, context),
        *_of_slices(weak, gates, context),
        *map(finding_texts.check_finding, _raised(checks)),
        *(finding_texts.limit_finding(text, number) for number, text in enumerate(limits, 1)),
    ]
    drafts = [weighed(draft, context.intake) for draft in drafts]
    waived = {draft["source"]: waiver for draft in drafts if (waiver := _waiver(draft, waivers or {}))}
    merged = attribute(merge_restatements([draft for draft in drafts if draft["source"] not in waived]))
    apart = [draft | {"also": []} for draft in drafts if draft["source"] in waived]
    rows = [finished_row(draft, context, waived.get(draft["source"], "")) for draft in [*merged, *apart]]
    asked = [*criteria.of_gates(gates), *criteria.of_slices(weak, gates), *criteria.of_checks(checks)]
    asked += [draft["asked"] for draft in errors if "asked" in draft]
    by_source = {each.source: each for each in asked}
    rows = [{**row, "asked": criteria.criteria_as_json(by_source, _asked(row, by_source))} for row in rows]
    left = earlier or Earlier()
    rows = earlier_findings.carry(rows, left.findings, left.met, left.closures, left.where)
    rows.sort(key=finding_order.rank)
    rows = shared_gate_cases.pointing(rows, context.taxonomy, context.harms)
    rows = with_joint_numbers(with_common_days(rows))
    rows = finding_closure.with_control_and_proof(rows)
    shown = choose(
        [row.get("lead", row["case_ids"]) for row in rows],
        context.worst,
        families(context.cases),
        subjects(rows, context.cases),
        {place for place, row in enumerate(rows) if is_before_answers(row.get("metric", ""))},
        rejected(context.taxonomy),
    )
    right = came_right(context.taxonomy)
    numbered = [
        {
            **row,
            "finding_id": f"F{number}",
            "shown_case": case,
            "effect": _effect(row, row.get("harm") or context.harms.get(case, ""), case in right),
        }
        for number, (row, case) in enumerate(zip(rows, shown, strict=True), 1)
    ]
    found = pd.DataFrame(numbered, columns=list(TABLES["findings"].columns)).astype({"n": int})
    return with_texts(found, context.answers, context.cases, context.worst)


def _asked(row: Mapping, known: Mapping[str, criteria.Criterion]) -> list[str]:
    """What the retest of a finding asks: what raised it, and of one on requests beyond the purpose every use
    that the record prohibits, which too few questions may have left undecided."""
    misuse = f"{finding_texts.FROM_CHECK}misuse|"
    is_misuse = any(source.startswith(misuse) for source in sources(row))
    of_record = f"{misuse}{prohibited_uses.PROHIBITED}"
    named = [source for source, each in known.items() if source.startswith(of_record) and each.n]
    return [*sources(row), *(named if is_misuse else [])]


def breaches_without_finding(
    findings: pd.DataFrame,
    gates: pd.DataFrame,
    weak: pd.DataFrame | None = None,
    checks: pd.DataFrame | None = None,
    errors: Sequence[Draft] = (),
) -> list[str]:
    """What was breached or flagged and is in no finding; must be empty (decision 25: a breached threshold
    cannot exist without one)."""
    wanted = [finding_texts.gate_source(row) for row in _missed(gates)]
    wanted += [finding_texts.weakness_source(row) for row in _weak(weak)]
    wanted += [finding_texts.check_source(row) for row in _raised(checks)]
    wanted += [draft["source"] for draft in errors]
    held = {source for row in findings.to_dict("records") for source in sources(row)}
    return sorted(set(wanted) - held)


def evidence_namer(
    run_dir: str | Path, files: Mapping[str, str], cells: Mapping[str, int | str] | None = None
) -> Callable[[str], str]:
    """A function from what a finding rests on to `tables/gates.parquet sha256=... cell=...`, hashing the file
    as it is now.

    files : what a finding rests on -> path below the run folder; of any other `tables/NAME.parquet`
    cells : the same -> the cell that wrote it (`07_conclusion#12`)
    """
    from ragassay import provenance

    def named(rests_on: str) -> str:
        name = files.get(rests_on, f"tables/{rests_on}.parquet")
        path = provenance.find(run_dir) / name
        cell = f" cell={cells[rests_on]}" if cells and rests_on in cells else ""
        return f"{name} sha256={provenance.sha256_of(path)}{cell}" if path.is_file() else ""

    return named


def _effect(row: Mapping, harm: str, is_right: bool) -> str:
    """The effect of a finding of this run; one that was carried over keeps its own words."""
    return effect(row, harm, is_right=is_right) if "share" in row else str(row["effect"])


def of_gates(gates: pd.DataFrame, context: Context) -> list[Draft]:
    """A draft for each gate that did not pass and decides."""
    return [
        finding_texts.gate_finding(row, _of_origin(context, row.get("origin")), context.topics)
        for row in _missed(gates)
    ]


def _of_origin(context: Context, origin: str | None) -> pd.DataFrame | None:
    """The scores of the questions of one origin, without those of their variations, which no gate counts; all
    where none is named."""
    cases = context.cases if context.asked is None else context.asked
    if not origin or origin == ALL or context.scores is None or cases is None or "origin" not in cases:
        return context.scores
    own = cases.loc[cases["origin"] == origin, "case_id"]
    return context.scores[context.scores["case_id"].isin(own)]


def _of_slices(weak: pd.DataFrame | None, gates: pd.DataFrame, context: Context) -> list[Draft]:
    asked = context.cases if context.asked is None else context.asked
    return [
        finding_texts.weakness_finding(row, gates, context.scores, asked, context.topics)
        for row in _weak(weak)
    ]


def _missed(gates: pd.DataFrame) -> list[dict]:
    """The rows that did not pass, but for made questions that are too few to decide anything."""
    decides = gates["decides"].astype(bool) if "decides" in gates else True
    return gates[(gates["outcome"] != PASS) & decides].to_dict("records")


def _weak(weak: pd.DataFrame | None) -> list[dict]:
    """The slices that are findings: all flagged ones of a table that does not say which."""
    if weak is None or weak.empty:
        return []
    return weak[weak["finding" if "finding" in weak else "flagged"].astype(bool)].to_dict("records")


def _raised(checks: pd.DataFrame | None) -> list[dict]:
    return [] if checks is None else checks[checks["outcome"] == RAISED].to_dict("records")


def _waiver(draft: Draft, waivers: Mapping[str, str]) -> str:
    """Who waived the gate of a draft; empty for any other. A waived gate stays a finding of its own."""
    kind, _, gate = draft["source"].partition(":")
    return waivers.get(gate.partition("|")[0], "") if kind == "gate" else ""


def _check(context: Context, waivers: Mapping[str, str], gates: pd.DataFrame) -> None:
    if not context.owner.strip():
        raise ParameterError(
            "findings need an owner",
            where="parameter owner",
            found=repr(context.owner),
            do="name who answers for them",
        )
    try:
        datetime.date.fromisoformat(context.date)
    except ValueError as error:
        raise ParameterError(
            "the engagement's date is no date", found=context.date, expected="YYYY-MM-DD"
        ) from error
    unknown = sorted(set(waivers) - set(gates["gate"]))
    if unknown:
        raise ParameterError(
            "a waiver names no gate",
            where="parameter waivers",
            found=unknown,
            expected=gates["gate"].tolist(),
        )
