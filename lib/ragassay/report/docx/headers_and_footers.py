"""What stands on every page: document and chapter above, date and page below; and pages on their side."""

from copy import deepcopy
from typing import Any

from ragassay.report import document_control
from ragassay.report.blocks import Document
from ragassay.report.docx.fields import CHAPTER, PAGE, PAGES, field
from ragassay.report.docx.markup import WORD, Element, paragraph, run, w


def heads(document: Any, report: Document, style: dict[str, str]) -> None:
    """Write the running heads, where the template has none of its own."""
    section = document.sections[-1]
    if any(part.tag.endswith("Reference") for part in section._sectPr):
        return
    for name, content in (("header", _above(report)), ("footer", _below(report))):
        place = getattr(section, name)
        place.is_linked_to_previous = False
        place._element[:] = [paragraph(style[name], content)]


def room(section: Element) -> int:
    """Twentieths of a point between the margins."""
    page, margin = section.find(f"{{{WORD}}}pgSz"), section.find(f"{{{WORD}}}pgMar")
    left = [int(float(margin.get(f"{{{WORD}}}{side}", 0))) for side in ("left", "right")]
    return max(int(page.get(f"{{{WORD}}}w")) - sum(left), 1440)


def turned(section: Element) -> Element:
    """The section with its page on its side; it has no cover."""
    made = deepcopy(section)
    uncovered(made)
    page = made.find(f"{{{WORD}}}pgSz")
    width, height = page.get(f"{{{WORD}}}w"), page.get(f"{{{WORD}}}h")
    for name, value in (("w", height), ("h", width), ("orient", "landscape")):
        page.set(f"{{{WORD}}}{name}", value)
    return made


def uncovered(section: Element) -> None:
    """Take from the section that its first page has running heads of its own."""
    for cover in section.findall(f"{{{WORD}}}titlePg"):
        section.remove(cover)


def _above(report: Document) -> list[Element]:
    marks = " · ".join([report.title, *document_control.marks(report)])
    return [run(marks), w("r", w("tab")), *field(CHAPTER, run(report.system))]


def _below(report: Document) -> list[Element]:
    number = [run("page "), *field(PAGE, run("1")), run(" of "), *field(PAGES, run("1"))]
    return [run(report.date), w("r", w("tab")), *number]
