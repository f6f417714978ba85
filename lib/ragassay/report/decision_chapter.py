"""The chapter of the decision: what its notebook shows, with a card for each grave finding after the table of
findings; the limits of all chapters, and gaps."""

from typing import Any

import pandas as pd

from ragassay.decision.earlier_findings import CLOSED, RETESTED, WITHDRAWN
from ragassay.report import cell_tags, crosswalk
from ragassay.report.block_builders import bullets, data_table, gap, paragraph, words
from ragassay.report.blocks import Block, Heading, State, Table, Text
from ragassay.report.chapters import CHAPTERS, HOMES
from ragassay.report.run_folder import Run
from ragassay.show import MISSING, clean, value_text
from ragassay.tables import SEVERITIES

FINDINGS = "tables/findings.parquet"
FIELDS = [
    ("Condition", "condition"),
    ("Also shown by", "further"),
    ("Criterion", "criterion"),
    ("Cause", "cause"),
    ("Effect", "effect"),
    ("Example", "shown_case"),
    ("Action", "recommendation"),
    ("Closure", "closure"),
    ("Earlier", "carried_from"),
]
SETTLED = (RETESTED, CLOSED, WITHDRAWN)
GRAVE = ("Critical", "High")
MOST_CARDS = 10  # findings printed in full
MOST_OF_A_FIELD = 4000  # characters: a closure that somebody wrote stands whole
MOST_OF_A_LIMIT = 260  # characters in print; the whole is among the attached files


def decided(run: Run, blocks: list[Block]) -> list[Block]:
    """The notebook's blocks, with the cards; the limits of the other chapters where it did not run."""
    place = next(
        (at for at, block in enumerate(blocks, 1) if isinstance(block, Table) and block.file == FINDINGS),
        len(blocks),
    )
    told = crosswalk.conditions_line(run)
    made = [*blocks[:place], *cards(run), *blocks[place:], *([paragraph(told)] if told else [])]
    return [*made, *limitations(run)]


def gaps(run: Run) -> list[Block]:
    """What this report lacks, whole; nothing where it lacks nothing."""
    if not run.gaps:
        return []
    return [Heading(2, words("Gaps in the evidence"), "gaps"), bullets([clean(line) for line in run.gaps])]


def by_severity(findings: pd.DataFrame) -> list[dict[str, Any]]:
    """The findings' rows, open ones first, then the gravest, then by id."""
    return sorted(
        findings.to_dict("records"),
        key=lambda row: (
            row.get("status") in SETTLED,
            SEVERITIES.index(row["severity"]),
            len(row["finding_id"]),
            row["finding_id"],
        ),
    )


def cards(run: Run) -> list[Block]:
    """A card for each of the gravest open findings; all of them stand in the attached table."""
    table = run.table("findings")
    if table is None:
        return [gap(f"No findings register: {run.why('07_conclusion')}.")]
    open_ = [row for row in by_severity(table) if row.get("status") not in SETTLED]
    grave = [row for row in open_ if row["severity"] in GRAVE][:MOST_CARDS]
    left = len(open_) - len(grave)
    rest = [paragraph(f"The other {left} stand in attachments/findings.csv.")] * (left > 0)
    return [*(block for row in grave for block in _card(row)), *rest]


def limits_by_chapter(limits: pd.DataFrame) -> pd.DataFrame:
    """The limits of `provenance.limits`, a row a chapter in the document's order, each limit on a line."""
    order = [place.notebook for place in CHAPTERS.values()]
    rank = limits["chapter"].map(lambda name: order.index(name) if name in order else len(order))
    kept = limits.assign(rank=rank).drop_duplicates("limit").sort_values("rank", kind="stable")
    titles = kept["chapter"].map(lambda name: CHAPTERS[HOMES[name]].title if name in HOMES else name)
    kept = kept.assign(chapter=titles, limits=kept["limit"].map(_short_limit))
    return kept.groupby("chapter", sort=False)["limits"].agg("\n".join).reset_index()


def limitations(run: Run) -> list[Block]:
    """Every limit that a notebook states, below the title of its chapter; without those of the records where
    the notebook of the decision prints them."""
    blocks: list[Block] = []
    is_printed = run.notebooks["07_conclusion"].state == "executed"
    for name, walked in run.notebooks.items():
        recorded = [] if is_printed else run.sections.get(name, {}).get("limits", [])
        stated: list[Block] = [bullets([clean(limit) for limit in recorded])] if recorded else []
        if stated := [*stated, *cell_tags.lowered(walked, cell_tags.LIMITS)]:
            title = f"Stated by {walked.chapter.title}"
            blocks += [Heading(3, words(title), f"limits-{name}"), *stated]
    none = gap("No section states a limit, which is itself a reason to doubt the report.")
    made = [Heading(2, words("Limitations"), "limitations"), *(blocks or [none])]
    return made if blocks or not is_printed else []


def _card(row: dict[str, Any]) -> list[Block]:
    lines = [[name, text] for name, key in FIELDS if (text := _field(row, key))]
    card = data_table("", [], lines, widths=[1, 5.6])
    risk = f"likelihood {row['likelihood']}, impact {row['impact']}"
    owned = f"  {risk}; {row['owner']}; due {row['due']}; {row['status']}"
    card.rows.insert(0, [words("Severity"), (State(value_text(row["severity"])), Text(clean(owned)))])
    title = f"{row['finding_id']} · {clean(str(row['title']), 300)}"
    return [Heading(3, words(title), f"finding-{row['finding_id']}"), card]


def _field(row: dict[str, Any], key: str) -> str:
    """A field of the card as text, with what belongs to it; "" where nobody said anything."""
    text = _said(row, key)
    if key == "shown_case" and text:
        question, answer, remark = (_said(row, f"shown_{part}") for part in ("question", "answer", "remark"))
        remarked = f" Raters: “{remark}”." if remark else ""
        return f"“{question}” – “{answer}”{remarked} ({text})"
    if key == "carried_from" and text:
        return "; ".join(filter(None, (text, f"opened {row['opened']}", _said(row, "closed_evidence"))))
    return text


def _said(row: dict[str, Any], key: str) -> str:
    text = value_text(row.get(key), limit=MOST_OF_A_FIELD).strip()
    return "" if text == MISSING else text


def _short_limit(limit: str) -> str:
    if len(limit) <= MOST_OF_A_LIMIT:
        return limit
    return f"{limit[:MOST_OF_A_LIMIT].rsplit(' ', 1)[0]} … (sections.csv)"
