"""Where a figure goes for which a page has no room: to the top or the foot of the next one."""

from collections.abc import Sequence

from ragassay.report.blocks import Block, Table, plain

PAGE = 3000  # letters of tables that fill a page


def side(later: Sequence[Block]) -> str:
    """`bottom` where the blocks after the figure hold tables that fill a page, which it would cut in two on
    top of it; else `top`, so that what follows the chapter does not stand above its figure."""
    tables = (item.rows for item in later if isinstance(item, Table))
    return (
        "bottom"
        if sum(len(plain(cell)) for rows in tables for row in rows for cell in row) >= PAGE
        else "top"
    )
