"""Tables for Word: a header row that repeats, rows that stay whole, widths as in the PDF, and words for
readers who listen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from ragassay.report.blocks import Inlines, Table
from ragassay.report.column_widths import TALL, WIDE, Fit, has_short_cells, is_card
from ragassay.report.docx.markup import Element, paragraph, w
from ragassay.show import clean

SIDES = {"l": "left", "r": "right", "c": "center"}
MOST_COLUMNS = 60  # Word takes 63
CELLS = ((8.6, "Report Cell"), (7.8, "Report Cell Small"), (0.0, "Report Cell Tiny"))  # from which size on


@dataclass(frozen=True)
class TableWriter:
    """Writes one table as set by `fit` into `room` twentieths of a point; `runs` writes the words of a cell,
    `style` gives the id of a style's name."""

    item: Table
    fit: Fit
    room: int
    runs: Callable[..., list[Element]]
    style: Callable[[str], str]

    def table(self) -> Element:
        """The whole table."""
        heads = [self.item.columns] if self.item.columns else []
        rows = [*heads, *self.item.rows]
        kept = len(rows) - 1 if is_card(self.item) else len(heads)  # rows that stay with the next one
        made = [self._row(cells, place < len(heads), place < kept) for place, cells in enumerate(rows)]
        grid = w("tblGrid", *(w("gridCol", w=width) for width in self.widths))
        return w("tbl", self._properties(), grid, *made)

    @cached_property
    def widths(self) -> list[int]:
        """Of each column, in twentieths of a point."""
        points = WIDE if self.fit.is_turned else TALL
        return [round(width * self.room / points) for width in self.fit.widths]

    @cached_property
    def has_short_cells(self) -> bool:
        """Whether every row is sure to fit a page."""
        return has_short_cells(self.item)

    def _properties(self) -> Element:
        named = self.item.caption or "Details"
        look = 0x0620 if self.item.columns else 0x0600  # no bands; the first row may be the head
        return w(
            "tblPr",
            w("tblStyle", val=self.style("Report Table")),
            w("tblW", w=sum(self.widths), type="dxa"),
            w("tblLayout", type="fixed"),
            w("tblLook", val=f"{look:04X}"),
            w("tblCaption", val=clean(named)),
        )

    def _row(self, cells: list[Inlines], is_head: bool, is_kept: bool) -> Element:
        is_whole = is_head or self.has_short_cells
        behaviour = w("trPr", w("cantSplit") if is_whole else None, w("tblHeader") if is_head else None)
        sides = [*self.item.align, *"l" * len(self.fit.widths)]
        filled = [*cells, *[()] * len(self.widths)]
        columns = enumerate(zip(self.widths, filled, sides, strict=False))
        made = [
            self._cell(width, words, side, is_kept, is_name=place == 0 and not self.item.columns)
            for place, (width, words, side) in columns
        ]
        return w("tr", behaviour, *made)

    def _cell(self, width: int, words: Inlines, side: str, is_kept: bool, is_name: bool) -> Element:
        kept = [w("keepNext")] if is_kept else []
        shown = paragraph(
            self._letters(), self.runs(words, *([w("b")] if is_name else [])), *kept, w("jc", val=SIDES[side])
        )
        return w("tc", w("tcPr", w("tcW", w=width, type="dxa")), shown)

    def _letters(self) -> str:
        return self.style(next(name for size, name in CELLS if self.fit.size >= size))


def split(item: Table) -> list[Table]:
    """The table in parts of as many columns as Word allows; usually one, the table itself."""
    width = max(map(len, [item.columns, *item.rows]), default=0)
    if width <= MOST_COLUMNS:
        return [item]
    cuts = [slice(start, start + MOST_COLUMNS) for start in range(0, width, MOST_COLUMNS)]
    parts = [
        replace(
            item,
            columns=item.columns[cut],
            rows=[row[cut] for row in item.rows],
            align=[*item.align, *"l" * width][cut],
            widths=None,
            anchor="",
            label="",
            caption=f"{item.caption}, columns {cut.start + 1} to {min(cut.stop, width)}",
        )
        for cut in cuts
    ]
    return [replace(parts[0], anchor=item.anchor, label=item.label), *parts[1:]]
