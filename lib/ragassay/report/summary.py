"""The executive summary, one page: verdict, conclusion, principal findings, how far to trust the numbers,
what is next, and two pictures. Filled from typed rows; verdicts stand in `templates/words/ratings.csv`."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from ragassay.analysis.error_taxonomy import MACHINE
from ragassay.decision import independence
from ragassay.decision.gates import FAIL, INCOMPLETE, PASS, label, measured_text, required_text, worst_rows
from ragassay.report.block_builders import bullets, gap, headed, paragraph, rating_box
from ragassay.report.blocks import Block, Callout, Chapter, Figure, Listing, Paragraph, State, Strong, Text
from ragassay.report.crosswalk import critical_line
from ragassay.report.decision_chapter import SETTLED, by_severity
from ragassay.report.decision_words import rating_words, reason_words
from ragassay.report.numbering import figures_and_tables
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text
from ragassay.stats import interval_text
from ragassay.tables import CATEGORIES

FEW = 5  # gaps and failed gates that stand there
PRINCIPAL = 4  # findings that stand there
LONGEST = 220  # characters of a line
UNDECIDED = "Not decided"
ACCEPTED = "judged_in_every_respect"
BAR, GATES = "figures/answers_in_one_bar.svg", "figures/gates_that_decide.svg"
MOST = {BAR: 32.0, GATES: 72.0}  # height in print, mm
_HEIGHT = re.compile(rb'<svg[^>]{0,400}?\sheight="([0-9.]{1,9})pt"')


def rating(run: Run) -> str:
    """The overall rating, or that there is none."""
    return value_text(run.decision.get("rating") or UNDECIDED)


def summary(run: Run) -> Chapter:
    """The executive summary: one page."""
    blocks: list[Block] = [
        rating_box(rating(run)),
        *_verdict(run),
        *_conclusion(run),
        *_drawn(run, BAR),
        *_findings(run),
        *_drawn(run, GATES),
        *_trust(run),
        *_next(run),
    ]
    return Chapter("", "Executive summary", "summary", blocks, "front")


def gaps(run: Run) -> list[Block]:
    """The warning that pieces are missing, for the top of the summary; nothing when all is there."""
    if not run.gaps:
        return []
    rest = [f"… and {len(run.gaps) - FEW} more, listed under gaps"] if len(run.gaps) > FEW else []
    title = f"This report is incomplete: {len(run.gaps)} gap{'s' if len(run.gaps) > 1 else ''}"
    return [Callout("gap", title, [bullets([*(clean(gap, 200) for gap in run.gaps[:FEW]), *rest])])]


def printed_once(chapters: list[Chapter], summary: Chapter) -> None:
    """Take the pictures that the summary shows out of the chapters: each stands once."""
    shown = {item.file for item in figures_and_tables(summary.blocks) if isinstance(item, Figure)}
    for chapter in chapters:
        chapter.blocks = [
            block for block in chapter.blocks if not (isinstance(block, Figure) and block.file in shown)
        ]


def _verdict(run: Run) -> list[Block]:
    """What is recommended, and what the system is for."""
    if not run.decision:
        return [paragraph(f"No recommendation: {run.why('07_conclusion')}.")]
    verdict = rating_words(rating(run)).get("verdict", "")
    purpose = clean(str(run.engagement.get("purpose") or ""), 2 * LONGEST)
    return [Paragraph((Strong((Text(verdict),)), Text(f" {purpose}" if purpose else "")))]


def _conclusion(run: Run) -> list[Block]:
    """How many answers raters accept, what the others are, and which gates were missed."""
    rows, kinds, gates = run.rows("scorecard"), run.rows("taxonomy"), run.table("gates")
    told = []
    found = rows[(rows["metric"] == ACCEPTED) & (rows["slice"] == "all")] if len(rows) else rows
    if len(found):
        row = found.iloc[0]
        share = interval_text(row["value"], row["low"], row["high"], percent=True)
        told.append(f"Of {int(row['n'])} rated answers {share} were acceptable in every respect.")
    else:
        told.append("No answer was read by raters.")
    if len(kinds) and (rated := kinds[kinds["judged_by"] != MACHINE])["category"].size:
        counts = Counter(rated["category"])
        named = [f"{counts[kind]} {kind}" for kind in CATEGORIES[1:-1] if counts[kind]]
        told += [f"Of those that raters judged: {', '.join(named)}."] if named else []
    if gates is None:
        return [headed("Conclusion.", " ".join(told)), gap(f"No gates: {run.why('07_conclusion')}.")]
    return [headed("Conclusion.", " ".join([*told, *_gates(gates)]))]


def _gates(gates: Any) -> list[str]:
    """How many gates failed, and which; what passes by design carries no weight."""
    rows = worst_rows(gates).to_dict("records")
    failed = [row for row in rows if row["outcome"] == FAIL]
    counts = Counter(row["outcome"] for row in rows)
    designed = ", ".join(label(row) for row in rows if row["outcome"] == PASS and row["by_design"])
    passes = f"These passes follow from the design and carry no weight: {designed}."
    named = "; ".join(f"{label(row)} {measured_text(row)}, {required_text(row)}" for row in failed[:FEW])
    told = f"Of {len(rows)} criteria {counts[FAIL]} failed and {counts[INCOMPLETE]} are incomplete"
    return [f"{told}{f': {named}' if named else ''}.", *[passes] * bool(designed)]


def _findings(run: Run) -> list[Block]:
    """The principal findings, a line each, and how many there are."""
    table = run.table("findings")
    if table is None:
        return [gap(f"No findings register: {run.why('07_conclusion')}.")]
    rows = [row for row in by_severity(table) if row.get("status") not in SETTLED]
    if not rows:
        return [headed("Principal findings.", "No finding is open.")]
    lines: list[list[Block]] = [
        [
            Paragraph(
                (
                    State(row["severity"]),
                    Strong((Text(f" {clean(row['title'], LONGEST)} ({row['finding_id']}). "),)),
                    Text(clean(str(row["condition"]), LONGEST)),
                )
            )
        ]
        for row in rows[:PRINCIPAL]
    ]
    counts = Counter(row["severity"] for row in rows)
    named = ", ".join(f"{n} {severity}" for severity, n in counts.items())
    return [headed("Principal findings", f"(of {len(rows)}: {named})."), Listing(lines, True)]


def _trust(run: Run) -> list[Block]:
    """Who judged, what a score may decide, what was not tested."""
    told = []
    standing = independence.read(run.engagement, run.record("raters.json", "02_functionality"))
    stated = {independence.YES: "are independent", independence.NO: "are not independent"}
    if standing.raters:
        told.append(f"The raters {stated.get(standing.raters, 'do not say whether they are independent')}.")
    validator = {independence.YES: "is independent", independence.NO: "is not independent"}
    told.append(f"The validator {validator.get(standing.validator, 'does not say so')}.")
    machine = run.rows("releases")
    if len(machine) and not machine["alone"].astype(bool).any():
        told.append("No score may release answers.")
    untested = run.rows("not_tested")
    if len(untested):
        first = clean(str(untested.iloc[0]["what"]), LONGEST)
        told.append(f"{len(untested)} points were not tested, first of all {first}.")
    return [headed("How far to trust this.", " ".join([*told, *critical_line(run)]))]


def _next(run: Run) -> list[Block]:
    """The reasons of the rating, and what is next by it."""
    if not run.decision:
        return []
    reasons = reason_words(run.decision.get("reasons") or [])
    return [headed("Why, and what is next.", " ".join([*reasons, rating_words(rating(run)).get("next", "")]))]


def _drawn(run: Run, path: str) -> list[Block]:
    """The figure as its notebook shows it; one too tall for the page stays in its chapter."""
    found = [item for item in run.shown if isinstance(item, Figure) and item.file == path]
    return [replace(item, most_height=MOST[path]) for item in found[:1] if _height(item) <= MOST[path]]


def _height(figure: Figure) -> float:
    """Of a drawing as it was made, mm; 0 where it does not say."""
    said = _HEIGHT.search(figure.data[:2000])
    return float(said[1]) * 25.4 / 72 if said else 0.0
