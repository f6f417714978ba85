"""A run folder to a document: cover, summary, the chapters made of its notebooks, sign-off, annexes."""

import datetime
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase

from ragassay.report import attachments, crosswalk, document_control
from ragassay.report import blocks as model
from ragassay.report.blocks import ANCHORS, CHAPTERS, LAST, SUMMARY, annex, bullets, gap, paragraph, words
from ragassay.report.decision_words import rating_words
from ragassay.report.notebook_chapter import ANNEX, LIMITS, walk, without_empty_headings
from ragassay.report.numbering import number
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text

UNDECIDED = "Not decided"
FEW = 5  # gaps that the summary names


def assemble(run_dir: str | Path) -> model.Document:
    """The whole report of a run; what is missing is stated in it, so an unfinished run has one too."""
    from ragassay import provenance

    run = Run(provenance.find(run_dir))
    date, rating = _date(run), value_text(run.decision.get("rating") or UNDECIDED)
    summary, body = _chapters(run)
    attached = attachments.collect(run)
    further = [crosswalk.chapter(run), *_results(run), document_control.methods_annex(body)]
    further.append(document_control.environment_annex(run, attached))
    body.append(document_control.sign_off(run, rating))
    for numbers, chapters in ((ascii_uppercase, further), (map(str, range(1, len(body) + 1)), body)):
        for name, chapter in zip(numbers, chapters, strict=False):
            chapter.number = name
    if run.gaps:  # last: every part has said by now what it misses
        gaps = model.Heading(2, words("Gaps in the evidence"), "gaps"), bullets(map(clean, run.gaps))
        body[-2].blocks += gaps
        rest = [f"… and {len(run.gaps) - FEW} more, listed under gaps"] * (len(run.gaps) > FEW)
        named = bullets([*(clean(each, 200) for each in run.gaps[:FEW]), *rest])
        title = f"This report is incomplete: {len(run.gaps)} gap{'s' * (len(run.gaps) > 1)}"
        summary.blocks.insert(0, model.Callout("open", title, [named]))
    chapters = [summary, document_control.reading(run), *body, *further]
    number(chapters)
    marks = document_control.marks(run) + ["INCOMPLETE"] * bool(run.gaps)
    return model.Document(
        _title(run),
        clean(run.engagement.get("model_name") or run.stated("engagement"), 60),
        date,
        document_control.cover(run),
        rating,
        chapters,
        attached,
        subtitle="Model-risk validation report",
        authors=[run.stated("validator")] if run.engagement.get("validator") else [],
        marks=marks,
        recommendation=rating_words(rating).get("verdict", ""),
    )


def single(notebook: object, name: str) -> model.Document:
    """One notebook as a document of its own."""
    chapters = walk(notebook, name).chapters()
    for chapter in chapters:
        chapter.number = str(int(name[:2])) if name[:2].isdigit() else ""
    number(chapters)
    subtitle = "One notebook of a validation; not a report"
    return model.Document(chapters[0].title, name, "", [], "", chapters, subtitle=subtitle)


def _chapters(run: Run) -> tuple[model.Chapter, list[model.Chapter]]:
    """The summary, and the chapters made of notebooks, in order of their names, the decision's last; in the
    decision's last chapter stand the limits of all of them."""
    names = sorted(run.notebooks, key=lambda name: (name == LAST, name))
    body = [chapter for name in names for chapter in run.notebooks[name].chapters(ANNEX, LIMITS)]
    summary = next((chapter for chapter in body if chapter.title == SUMMARY), None)
    if summary is None:
        summary = model.Chapter("", SUMMARY, "", [paragraph(f"No recommendation: {run.why(LAST)}.")])
    body = [chapter for chapter in body if chapter is not summary]
    if all(chapter.anchor != ANCHORS["limits"] for chapter in body):
        body.append(model.Chapter("", CHAPTERS["limits"][0], ANCHORS["limits"], []))
    body[-1].blocks.insert(0, _limits(run, names))
    return replace(summary, anchor="summary", part="front"), body


def _limits(run: Run, names: list[str]) -> model.Block:
    """What each notebook says that a reader must not conclude, a row a notebook."""
    said = [(run.notebooks[name].titles[0][0], run.notebooks[name].tagged(LIMITS)) for name in names]
    rows = [[words(title), _on_lines(blocks)[1:]] for title, blocks in said if blocks]
    if not rows:
        return gap("No chapter states a limit, which is itself a reason to doubt the report.")
    return model.Table("What must not be concluded", [], rows, ["l", "l"], widths=[1, 4.6])


def _on_lines(blocks: list[model.Block]) -> model.Inlines:
    """The texts of paragraphs and lists, each after a line feed."""
    lines: model.Inlines = ()
    for block in blocks:
        if isinstance(block, model.Paragraph):
            lines += words("\n") + block.words
        elif isinstance(block, model.Listing):
            lines += tuple(span for item in block.items for span in _on_lines(item))
    return lines


def _results(run: Run) -> list[model.Chapter]:
    """The annex of what cells tagged `annex` show, below the titles of their chapters."""
    blocks: list[model.Block] = []
    for walked in run.notebooks.values():
        blocks.append(model.Heading(2, words(walked.titles[0][0])))
        for block in walked.tagged(ANNEX):
            if isinstance(block, model.Heading):
                block = replace(block, level=block.level + 1)
            blocks.append(block)
    blocks = without_empty_headings(blocks)
    return [annex("annex-results", blocks)] if blocks else []


def _title(run: Run) -> str:
    if run.engagement.get("title"):
        return run.stated("title")
    if run.engagement.get("model_name"):
        return f"Validation of {run.stated('model_name')}"
    return f"Validation report: {run.folder.resolve().name}"


def _date(run: Run) -> str:
    try:
        return datetime.date.fromisoformat(str(run.engagement.get("date", ""))[:10]).isoformat()
    except ValueError:
        run.miss("not available: the report's date; engagement.json states none")
        return ""
