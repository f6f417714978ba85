"""A run folder to a document: summary and document control, the chapters made of its notebooks, sign-off and
crosswalk, annexes."""

import datetime
from pathlib import Path
from string import ascii_uppercase

from ragassay.report import (
    annexes,
    attachments,
    cell_tags,
    crosswalk,
    document_control,
    methods_annex,
    summary,
)
from ragassay.report.block_builders import annex, gap
from ragassay.report.blocks import Attached, Chapter, Document
from ragassay.report.chapters import HOMES
from ragassay.report.decision_chapter import decided, gaps
from ragassay.report.decision_words import rating_words
from ragassay.report.notebook_chapter import walk
from ragassay.report.numbering import number
from ragassay.report.run_folder import Run
from ragassay.show import clean

UNDATED = "1970-01-01"


def assemble(run_dir: str | Path) -> Document:
    """The whole report of a run; what is missing is stated in it, so an unfinished run has one too."""
    from ragassay import provenance

    run = Run(provenance.find(run_dir))
    date, rating = _date(run), summary.rating(run)
    body, attached = _body(run, rating), attachments.collect(run)
    front = [summary.summary(run), document_control.control(run)]
    summary.printed_once(body, front[0])
    chapters = [*front, *body, *_annexes(run, attached)]
    front[0].blocks[1:1] = summary.gaps(run)  # last: every part has said by now what it misses
    body[-3].blocks += gaps(run)
    number(chapters)
    return Document(
        _title(run),
        _system(run),
        date,
        document_control.cover(run),
        rating,
        chapters,
        attached,
        subtitle="Model-risk validation report",
        authors=[run.stated("validator")] if run.engagement.get("validator") else [],
        version=document_control.mark(run),
        classification=document_control.classification(run),
        is_complete=not run.gaps,
        recommendation=rating_words(rating).get("verdict", ""),
    )


def single(notebook: object, name: str) -> Document:
    """One notebook as a document of its own."""
    walked = walk(notebook, name, f"{name}.ipynb")
    chapters = [walked.chapter]
    number(chapters)
    subtitle = "One notebook of a validation; not a report"
    return Document(walked.chapter.title, name, UNDATED, [], "", chapters, subtitle=subtitle)


def _body(run: Run, rating: str) -> list[Chapter]:
    """The chapters made of notebooks, then the sign-off and the crosswalk, numbered from 1."""
    made = cell_tags.chapters(run.notebooks)
    for walked in run.notebooks.values():
        if walked.state != "missing" and walked.name not in run.sections:
            chapter = made[HOMES.get(walked.name, walked.name)]
            chapter.blocks.append(gap(f"No section record: {run.why(walked.name)}."))
    made["decision"].blocks = decided(run, made["decision"].blocks)
    body = [*made.values(), document_control.sign_off(run, rating), crosswalk.chapter(run)]
    for position, chapter in enumerate(body, 1):
        chapter.number = str(position)
    return body


def _annexes(run: Run, attached: list[Attached]) -> list[Chapter]:
    further = cell_tags.further(run.notebooks)
    made = [
        *([annex("annex-results", further)] if further else []),
        annexes.files(run, attached),
        annexes.environment(run),
        methods_annex.annex(),
        annexes.glossary(_meanings(run)),
    ]
    for letter, chapter in zip(ascii_uppercase, made, strict=False):
        chapter.number = letter
    return made


def _meanings(run: Run) -> dict[str, str]:
    """What the raters' guide says of each dimension, as the parameters state it."""
    return (run.manifest.get("parameters") or {}).get("02_functionality", {}).get("meanings") or {}


def _title(run: Run) -> str:
    title, model = run.stated("title"), run.stated("model_name")
    return (
        title
        if run.engagement.get("title")
        else f"Validation of {model}"
        if run.engagement.get("model_name")
        else f"Validation report: {run.folder.resolve().name}"
    )


def _system(run: Run) -> str:
    """What every page calls the system: its name where the engagement states one."""
    return clean(run.engagement.get("model_name") or run.stated("engagement"), 60)


def _date(run: Run) -> str:
    try:
        return datetime.date.fromisoformat(str(run.engagement.get("date", ""))[:10]).isoformat()
    except ValueError:
        run.gaps.append("not available: the report's date; engagement.json states none")
        return UNDATED
