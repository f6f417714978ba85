"""What stands after the notebooks: findings register, limitations, gates, sign-off."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ragassay.decision.findings import SEVERITY_RULE
from ragassay.decision.rating import RATING_RULE
from ragassay.report.blocks import (
    Block,
    Chapter,
    Code,
    Heading,
    Paragraph,
    Signature,
    Strong,
    Text,
    bullets,
    data_table,
    gap,
    paragraph,
    words,
)
from ragassay.report.sources import Run, bounds
from ragassay.show import clean, value_text

ORDER = {"Critical": 0, "High": 1, "Medium": 2, "Low": 3}
FIELDS = [
    ("Condition", "condition"),
    ("Criterion", "criterion"),
    ("Cause", "cause"),
    ("Effect", "effect"),
    ("Likelihood", "likelihood"),
    ("Impact", "impact"),
    ("Strata touched", "strata"),
    ("Cases", "case_ids"),
    ("Evidence", "evidence"),
    ("Recommendation", "recommendation"),
    ("Owner", "owner"),
    ("Due", "due"),
    ("Status", "status"),
    ("Compensating control", "compensating_control"),
    ("Retest evidence", "retest_evidence"),
    ("Closure approver", "closure_approver"),
]
OPTIONAL = {"compensating_control", "retest_evidence", "closure_approver"}
MOST_CASES = 12
MOST_GROUPS = 40


def by_severity(findings: Any) -> list[dict[str, Any]]:
    """The findings' rows, gravest first, then by id."""
    return sorted(
        findings.to_dict("records"),
        key=lambda row: (ORDER.get(row["severity"], 9), len(row["finding_id"]), row["finding_id"]),
    )


def findings(run: Run, number_: str) -> Chapter:
    """The register: a table of all, then one card each."""
    table = run.table("findings")
    if table is None:
        return Chapter(
            number_,
            "Findings register",
            "findings",
            [gap(f"No findings register: {run.why('07_conclusion')}.")],
        )
    if table.empty:
        none = paragraph(
            "No finding was raised. Read this with the limitations: what was not tested raises none."
        )
        return Chapter(number_, "Findings register", "findings", [none])
    rows = by_severity(table)
    overview = data_table(
        "All findings, gravest first",
        ["Id", "Severity", "Finding", "Owner", "Due", "Status"],
        [
            [value_text(row[key]) for key in ("finding_id", "severity", "title", "owner", "due", "status")]
            for row in rows
        ],
    )
    overview.file, overview.note = "tables/findings.parquet", SEVERITY_RULE
    return Chapter(number_, "Findings register", "findings", [overview, *_cards(rows)])


def _cards(rows: list[dict[str, Any]]) -> Iterator[Block]:
    """One card per finding, under a heading per severity; only the severities stand in the contents."""
    for severity, group in groupby(rows, key=lambda row: value_text(row["severity"])):
        found = list(group)
        yield Heading(2, words(f"{severity} ({len(found)})"), f"findings-{severity.lower()}")
        yield from (block for row in found for block in _card(row))


def limitations(run: Run, number_: str) -> Chapter:
    """Every limit that a section states, what was left out and why, what was not tested, and the gaps of this report itself."""
    blocks: list[Block] = []
    for name, walked in run.notebooks.items():
        limits = [clean(limit) for limit in run.sections.get(name, {}).get("limits", [])]
        if limits:
            blocks += [
                Heading(
                    2,
                    words(f"Stated in section {walked.chapter.number or name}, {walked.chapter.title}"),
                    f"limits-{name}",
                ),
                bullets(limits),
            ]
    not_tested = [clean(line) for line in run.decision.get("not_tested") or []]
    blocks += [Heading(2, words("Not tested"), "limits-untested"), bullets(not_tested)] if not_tested else []
    blocks += _left_out(run)
    if run.gaps:
        blocks += [
            Heading(2, words("Gaps in the evidence"), "limits-gaps"),
            bullets([clean(line) for line in run.gaps]),
        ]
    return Chapter(
        number_,
        "Limitations and assumptions",
        "limitations",
        blocks or [gap("No section states a limit, which is itself a reason to doubt the report.")],
    )


def gates(run: Run, number_: str) -> Chapter:
    """The gate table: which bound, which threshold, which outcome and why; the rule that leads from it to the rating; the waivers."""
    table = run.table("gates")
    if table is None or table.empty:
        reason = f"No gates: {run.why('07_conclusion')}." if table is None else "No gate is declared."
        return Chapter(number_, "Gates", "gates", [gap(reason)])
    columns = ["Gate", "Acts on", "Threshold", "Value [95 % interval]", "n", "Outcome", "Why"]
    shown = data_table(
        "Gates and their outcomes", columns, [_gate(row) for row in table.to_dict("records")], align="llllrll"
    )
    shown.note = "A gate acts on the bound named, never on the point; a gate without its metric is incomplete, which is never a pass."
    shown.file = "tables/gates.parquet"
    rule = RATING_RULE
    blocks: list[Block] = [shown]
    if rule:
        blocks += [Heading(2, words("How the rating follows"), "rating-rule"), paragraph(rule)]
    waivers = _waivers(run)
    blocks += [
        Heading(2, words("Waivers"), "waivers"),
        bullets(waivers) if waivers else paragraph("No waiver is recorded."),
    ]
    return Chapter(number_, "Gates", "gates", blocks)


