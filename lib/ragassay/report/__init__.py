"""Executed notebooks and tables to one document, written three times: HTML in one file, PDF/A-3a, Word.

run folder -> assemble -> Document (chapters of typed blocks) -> html, pdf, docx -> validation_report.*

blocks              the document model, the chapters; numbers of headings, tables, figures
run_folder          what a run folder holds, with its gaps; the files that travel with the report
notebook_chapter    one notebook, cell by cell, and what it shows; markup: markdown, tables of HTML
decision_words      words of checks, gates, findings, rating and summary: typed rows into templates/words
document_control, crosswalk   what no notebook makes
exporter (HTML by jinja2, PDF by typst), docx (Word by python-docx), templates/   the three writers;
printed_text        letters and formulas, for all three
attachments, criteria, document_control, methods and references.csv, profiles/   words as data
"""

import sys
from collections.abc import Collection
from dataclasses import replace
from itertools import chain
from pathlib import Path
from string import ascii_uppercase

import pandas as pd

from ragassay import output_files, provenance
from ragassay.report import crosswalk, document_control
from ragassay.report.blocks import (
    ANCHORS,
    CHAPTERS,
    LAST,
    SUMMARY,
    Block,
    Callout,
    Chapter,
    Document,
    Heading,
    Paragraph,
    Table,
    annex,
    bullets,
    find_parts,
    gap,
    letters,
    number,
    paragraph,
    words,
)
from ragassay.report.decision_words import rating_words
from ragassay.report.notebook_chapter import ANNEX, FULL, LIMITS, without_empty_headings
from ragassay.report.printed_text import unprinted_scripts
from ragassay.report.run_folder import FOLDER, Run, collect_attachments, write_attachments
from ragassay.show import clean, value_text

__all__ = ["FORMATS", "NAME", "assemble", "build"]
NAME, FORMATS = "validation_report", ("html", "pdf", "docx")
FEW = 5  # gaps that the summary names


def build(
    run_dir: str | Path, template: Path | None = None, formats: Collection[str] = FORMATS
) -> dict[str, Path]:
    """Write `validation_report.html`, `.pdf` and `.docx` into the run folder, and the files that travel with
    them into its `attachments/`; the same run gives the same bytes. Returns the paths of those written.

    Each file is complete or not there. An unfinished or failed run gets a report that states what is missing.

    formats : which of FORMATS to write; what an earlier report left of the others is removed
    template : a bank's .docx or .dotx, whose look the Word file takes; None is the kit's own

    Raises
    ------
    InputError
        If there is no such folder, or the template is none; nothing is written then.
    """
    from ragassay.report import docx, exporter

    folder = provenance.source(run_dir)
    document = assemble(run_dir)
    writers = {  # Word first: a template may be refused
        "docx": lambda: docx.render(document, template),
        "html": lambda: exporter.html(document).encode(),
        "pdf": lambda: exporter.pdf(document),
    }
    written = {kind: write() for kind, write in writers.items() if kind in formats}
    write_attachments(folder / FOLDER, document.attachments)
    for kind in set(FORMATS) - set(written):
        (folder / f"{NAME}.{kind}").unlink(missing_ok=True)
    for kind, content in written.items():
        output_files.write_bytes(folder / f"{NAME}.{kind}", content)
    return {kind: folder / f"{NAME}.{kind}" for kind in FORMATS if kind in written}


