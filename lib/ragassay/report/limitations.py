"""The chapter of limitations: what sections state, what was not tested, what was left out and why, the
gaps."""

from itertools import groupby
from typing import Any

from ragassay.report.blocks import Block, Chapter, Heading
from ragassay.report.compose import bullets, data_table, gap, words
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text

MOST_GROUPS = 40


def limitations(run: Run, number_: str) -> Chapter:
    """Every limit that a section states, what was left out and why, what was not tested, and the gaps of this
    report itself."""
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
        file="tables/scorecard.parquet",
    )
    return [Heading(2, words("Left out"), "limits-left-out"), table] if rows else []


def _lost(row: dict[str, Any]) -> tuple[int, str, int]:
    return -int(row["left_out"]), value_text(row.get("reason")), int(row["n"])


def _measured(row: dict[str, Any]) -> str:
    part = row.get("slice") or "all"
    return clean(row["metric"] if part in ("all", "overall") else f"{row['metric']} in {part}", 80)