def _gate(row: dict[str, Any]) -> list[str]:
    side, sign = ("lower", "≥") if row["bound"] == "low" else ("upper", "≤")
    part = row.get("slice") or "all"
    measured = value_text(row["metric"]) + ("" if part == "all" else f" in {part}")
    threshold = f"{side} bound {sign} {value_text(float(row['threshold']), None if float(row['threshold']) >= 10 else 2)}"
    critical = ", critical" if row.get("critical") is True or str(row.get("critical")) == "True" else ""
    return [
        value_text(row["gate"]),
        clean(measured),
        threshold + critical,
        bounds(row),
        value_text(row["n"]),
        row["outcome"],
        value_text(row.get("reason")),
    ]


def _waivers(run: Run) -> list[str]:
    """Waivers of the decision, and findings whose status is a waiver."""
    table = run.table("findings")
    rows = [] if table is None else table.to_dict("records")
    waived = [
        f"{row['finding_id']}: {row['status']}" for row in rows if str(row["status"]).startswith("waived")
    ]
    return [clean(line) for line in [*(run.decision.get("waivers") or []), *waived]]


def sign_off(run: Run, number_: str, rating: str) -> Chapter:
    """Who answers for this report, and the hash that ties their names to these files."""
    roles = [
        ("Prepared by (validator)", "validator"),
        ("Reviewed by (reporting line)", "reporting_line"),
        ("Accepted by (model owner)", "owner"),
        ("Approved by", "approver"),
    ]
    blocks: list[Block] = [
        Paragraph(
            (
                Text("Rating: "),
                Strong((Text(rating),)),
                Text(
                    ". The signatures below hold for the run whose manifest has the hash printed here, and for no other: "
                ),
                Code("ragassay verify"),
                Text(
                    " prints the manifest's hash and recomputes every hash in it; hashes show change, they do not replace a signature."
                ),
            )
        ),
        data_table(
            "What is signed",
            [],
            [
                ["Engagement", run.stated("engagement")],
                ["Report date", run.stated("date")],
                ["SHA-256 of manifest.json", run.manifest_hash or "not available"],
            ],
            widths=[1, 2.6],
        ),
        *(Signature(role, run.stated(key)) for role, key in roles),
    ]
    return Chapter(number_, "Sign-off", "sign-off", blocks)


def section_record(run: Run, name: str) -> list[Block]:
    """The five closing blocks of one notebook."""
    record = run.sections.get(name)
    if record is None:
        reason = (
            f"No section record: {run.why(name)}."
            if name in run.notebooks
            else f"No section record for {name}."
        )
        return [] if run.notebooks[name].state == "missing" else [gap(reason)]
    labels = [
        ("What was tested", "tested"),
        ("Result", "result"),
        ("Interpretation", "interpretation"),
        ("Limits", "limits"),
        ("Evidence files", "files"),
    ]
    rows = [[label, _several(record.get(key))] for label, key in labels]
    return [data_table("Record of this section", [], rows, widths=[1, 3.4])]


def _several(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(clean(item, 1000) for item in value) or "none"
    return clean(value, 3000) if value else "not stated"


def _card(row: dict[str, Any]) -> list[Block]:
    fields = [(label, key) for label, key in FIELDS if key not in OPTIONAL or value_text(row.get(key)) != "—"]
    lines = [
        ["Severity", value_text(row["severity"])],
        ["Measured", f"{bounds(row)}, n={value_text(row['n'])}"],
    ]
    lines += [[label, _field(row.get(key), key)] for label, key in fields]
    return [
        Heading(
            3, words(f"{row['finding_id']} · {clean(row['title'], 160)}"), f"finding-{row['finding_id']}"
        ),
        data_table("", [], lines, widths=[1, 4]),
    ]


def _field(value: Any, key: str) -> str:
    if key == "case_ids" and value is not None and len(value) > MOST_CASES:
        return f"{value_text(list(value)[:MOST_CASES])} … and {len(value) - MOST_CASES} more in tables/findings.parquet"
    return value_text(value, limit=1500)


def _left_out(run: Run) -> list[Block]:
    """One row for the metrics that lost as many cases for the same reason, most cases first."""
    scorecard = run.table("scorecard")
    rows = (
        []
        if scorecard is None
        else sorted((row for row in scorecard.to_dict("records") if row["left_out"] > 0), key=_lost)
    )
    groups = [(lost, [_measured(row) for row in group]) for lost, group in groupby(rows, key=_lost)]
    lines = [
        [value_text(-lost), value_text(n), reason, str(len(names)), ", ".join(names)]
        for (lost, reason, n), names in groups[:MOST_GROUPS]
    ]
    note = (
        f"… and {len(groups) - MOST_GROUPS} more groups; every row is in tables/scorecard.parquet"
        if len(groups) > MOST_GROUPS
        else ""
    )
    columns = ["Left out", "n", "Reason", "Metrics", "Which"]
    table = data_table(
        "Cases left out of a number, and why",
        columns,
        lines,
        align="rrlrl",
        note=note,
        widths=[0.6, 0.5, 1.1, 0.6, 5],
    )
    table.file = "tables/scorecard.parquet"
    return [Heading(2, words("Left out"), "limits-left-out"), table] if rows else []


def _lost(row: dict[str, Any]) -> tuple[int, str, int]:
    return -int(row["left_out"]), value_text(row.get("reason")), int(row["n"])


def _measured(row: dict[str, Any]) -> str:
    part = row.get("slice") or "all"
    return clean(row["metric"] if part in ("all", "overall") else f"{row['metric']} in {part}", 80)
