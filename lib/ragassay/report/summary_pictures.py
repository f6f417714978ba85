"""The three pictures of the summary: all answers in one bar, the gates with intervals and requirements, the
gravest answer with what is wrong with it."""

import json
import re
from dataclasses import replace
from typing import Any

from ragassay.analysis.error_taxonomy import MACHINE
from ragassay.report.blocks import Block, Callout, Chapter, Figure, Paragraph, Strong, Text
from ragassay.report.numbering import figures_and_tables
from ragassay.report.run_folder import Run
from ragassay.show import clean

BAR, GATES = "figures/answers_in_one_bar.svg", "figures/gates_that_decide.svg"
MOST = {BAR: 32.0, GATES: 72.0}  # height in print, mm
_HEIGHT = re.compile(rb'<svg[^>]{0,400}?\sheight="([0-9.]{1,9})pt"')
GRAVEST, FIRST_TO_READ = "The gravest answer", "The answer to be read first, confirmed by no rater"
LONGEST = 320  # characters of a question or an answer


def bar(run: Run) -> list[Block]:
    """All answers by kind, one bar; nothing where no notebook drew it."""
    return _drawn(run, BAR)


def gates(run: Run) -> list[Block]:
    """The gates that decide; nothing where no notebook drew them."""
    return _drawn(run, GATES)


def worst(run: Run) -> list[Block]:
    """The gravest answer, or where no rater judged it the one to be read first: why it is, question, answer,
    what raters said; nothing where no answer was ranked."""
    rows = run.rows("worst")
    if not len(rows):
        return []
    row = rows.sort_values("rank").iloc[0].to_dict()
    lines: list[Block] = [
        _labelled("Asked: ", row.get("question")),
        _labelled("Answered: ", row.get("answer")),
        *([_labelled("Raters: ", row["remark"])] if _is_text(row.get("remark")) else []),
        *_evidence(row),
    ]
    name = GRAVEST if _is_rated(run, row) else FIRST_TO_READ
    return [Callout("finding", f"Box 1  {name}: {clean(row.get('why', ''), 160)}", lines)]


def printed_once(chapters: list[Chapter], summary: Chapter) -> None:
    """Take the pictures that the summary shows out of the chapters: each stands once."""
    shown = {item.file for item in figures_and_tables(summary.blocks) if isinstance(item, Figure)}
    for chapter in chapters:
        chapter.blocks = [block for block in chapter.blocks if not _is_shown(block, shown)]


def _is_shown(block: Block, shown: set[str]) -> bool:
    return isinstance(block, Figure) and block.file in shown


def _drawn(run: Run, path: str) -> list[Block]:
    """The figure as its notebook shows it; one too tall for the page stays in its chapter, for made smaller
    its letters could not be read."""
    found = [item for item in run.shown if isinstance(item, Figure) and item.file == path]
    return [replace(item, most_height=MOST[path]) for item in found[:1] if _height(item) <= MOST[path]]


def _height(figure: Figure) -> float:
    """Of a drawing as it was made, mm; 0 where it does not say."""
    said = _HEIGHT.search(figure.data[:2000])
    return float(said[1]) * 25.4 / 72 if said else 0.0


def _is_rated(run: Run, row: dict[str, Any]) -> bool:
    """Whether raters judged the answer, or remarked on it."""
    known = run.rows("taxonomy")
    judged = known[known["case_id"] == row.get("case_id")] if len(known) else known
    return _is_text(row.get("remark")) or bool(len(judged) and (judged["judged_by"] != MACHINE).any())


def _labelled(label: str, text: Any) -> Paragraph:
    return Paragraph((Strong((Text(label),)), Text(clean(text, LONGEST))))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _evidence(row: dict[str, Any]) -> list[Block]:
    """Where the answer's first sentence comes from."""
    try:
        first = json.loads(row.get("evidence") or "[]")[0]
        return [_labelled("Taken from: ", first["evidence_id"])] if first.get("evidence_id") else []
    except (ValueError, LookupError, TypeError, AttributeError):
        return []
