"""The gates where no notebook shows them: bound, threshold, outcome and why; the rule from there to the
rating; the waivers."""

from typing import Any

from ragassay.decision.rating import RATING_RULE
from ragassay.report.block_builders import bullets, data_table, gap, paragraph, words
from ragassay.report.blocks import Block, Heading
from ragassay.report.run_folder import Run, interval
from ragassay.scores.display_names import level_name
from ragassay.show import clean, value_text


def gates(run: Run) -> list[Block]:
    """The gate table: which bound, which threshold, which outcome and why; the rule that leads from it to the
    rating; the waivers."""
    table = run.table("gates")
    if table is None or table.empty:
        reason = f"No gates: {run.why('07_conclusion')}." if table is None else "No gate is declared."
        return [gap(reason)]
    columns = ["Gate", "Acts on", "Threshold", "Value [95 % interval]", "n", "Outcome", "Why"]
    shown = data_table(
        "Gates and their outcomes",
        columns,
        [_gate(row) for row in table.to_dict("records")],
        align="llllrll",
        states=["Outcome"],
        note="A gate acts on the bound named, never on the point; a gate without its metric is incomplete, "
        "which is "
        "never a pass.",
        file="tables/gates.parquet",
    )
    aside = _set_aside(run)
    rule: list[Block] = [Heading(3, words("How the rating follows"), "rating-rule"), paragraph(RATING_RULE)]
    waivers = _waivers(run)
    signed = bullets(waivers) if waivers else paragraph("No waiver is recorded.")
    return [shown, *aside, *rule, Heading(3, words("Waivers"), "waivers"), signed]


def _set_aside(run: Run) -> list[Block]:
    """The gates that were not judged because a log cannot be asked; nothing where there are none."""
    rows = [
        [value_text(row["gate"]), value_text(row["rule"]), value_text(row["reason"])]
        for row in run.decision.get("set_aside") or []
    ]
    note = "They count neither for the system nor against it; the rating rests on the gates above."
    table = data_table("Gates set aside", ["Gate", "Rule", "Why"], rows, note=note)
    return [table] if rows else []


def _gate(row: dict[str, Any]) -> list[str]:
    side, sign = ("lower", "≥") if row["bound"] == "low" else ("upper", "≤")
    part, origin = row.get("slice") or "all", row.get("origin") or "all"
    measured = value_text(row["metric"]) + ("" if part == "all" else f" in {part}")
    measured += "" if origin == "all" else f", {level_name('origin', origin)}"
    threshold = (
        f"{side} bound {sign} "
        f"{value_text(float(row['threshold']), None if float(row['threshold']) >= 10 else 2)}"
    )
    critical = ", critical" if row.get("critical") is True or str(row.get("critical")) == "True" else ""
    return [
        value_text(row["gate"]),
        clean(measured),
        threshold + critical,
        interval(row),
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
