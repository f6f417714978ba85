"""The executive summary, one page: the rating, its rationale (the first sentences, of `decision.rating`),
scorecard, findings."""

import re
from typing import Any

from ragassay.report.blocks import Block, Callout, Chapter, Heading, Rating
from ragassay.report.compose import bullets, data_table, gap, paragraph, words
from ragassay.report.findings_register import by_severity
from ragassay.report.run_folder import Run, interval
from ragassay.scores.directions import direction
from ragassay.show import clean, value_text

MOST = 16  # scorecard rows on the summary page
HEADLINES = (  # what stands there after the metrics that a gate acts on
    "judged_grounded", "judged_relevant", "judged_complete", "abstention_correct", "retrieval_recall",
    "support", "groundedness_nli", "answer_relevancy", "completeness", "answer_correctness",
    "citations_supported", "hallucination", "should_have_abstained", "privacy_leak_rate", "toxicity_rate",
)  # fmt: skip
FEW = 5  # lines of anything else there
GRAVE = ("Critical", "High")  # findings that all stand there
UNDECIDED = "Not decided"


def rating(run: Run) -> str:
    """The overall rating, or that there is none."""
    return value_text(run.decision.get("rating") or UNDECIDED)


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
    shown, outcomes = _headlines(run, scorecard), _outcomes(run)
    rows = [
        [
            row["metric"] if row["slice"] in ("all", "overall") else f"{row['metric']} · {row['slice']}",
            direction(row["metric"]) or "—",
            interval(row),
            value_text(row["n"]),
            value_text(row["left_out"]),
            outcomes.get((row["metric"], row["slice"]), "no gate"),
        ]
        for row in shown.to_dict("records")
    ]
    left = len(scorecard) - len(shown)
    return data_table(
        "Scorecard",
        ["Metric", "Better", "Value [95 % interval]", "n", "Left out", "Gate"],
        [[clean(cell, 80) for cell in row] for row in rows],
        align="lllrrl",
        note=f"… and {left} more rows in tables/scorecard.parquet" if left else "",
        states=["Gate"],
        compact=True,
        file="tables/scorecard.parquet",
    )


def _headlines(run: Run, scorecard: Any) -> Any:
    """The rows of the page: metrics that a gate acts on, then `HEADLINES`, then the rest."""
    gates = run.table("gates")
    aside = [row["gate"] for row in run.decision.get("set_aside") or []]
    first = [*([] if gates is None else gates["metric"]), *aside, *HEADLINES]
    rank = {metric: place for place, metric in enumerate(dict.fromkeys(first))}
    overall = scorecard[scorecard["slice"].isin(["all", "overall"])]
    rows = overall if len(overall) else scorecard
    return rows.sort_values(
        "metric", key=lambda names: names.map(rank).fillna(len(rank)), kind="stable"
    ).head(MOST)


def _outcomes(run: Run) -> dict[tuple[str, str], str]:
    """The worst gate outcome per metric and slice, or that its gate was set aside."""
    gates = run.table("gates")
    aside = {(row["gate"], "all"): "set aside" for row in run.decision.get("set_aside") or []}
    rank = {"fail": 0, "incomplete": 1, "pass": 2}
    rows = [] if gates is None else sorted(gates.to_dict("records"), key=lambda row: -rank[row["outcome"]])
    return aside | {(row["metric"], row.get("slice") or "all"): row["outcome"] for row in rows}


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
    shown = max(FEW, int(findings["severity"].isin(GRAVE).sum()))
    note = f"… and {len(rows) - shown} more in the findings register" if len(rows) > shown else ""
    return data_table(
        "Main findings",
        ["Severity", "Id", "Finding", "Owner", "Due"],
        rows[:shown],
        note=note,
        states=["Severity"],
        compact=True,
    )
