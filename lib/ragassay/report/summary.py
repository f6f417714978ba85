"""The executive summary, one page: the recommendation in words, the findings that matter, what was required
and met or missed, what the numbers do not carry, what comes before release, and three pictures."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragassay.calibration.errors_in_any_respect import in_percent, overall
from ragassay.decision import independence
from ragassay.decision.closing import first_steps, steps_in_short
from ragassay.decision.closing.finding_phases import RELEASE
from ragassay.decision.findings import version_finding
from ragassay.decision.gates.gates import worst_rows
from ragassay.decision.recommendation import PILOT
from ragassay.report import summary_findings, summary_pictures
from ragassay.report.block_builders import bullets, gap, headed, paragraph
from ragassay.report.blocks import Block, Callout, Chapter, Paragraph, Rating, Strong, Text
from ragassay.report.crosswalk import critical_line
from ragassay.report.crosswalk_conditions import conditions_by_place
from ragassay.report.findings_register import open_finding
from ragassay.report.gate_sentences import gate_name, percent, required
from ragassay.report.run_folder import Run
from ragassay.scores.display_names import display_name
from ragassay.show import clean, value_text

LINES = 4  # lines of anything but findings that stand there
FEW = 5  # gaps that stand there
LONGEST = 220  # characters of a line
RATERS_TOLD = "who they are, and what their labels are worth, stands in [chapter](#questions)"
WORTH = "what their labels are worth stands in [chapter](#questions)"
UNDECIDED = "Not decided"
ACCEPTED = "judged_in_every_respect"
CHAPTER = "[chapter](#decision)"
WHOLE = f"What each takes, by whom and by when stands in {CHAPTER}, section “{first_steps.CAPTION}”{{pilot}}."
OF_PILOT = ", its hours under “Supervised pilot”"
CONDITIONS = "conditions {} of the crosswalk"
BY_DESIGN = "Met by design, as a quote states nothing that no document holds"
OUTCOMES = {"fail": "Missed", "incomplete": "Not measured well enough", "pass": "Met"}


def rating(run: Run) -> str:
    """The overall rating, or that there is none."""
    return value_text(run.decision.get("rating") or UNDECIDED)


def summary(run: Run) -> Chapter:
    """The executive summary: one page."""
    decision = run.decision
    blocks: list[Block] = [Rating(rating(run)), *_recommendation(run), *_raters(run)]
    blocks += summary_pictures.bar(run)
    drawn = summary_pictures.gates(run)
    blocks += [*summary_findings.gravest(run), *_requirements(run, is_drawn=bool(drawn)), *drawn]
    blocks += _lines(
        "What the numbers do not support",
        [*_of_process(run), *_machine(run), *_untested(decision), *critical_line(run)],
    )
    blocks += _first(decision, _beside(run))
    blocks += summary_pictures.worst(run)
    return Chapter("", "Executive summary", "summary", blocks, "front")


def gaps(run: Run) -> list[Block]:
    """The warning that pieces are missing, for the top of the summary; nothing when all is there."""
    if not run.gaps:
        return []
    shown = run.gaps[:FEW]
    rest = [f"… and {len(run.gaps) - FEW} more, listed under gaps"] if len(run.gaps) > FEW else []
    title = f"This report is incomplete: {len(run.gaps)} gap{'s' if len(run.gaps) > 1 else ''}"
    return [Callout("gap", title, [bullets([*(clean(gap, 200) for gap in shown), *rest])])]


def _recommendation(run: Run) -> list[Block]:
    """What is recommended, and the first reason of the rating."""
    decision = run.decision
    if not decision:
        return [paragraph(f"No recommendation: {run.why('07_conclusion')}.")]
    said, reasons = decision.get("recommendation_sentence"), _sentences(decision.get("rationale"))
    why = clean(reasons[0], 2 * LONGEST) if reasons else ""
    if not said:
        return [paragraph(why)] if why else []
    return [Paragraph((Strong((Text(clean(said, 2 * LONGEST)),)), Text(f" {why}" if why else "")))]


def _raters(run: Run) -> list[Block]:
    """How many answers people read, the share that they accept in every respect, and who they are; that
    nobody did, where nobody did."""
    rows = run.rows("scorecard")
    found = rows[(rows["metric"] == ACCEPTED) & (rows["slice"] == "all")] if len(rows) else rows
    if not len(found):
        return [paragraph("No answer was read by raters.")] if len(rows) else []
    row = found.iloc[0]
    read = f"Raters read {value_text(row['n'])} answers: {percent(row)} were acceptable in every respect."
    who = str((run.manifest.get("parameters") or {}).get("04_calibration", {}).get("raters") or "")
    if not who:
        return [paragraph(f"{read} Who they are is not stated.")]
    named = f"They are {clean(who)}; {WORTH}" if len(who) <= 2 * LONGEST else _capital(RATERS_TOLD)
    return [paragraph(f"{read} {named}.")]


def _requirements(run: Run, *, is_drawn: bool) -> list[Block]:
    """The gates by outcome, each by the origin of questions that decides it: each measure with its interval
    and what was required; where the picture shows that, only what qualifies a pass."""
    table = run.table("gates")
    if table is None or table.empty:
        return [gap(f"No gates: {run.why('07_conclusion')}.")] if table is None else []
    rows = worst_rows(table) if {"decides", "missed"} <= set(table) else table
    named = rows.assign(label=[_label(row) for row in rows.to_dict("records")])
    shown = [row for row in named.to_dict("records") if not is_drawn or _is_qualified(row)]
    told: dict[str, str] = {}
    for row in shown:
        told[row["label"]] = "; ".join(filter(None, [told.get(row["label"]), _told(row, is_drawn)]))
    aside = "; ".join(display_name(row["gate"]) for row in run.decision.get("set_aside") or [])
    labels = [label for label in (*OUTCOMES.values(), BY_DESIGN) if label in told]
    lines = {label: told[label] for label in labels} | {"Set aside": aside}
    return [headed(f"{label}:", f"{text}.") for label, text in lines.items() if text]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _is_qualified(gate: dict[str, Any]) -> bool:
    """Whether it passed, and something is to be said of that: a picture shows passed and failed alone."""
    return gate["outcome"] == "pass" and bool(gate.get("beside") or gate.get("by_design"))


def _told(gate: dict[str, Any], is_drawn: bool) -> str:
    """The measure; of one that is met what qualifies it too: of one that is missed the table of gates says
    that."""
    beside = clean(gate.get("beside") or "", LONGEST) if gate["outcome"] == "pass" else ""
    return f"{gate_name(gate) if is_drawn else required(gate)}{f' ({beside})' if beside else ''}"


def _label(gate: dict[str, Any]) -> str:
    """Its outcome in words; one that follows from how the system works is no strength."""
    return BY_DESIGN if gate.get("by_design") else OUTCOMES[gate["outcome"]]


def _of_process(run: Run) -> list[str]:
    """That several versions answered, that raters or the validator are not independent, or that nobody says;
    where such findings are open, and the line on what was not tested does not name them."""
    rows = (open_finding(run, source) for source in (version_finding.SOURCE, independence.SOURCE))
    said = " ".join(_untested(run.decision))
    return [
        f"{clean(row['title'], LONGEST).rstrip('.')} ({row['finding_id']})."
        for row in rows
        if row is not None and f"({row['finding_id']})" not in said
    ]


def _machine(run: Run) -> list[str]:
    """What the machine's own decisions are worth, if they were held against raters: in every respect where
    that was judged."""
    rows, respects = run.rows("decision_errors"), run.rows("respect_errors")
    if not len(rows) or rows["alone"].astype(bool).any():
        return []
    if len(respects) and (whole := overall(respects)):
        said = f"{whole['wrong']} of {whole['n']} rated answers that the calibrated rule would release"
        worth = f"are not acceptable in every respect, {in_percent(whole)}"
        return [f"No score may release answers: {said} {worth}."]
    wrong = rows[rows["decision"].isin(["accept", "reject"])]
    n, errors = int(wrong["n"].sum()), int(wrong["wrong"].sum())
    return [f"No score may release answers: {errors} of {n} automatic decisions were wrong."] if n else []


def _untested(decision: dict[str, Any]) -> list[str]:
    """How much was not tested, the gravest of it, and where the rest stands."""
    stated = _sentences(decision.get("not_tested"))
    gravest = "; ".join(clean(each, LONGEST) for each in decision.get("gravest_untested") or [])
    said = f"{len(stated)} points were not tested, the gravest first: {gravest}; all of them: {CHAPTER}."
    return [said] * bool(stated)


def _beside(run: Run) -> dict[str, list[str]]:
    """What is told of a place beside its findings: the conditions of the crosswalk by number, and what the
    retests of a release take."""
    told = {
        place: [CONDITIONS.format(first_steps.spans(numbers))]
        for place, numbers in conditions_by_place(run).items()
        if numbers
    }
    price = str((run.decision or {}).get("release_effort") or "")
    return told | {RELEASE: [*told.get(RELEASE, []), price]} if price else told


def _first(decision: dict[str, Any], beside: Mapping[str, Sequence[str]]) -> list[Block]:
    """What must happen first, in its order and by number, with where it stands whole; the conditions of use
    where nothing has to.

    beside : of `steps_in_short.in_short`
    """
    told = steps_in_short.in_short(decision.get("must_happen_first") or [], beside)
    if not told:
        return _lines("Conditions of use", decision.get("conditions"))
    listed = replace(bullets([clean(line, LONGEST) for line in told]), ordered=True)
    pilot = OF_PILOT if decision.get("recommendation") == PILOT else ""
    return [headed("What must happen first, in this order:", WHOLE.format(pilot=pilot)), listed]


def _lines(title: str, lines: Any, said: str = "") -> list[Block]:
    told = [clean(line, 2 * LONGEST) for line in _sentences(lines)]
    more = [f"… and {len(told) - LINES} more, see the decision"] if len(told) > LINES else []
    return [headed(f"{title}:", said), bullets([*told[:LINES], *more])] if told else []


def _sentences(lines: Any) -> list[str]:
    """Lines as they are; a text as its sentences."""
    if isinstance(lines, str):
        return re.split(r"(?<=[.!?])\s+", lines.strip()[:4000])
    return [str(line) for line in lines or []]
