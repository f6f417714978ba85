"""Figures as pictures that every Word shows: SVG drawn as PNG by typst, which the PDF needs anyway."""

import io
import tempfile
from pathlib import Path
from typing import Any

from ragassay.report.blocks import Figure
from ragassay.report.docx.markup import Element
from ragassay.report.typst_text import font_files
from ragassay.show import clean

DENSITY = {"svg": 220.0, "png": 110.0}  # pixels to the inch: as drawn here, as notebooks draw
EMU = 914_400  # English Metric Units to the inch


def png(figure: Figure) -> bytes:
    """The figure as PNG; empty where its picture cannot be drawn."""
    return figure.data if figure.kind == "png" else _drawn(figure.data)


def inline(part: Any, figure: Figure, data: bytes, widest: int, number: int) -> Element:
    """The picture `data` of the figure as the content of a run, no wider than `widest` EMU, with the words
    that stand for it; `number` is its own in the document."""
    _, image = part.get_or_add_image(io.BytesIO(data))
    natural = [side / DENSITY[figure.kind] * EMU for side in (image.px_width, image.px_height)]
    tallest = figure.most_height / 25.4 * EMU
    factor = min(1.0, widest / natural[0], tallest / natural[1])
    made = part.new_pic_inline(io.BytesIO(data), *(max(1, int(side * factor)) for side in natural))
    for name, value in (("id", str(number)), ("name", f"Picture {number}"), ("descr", clean(figure.alt, 0))):
        made.docPr.set(name, value)
    return made


def _drawn(svg: bytes) -> bytes:
    import typst as compiler

    with tempfile.TemporaryDirectory(prefix="ragassay-picture-") as folder:
        source = Path(folder) / "main.typ"
        (Path(folder) / "figure.svg").write_bytes(svg)
        source.write_text('#set page(width: auto, height: auto, margin: 0pt)\n#image("figure.svg")')
        try:
            made = compiler.compile(
                str(source),
                root=folder,
                font_paths=[str(font_files()[0].parent)],
                ignore_system_fonts=True,
                format="png",
                ppi=DENSITY["svg"],
            )
        except compiler.TypstError:
            return b""
    return bytes(made[0] if isinstance(made, list) else made)