def assemble(run_dir: str | Path) -> Document:
    """The whole report of a run: cover, summary, the chapters made of its notebooks, sign-off, annexes; what
    is missing is stated in it, so an unfinished run has one too."""
    run = Run(provenance.find(run_dir))
    date = str(run.engagement.get("date", ""))[:10]
    if pd.isna(pd.to_datetime(date, format="%Y-%m-%d", errors="coerce")):
        run.miss("not available: the report's date; engagement.json states none")
        date = ""
    rating = value_text(run.decision.get("rating") or "Not decided")
    summary, body = _chapters(run)
    attached = collect_attachments(run)
    further = [crosswalk.chapter(run), *_results(run), document_control.methods_annex(run, body)]
    further.append(document_control.environment_annex(run, attached))
    body.append(document_control.sign_off(run, rating))
    for place, chapter in [*enumerate(body, 1), *zip(ascii_uppercase, further, strict=False)]:
        chapter.number = str(place)
    if run.gaps:  # last: every part has said by now what it misses
        body[-2].blocks += [Heading(2, words("Gaps in the evidence"), "gaps"), bullets(map(clean, run.gaps))]
        named = [clean(each, 200) for each in run.gaps[:FEW]]
        if len(run.gaps) > FEW:
            named.append(f"… and {len(run.gaps) - FEW} more, listed under gaps")
        title = f"This report is incomplete: {len(run.gaps)} gap{'s' * (len(run.gaps) > 1)}"
        summary.blocks.insert(0, Callout("open", title, [bullets(named)]))
    cover, reading = document_control.cover(run), document_control.reading(run)
    chapters = [summary, reading, *body, *further]
    if scripts := unprinted_scripts(letters([cover, *chapters])):
        lacking = ", ".join(f"{script} ({count:,} letters)" for script, count in scripts.items())
        said = (
            f"The PDF has no font for {lacking} and prints code points; HTML and Word are whole. "
            "Install Noto fonts for these scripts and build the report again."
        )
        reading.blocks.append(gap(said))
        print(f"ragassay: {said}", file=sys.stderr)
    number(chapters)
    key = "model_name" if run.engagement.get("model_name") else "engagement"
    title = f"Validation of {run.stated(key)}"
    return Document(
        run.stated("title") if run.engagement.get("title") else title,
        clean(run.engagement.get(key) or run.stated(key), 60),
        date,
        cover,
        rating,
        chapters,
        attached,
        subtitle="Model-risk validation report",
        authors=[run.stated("validator")] if run.engagement.get("validator") else [],
        marks=document_control.marks(run) + ["INCOMPLETE"] * bool(run.gaps),
        recommendation=rating_words(rating).get("verdict", ""),
    )


def _chapters(run: Run) -> tuple[Chapter, list[Chapter]]:
    """The summary, and the chapters made of notebooks, in order of their names, the decision's last; in the
    decision's last chapter stand the limits of all of them, a row a notebook."""
    names = sorted(run.notebooks, key=lambda name: (name == LAST, name))
    elsewhere = (ANNEX, LIMITS, *[FULL] * run.is_small)
    body = [chapter for name in names for chapter in run.notebooks[name].chapters(*elsewhere)]
    none = Chapter("", SUMMARY, "", [paragraph(f"No recommendation: {run.why(LAST)}.")])
    summary = next((chapter for chapter in body if chapter.title == SUMMARY), none)
    body = [chapter for chapter in body if chapter is not summary]
    if all(chapter.anchor != ANCHORS["limits"] for chapter in body):
        body.append(Chapter("", CHAPTERS["limits"][0], ANCHORS["limits"], []))
    said = [(run.notebooks[name].titles[0][0], run.notebooks[name].tagged(LIMITS)) for name in names]
    rows = []
    for title, blocks in said:
        lines = [(*words("\n"), *block.words) for block in find_parts(blocks, Paragraph)]
        rows += [[words(title), tuple(chain(*lines))[1:]]] * bool(blocks)
    none_said = gap("No chapter states a limit, which is itself a reason to doubt the report.")
    limits = Table("What must not be concluded", [], rows, ["l", "l"], widths=[1, 4.6])
    body[-1].blocks.insert(0, limits if rows else none_said)
    if absent := [each for name in names for each in run.notebooks[name].absent]:
        body[-1].blocks.append(paragraph(f"Not measured: {' '.join(absent)}"))
    return replace(summary, anchor="summary", part="front"), body


def _results(run: Run) -> list[Chapter]:
    """The annex of what cells tagged `annex` show, below the titles of their chapters."""
    blocks: list[Block] = []
    for walked in run.notebooks.values():
        blocks.append(Heading(2, words(walked.titles[0][0])))
        blocks += [
            replace(block, level=block.level + 1) if isinstance(block, Heading) else block
            for block in walked.tagged(ANNEX)
        ]
    blocks = without_empty_headings(blocks)
    return [annex("annex-results", blocks)] if blocks else []
