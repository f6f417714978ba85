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
from ragassay.report.notebook import section_record, walk
from ragassay.report.run_folder import Run

UNDATED = "1970-01-01"


def assemble(run_dir: str | Path) -> Document:
    """The whole report of a run; what is missing is stated in it, so an unfinished run has one too."""
    from ragassay import evidence

    run = Run(evidence.find(run_dir))
    date, rating = _date(run), summary.rating(run)
    body, (findings, *after) = _body(run), _after(run, rating)
    front = [summary.summary(run), document_control.control(run)]
    limits = limitations.limitations(run, str(int(findings.number) + 1))  # lists the gaps found until now
    chapters = [*front, *body, findings, limits, *after]
    _numbered(chapters)
    ends = _annexes(run, chapters)
    _numbered(ends)
    front[0].blocks[1:1] = summary.gaps(run)  # last: every part has said by now what it misses
    return Document(
        _title(run),
        run.stated("engagement"),
        date,
        document_control.cover(run),
        rating,
        [*chapters, *ends],
        attachments=annexes.attachments(run),
        subtitle="Model-risk validation report",
        authors=[run.stated("validator")] if run.engagement.get("validator") else [],
    )


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


def _body(run: Run) -> list[Chapter]:
    """A chapter for each notebook, closed by the record of its section."""
    for walked in run.notebooks.values():
        if walked.state != "missing":
            record = run.sections.get(walked.name)
            walked.chapter.blocks += section_record(record, run.why(walked.name))
    return [walked.chapter for walked in run.notebooks.values()]


def _after(run: Run, rating: str) -> list[Chapter]:
    """What stands after the notebooks, numbered on from them; limitations come after the findings."""
    numbers = [walked.chapter.number for walked in run.notebooks.values()]
    first = 1 + max([int(number) for number in numbers if number.isdigit()], default=7)
    return [
        findings_register.findings(run, str(first)),
        gates.gates(run, str(first + 2)),
        document_control.sign_off(run, str(first + 3), rating),
    ]


def _annexes(run: Run, chapters: list[Chapter]) -> list[Chapter]:
    return [
        crosswalk.annex(run, chapters),
        annexes.evidence(run, chapters),
        annexes.environment(run),
        references.annex(),
        annexes.code(run),
        annexes.glossary(),
    ]


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
