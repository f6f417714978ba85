"""Tables for Word: a header row that repeats, rows that stay whole, widths as in the PDF, and words for
readers who listen."""

from ragassay.report.blocks import Inlines, Table
from ragassay.report.column_widths import TALL, WIDE, Fit, has_short_cells, is_card
from ragassay.report.docx.markup import Element, paragraph, w
from ragassay.report.docx.text_runs import Words
from ragassay.show import clean

SIDES = {"l": "left", "r": "right", "c": "center"}
CELLS = ((8.6, "Report Cell"), (7.8, "Report Cell Small"), (0.0, "Report Cell Tiny"))  # from which size on


def table(item: Table, fit: Fit, room: int, words: Words) -> Element:
    """The table as set by `fit` into `room` twentieths of a point."""
    points = WIDE if fit.is_turned else TALL
    widths = [round(width * room / points) for width in fit.widths]
    sides = [*item.align, *"l" * len(widths)]
    letters = words.style(next(name for size, name in CELLS if fit.size >= size))
    heads = [item.columns] if item.columns else []
    rows = [*heads, *item.rows]
    kept = len(rows) - 1 if is_card(item) else len(heads)  # rows that stay with the next one
    is_short = has_short_cells(item)

    def cell(place: int, content: Inlines, is_kept: bool) -> Element:
        marks = [w("b")] if place == 0 and not item.columns else []
        stays = [w("keepNext")] if is_kept else []
        shown = paragraph(letters, words.runs(content, *marks), *stays, w("jc", val=SIDES[sides[place]]))
        return w("tc", w("tcPr", w("tcW", w=widths[place], type="dxa")), shown)

    made = []
    for number, row in enumerate(rows):
        is_head = number < len(heads)
        is_whole = is_head or is_short
        behaviour = w("trPr", w("cantSplit") if is_whole else None, w("tblHeader") if is_head else None)
        filled = [*row, *[()] * len(widths)][: len(widths)]
        cells = [cell(place, content, number < kept) for place, content in enumerate(filled)]
        made.append(w("tr", behaviour, *cells))
    grid = w("tblGrid", *(w("gridCol", w=width) for width in widths))
    return w("tbl", _properties(item, sum(widths), words), grid, *made)


def _properties(item: Table, width: int, words: Words) -> Element:
    look = 0x0620 if item.columns else 0x0600  # no bands; the first row may be the head
    return w(
        "tblPr",
        w("tblStyle", val=words.style("Report Table")),
        w("tblW", w=width, type="dxa"),
        w("tblLayout", type="fixed"),
        w("tblLook", val=f"{look:04X}"),
        w("tblCaption", val=clean(item.caption or "Details")),
    )
