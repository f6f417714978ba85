"""A run folder to a document: summary and document control, one chapter per notebook, findings, limitations,
gates, sign-off, annexes."""

import datetime
from collections.abc import Iterator
from pathlib import Path

from ragassay.report import (
    annexes,
    crosswalk,
    document_control,
    findings_register,
    gates,
    limitations,
    references,
    summary,
)
from ragassay.report.blocks import Block, Callout, Chapter, Document, Figure, Heading, Listing, Quote, Table
from ragassay.report.notebook import Walked, section_record, walk
from ragassay.report.run_folder import Run

UNDATED = "1970-01-01"


def assemble(run_dir: str | Path) -> Document:
    """The whole report of a run; what is missing is stated in it, so an unfinished run has one too."""
    from ragassay import evidence

    run = Run(evidence.find(run_dir))
    date = _date(run)
    body = [_body(run, walked) for walked in run.notebooks.values()]
    first, rating = (
        1 + max([int(chapter.number) for chapter in body if chapter.number.isdigit()], default=7),
        summary.rating(run),
    )
    after = [
        findings_register.findings(run, str(first)),
        gates.gates(run, str(first + 2)),
        document_control.sign_off(run, str(first + 3), rating),
    ]
    opening = [summary.summary(run), document_control.control(run)]
    limits = limitations.limitations(run, str(first + 1))
    chapters = [*opening, *body, after[0], limits, *after[1:]]
    _numbered(chapters)
    ends = [
        crosswalk.annex(run, chapters),
        annexes.evidence(run, chapters),
        annexes.environment(run),
        references.annex(),
        annexes.code(run),
        annexes.glossary(),
    ]
    _numbered(ends)
    opening[0].blocks[1:1] = summary.gaps(run)
    document = Document(
        _title(run),
        run.stated("engagement"),
        date,
        document_control.cover(run),
        rating,
        [*chapters, *ends],
        subtitle="Model-risk validation report",
        authors=[run.stated("validator")] if run.engagement.get("validator") else [],
    )
    document.attachments = annexes.attachments(run)
    return document


def single(notebook: object, name: str) -> Document:
    """One notebook as a document of its own."""
    walked = walk(notebook, name)
    chapter = walked.chapter
    _numbered([chapter])
    return Document(
        chapter.title, name, UNDATED, [], "", [chapter], subtitle="One notebook of a validation; not a report"
    )


def figures_and_tables(blocks: list[Block]) -> Iterator[Table | Figure]:
    """Every table and figure, in reading order, boxes and lists included."""
    for block in blocks:
        match block:
            case Table() | Figure():
                yield block
            case Callout(_, _, inner) | Quote(inner):
                yield from figures_and_tables(inner)
            case Listing(items, _):
                for item in items:
                    yield from figures_and_tables(item)


def _body(run: Run, walked: Walked) -> Chapter:
    if walked.state != "missing":
        walked.chapter.blocks += section_record(run.sections.get(walked.name), run.why(walked.name))
    return walked.chapter


def _stepped(chapters: list[Chapter]) -> None:
    """No heading skips a level: readers who listen move by them, and PDF/UA forbids it."""
    for chapter in chapters:
        above = 1
        for heading in (block for block in chapter.blocks if isinstance(block, Heading)):
            heading.level = above = min(heading.level, above + 1)


def _numbered(chapters: list[Chapter]) -> None:
    """Number captioned tables and figures within their chapter: Table 4.1, Figure A.2; in front matter they
    go by their caption."""
    _stepped(chapters)
    for chapter in chapters:
        counts = {"Table": 0, "Figure": 0}
        for shown in figures_and_tables(chapter.blocks):
            kind = type(shown).__name__
            if shown.caption or kind == "Figure":
                counts[kind] += 1
                shown.label = f"{kind} {chapter.number}.{counts[kind]}" if chapter.number else ""
                shown.anchor = f"{kind.lower()}-{chapter.anchor}-{counts[kind]}"


def _title(run: Run) -> str:
    title, model = run.stated("title"), run.stated("model_name")
    return (
        title
        if run.engagement.get("title")
        else f"Validation of {model}"
        if run.engagement.get("model_name")
        else f"Validation report: {run.folder.resolve().name}"
    )


def _date(run: Run) -> str:
    try:
        return datetime.date.fromisoformat(str(run.engagement.get("date", ""))[:10]).isoformat()
    except ValueError:
        run.gaps.append("not available: the report's date; engagement.json states none")
        return UNDATED
