"""How full the pages of a PDF are: `python -m report.page_fill FILE` prints the share of each page."""

import sys
from pathlib import Path

import numpy as np

TOP, BOTTOM = 22 / 297, 278.5 / 297  # of the text on an A4 page, header and footer apart


def fills(content: bytes) -> list[float]:
    """How far down its text area each page is printed, in [0, 1]; 1 is to the last line."""
    import pypdfium2

    return [_fill(page) for page in pypdfium2.PdfDocument(content)]


def _fill(page) -> float:
    ink = np.asarray(page.render(scale=0.5, grayscale=True).to_pil()) < 250
    top, bottom = (round(share * len(ink)) for share in (TOP, BOTTOM))
    rows = np.flatnonzero(ink[top:bottom].any(axis=1))
    return float(rows[-1] + 1) / (bottom - top) if len(rows) else 0.0


if __name__ == "__main__":
    shares = fills(Path(sys.argv[1]).read_bytes())
    print(len(shares), "pages:", *(f"{page} {share:.0%}" for page, share in enumerate(shares, 1)))
