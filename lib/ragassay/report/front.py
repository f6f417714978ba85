"""What stands before the chapters: cover, one-page summary, document control."""

import re
from typing import Any

from ragassay.report.blocks import (
    Block,
    Callout,
    Chapter,
    Heading,
    Rating,
    Table,
    bullets,
    data_table,
    gap,
    paragraph,
    words,
)
from ragassay.report.registers import by_severity
from ragassay.report.sources import Run, bounds
from ragassay.show import clean, value_text

MOST = 16  # scorecard rows on the summary page
HEADLINES = (  # what stands there after the metrics that a gate acts on
    "judged_grounded", "judged_relevant", "judged_complete", "abstention_correct", "retrieval_recall", "support", "groundedness_nli",
    "answer_relevancy", "completeness", "answer_correctness", "citation_correctness", "hallucination", "should_have_abstained",
    "privacy_leak_rate", "toxicity_rate",
)  # fmt: skip
FEW = 5  # lines of anything else there
UNDECIDED = "Not decided"


def rating(run: Run) -> str:
    """The overall rating, or that there is none."""
    return value_text(run.decision.get("rating") or UNDECIDED)


def cover(run: Run) -> list[tuple[str, str]]:
    """The lines of the cover."""
    named = [
        ("Model", "model_name"),
        ("Inventory id", "model_id"),
        ("Version", "model_version"),
        ("Materiality tier", "tier"),
        ("Validation type", "validation_type"),
        ("Period", "period"),
        ("Data cut-off", "data_cutoff"),
        ("Report date", "date"),
        ("Owner", "owner"),
        ("Validator", "validator"),
        ("Approver", "approver"),
    ]
    revision = str(run.manifest.get("git_revision") or "not recorded")
    made = f"ragassay {value_text(run.manifest.get('ragassay'))}, revision {clean(revision[:12] + revision[40:], 40)}"
    return [(label, run.stated(key)) for label, key in named] + [
        ("Made by", made),
        ("SHA-256 of the run manifest", run.manifest_hash or "not available"),
    ]


def summary(run: Run) -> Chapter:
    """The executive summary: one page."""
    decision = run.decision
    otherwise = "" if decision else f"Not available: {run.why('07_conclusion')}."
    blocks: list[Block] = [Rating(rating(run))]
    blocks += _lines("", decision.get("rationale"), f"No rationale: {run.why('07_conclusion')}.")
    blocks += [_scorecard(run), _top_findings(run)]
    blocks += _lines(
        "Conditions of use", decision.get("conditions"), otherwise or "No conditions are recorded."
    )
    blocks += _lines(
        "What was not tested",
        decision.get("not_tested"),
        otherwise or "Nothing is recorded as not tested; read the limitations.",
    )
    return Chapter("", "Executive summary", "summary", blocks, "front")


def gaps(run: Run) -> list[Block]:
    """The warning that pieces are missing, for the top of the summary; nothing when all is there."""
    if not run.gaps:
        return []
    shown = run.gaps[:FEW]
    rest = [f"… and {len(run.gaps) - FEW} more, listed under limitations"] if len(run.gaps) > FEW else []
    return [
        Callout(
            "gap",
            f"This report has {len(run.gaps)} gap{'s' if len(run.gaps) > 1 else ''}",
            [bullets([*map(clean, shown), *rest])],
        )
    ]


def control(run: Run) -> Chapter:
    """Document control: identity, people and independence, materiality, basis."""
    blocks: list[Block] = [
        _facts(
            run,
            "The model and this validation",
            [
                ("Engagement", "engagement"),
                ("Model", "model_name"),
                ("Inventory id", "model_id"),
                ("Version or configuration hash", "model_version"),
                ("Purpose", "purpose"),
                ("Users", "users"),
                ("Prohibited uses", "prohibited_uses"),
                ("Languages", "languages"),
                ("Validation type", "validation_type"),
                ("Period", "period"),
                ("Data cut-off", "data_cutoff"),
                ("Previous rating", "previous_rating"),
                ("Next review", "next_review"),
                ("Triggers for an earlier review", "triggers"),
            ],
        ),
        _facts(
            run,
            "Materiality",
            [
                ("Tier", "tier"),
                ("Reasons", "tier_reasons"),
                ("Customer-facing", "customer_facing"),
                ("Human in the loop", "human_in_the_loop"),
            ],
        ),
        _facts(
            run,
            "People and independence",
            [
                ("Owner", "owner"),
                ("Developer", "developer"),
                ("Validator", "validator"),
                ("Reporting line of the validator", "reporting_line"),
                ("Approver", "approver"),
                ("Independence statement", "independence"),
                ("Distribution", "distribution"),
            ],
        ),
        *_parts(run),
        *_challenge(run),
        *_reading(run),
    ]
    return Chapter("", "Document control", "control", blocks, "front")


def _lines(title: str, lines: Any, otherwise: str) -> list[Block]:
    sentences = re.split(r"(?<=[.!?])\s+", lines.strip()) if isinstance(lines, str) else lines
    lines = [clean(line, 260) for line in sentences or []]
    rest = [f"… and {len(lines) - FEW} more, see the conclusion"] if len(lines) > FEW else []
    heading: list[Block] = [Heading(2, words(title))] if title else []
    return [*heading, bullets(lines[:FEW] + rest) if lines else paragraph(otherwise)]


