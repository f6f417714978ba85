"""Word's fields, with what they show until Word computes them: contents, page numbers, the running chapter,
numbers of captions."""

from collections.abc import Iterable

from ragassay.report.docx.markup import Element, paragraph, pieces, run, w

CHAPTER = "STYLEREF 1"  # the heading of level 1 in whose chapter a page is, whatever Word's language
PAGE, PAGES = "PAGE", "NUMPAGES"
_CONTENTS = r'TOC \o "1-2" \h \z \u'


def field(instruction: str, *shown: Element) -> list[Element]:
    """The runs of a field; `shown` stands until Word computes it."""
    return [*_opened(instruction), *shown, _mark("end")]


def numbered(label: str, kind: str) -> list[Element]:
    """`Table 4.12` or `Figure 2` with its last number as a field that counts; the first of a chapter counts
    anew."""
    cut = max(label.rfind("."), label.rfind(" ")) + 1
    start, number = label[:cut], label[cut:]
    anew = r" \r 1" if number == "1" else ""
    return [run(start), *field(rf"SEQ {kind} \* ARABIC{anew}", run(number))]


def contents(title: str, entries: Iterable[tuple[str, Element]], heading: str) -> Element:
    """The table of contents in the frame by which Word offers to renew it; `entries` are pairs of a style and
    a link. Page numbers come with the renewal: only a program that lays out pages knows them."""
    rows = [paragraph(style, [link]) for style, link in entries] or [paragraph(heading, [])]
    for position, mark in enumerate(_opened(_CONTENTS), 1):
        rows[0].insert(position, mark)
    rows[-1].append(_mark("end"))
    head = paragraph(heading, [run(title)], w("pageBreakBefore"))
    gallery = w("docPartObj", w("docPartGallery", val="Table of Contents"), w("docPartUnique"))
    return w("sdt", w("sdtPr", gallery), w("sdtContent", head, *rows))


def _opened(instruction: str) -> list[Element]:
    written = w("r", *pieces(instruction, "instrText"))
    return [_mark("begin"), written, _mark("separate")]


def _mark(kind: str) -> Element:
    return w("r", w("fldChar", fldCharType=kind))