def _scorecard(run: Run) -> Block:
    scorecard = run.table("scorecard")
    if scorecard is None or scorecard.empty:
        return gap(f"No scorecard: {run.why('07_conclusion')}.")
    overall = scorecard[scorecard["slice"].isin(["all", "overall"])]
    gates = run.table("gates")
    gated = [] if gates is None else gates["metric"].tolist()
    rank = {
        metric: place
        for place, metric in enumerate(reversed(list(dict.fromkeys([*gated, *HEADLINES]))), start=1)
    }
    shown = (
        (overall if len(overall) else scorecard)
        .sort_values("metric", key=lambda names: -names.map(rank).fillna(0), kind="stable")
        .head(MOST)
    )
    outcomes = _outcomes(run)
    rows = [
        [
            row["metric"] if row["slice"] in ("all", "overall") else f"{row['metric']} · {row['slice']}",
            bounds(row),
            value_text(row["n"]),
            value_text(row["left_out"]),
            outcomes.get((row["metric"], row["slice"]), "no gate"),
        ]
        for row in shown.to_dict("records")
    ]
    note = (
        f"… and {len(scorecard) - len(shown)} more rows in tables/scorecard.parquet"
        if len(scorecard) > len(shown)
        else ""
    )
    table = data_table(
        "Scorecard",
        ["Metric", "Value [95 % interval]", "n", "Left out", "Gate"],
        [[clean(cell, 80) for cell in row] for row in rows],
        align="llrrl",
        note=note,
        compact=True,
    )
    table.file = "tables/scorecard.parquet"
    return table


def _outcomes(run: Run) -> dict[tuple[str, str], str]:
    """The worst gate outcome per metric and slice."""
    gates = run.table("gates")
    rank = {"fail": 0, "incomplete": 1, "pass": 2}
    rows = [] if gates is None else sorted(gates.to_dict("records"), key=lambda row: -rank[row["outcome"]])
    return {(row["metric"], row.get("slice") or "all"): row["outcome"] for row in rows}


def _top_findings(run: Run) -> Block:
    findings = run.table("findings")
    if findings is None:
        return gap(f"No findings register: {run.why('07_conclusion')}.")
    if findings.empty:
        return paragraph("No finding was raised.")
    rows = [
        [
            row["severity"],
            row["finding_id"],
            clean(row["title"], 120),
            value_text(row["owner"]),
            value_text(row["due"]),
        ]
        for row in by_severity(findings)
    ]
    note = f"… and {len(rows) - FEW} more in the findings register" if len(rows) > FEW else ""
    return data_table(
        "Main findings", ["Severity", "Id", "Finding", "Owner", "Due"], rows[:FEW], note=note, compact=True
    )


def _facts(run: Run, caption: str, fields: list[tuple[str, str]]) -> Table:
    return data_table(caption, [], [[label, run.stated(key)] for label, key in fields], widths=[1, 2.6])


def _parts(run: Run) -> list[Block]:
    """What the system is made of, and what of it was bought."""
    architecture = _rows(run.engagement.get("architecture"), ["part", "description"])
    vendors = _rows(run.engagement.get("vendor_components"), ["name", "role", "version"])
    made: list[Block] = (
        [data_table("Architecture", ["Part", "Description"], architecture, widths=[1, 2.6])]
        if architecture
        else []
    )
    title = "Vendor components, each asked the same questions as a model of our own"
    return [*made, data_table(title, ["Component", "Role", "Version"], vendors)] if vendors else made


def _rows(items: Any, keys: list[str]) -> list[list[str]]:
    """Records or plain lists as rows of the named fields; what is not given is missing."""
    if isinstance(items, dict):
        items = list(items.items())
    given = [
        [item.get(key) for key in keys]
        if isinstance(item, dict)
        else [*item, *[None] * len(keys)][: len(keys)]
        for item in items or []
    ]
    return [[value_text(value) for value in row] for row in given]


def _challenge(run: Run) -> list[Block]:
    """The effective challenge log, a form that people fill in."""
    entries = _rows(run.engagement.get("challenge_log"), ["date", "question", "response", "conclusion"])
    if not entries:
        return [gap("Effective challenge log: no entry was supplied.")]
    return [
        data_table(
            "Effective challenge log",
            ["Date", "Question", "Developer's response", "Validator's conclusion"],
            entries,
            widths=[0.7, 2, 2, 2],
        )
    ]


def _reading(run: Run) -> list[Block]:
    rules = [
        "A number stands with its interval, the cases behind it and the cases left out: 0.82 [0.78, 0.86] n=240, 6 not measured.",
        "What could not be measured is missing with a reason (—); it is never counted as zero.",
        "Gates act on the bound of an interval, never on the point; a gate without its metric is incomplete, never a pass.",
        "Every table and figure names a file of the run; annex B gives its SHA-256, and the run manifest travels inside the PDF.",
        f"Regulatory basis: the profile {run.stated('profile')}, by theme and in our words; annex A is no legal advice and quotes no clause.",
    ]
    return [Heading(2, words("How to read this report"), "reading"), bullets(rules)]
