"""Files to read: each maker writes one, small and whole or flawed in one way."""

from pathlib import Path

SENTENCE = "The committee reviews the overdraft policy every year and reports what it found to the board of the bank. "


def pdf(path: Path, pages: list[list[str]], *, header: str = "", title: str = "") -> Path:
    """A PDF with one string per line, 14 points apart; a string that starts with `# ` is set large and bold."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), invariant=True)
    canvas.setTitle(title)
    for number, lines in enumerate(pages, start=1):
        if header:
            canvas.drawString(72, 800, header)
            canvas.drawString(290, 30, f"Page {number} of {len(pages)}")
        y = 760
        for line in lines:
            canvas.setFont(
                "Helvetica-Bold" if line.startswith("# ") else "Helvetica",
                16 if line.startswith("# ") else 11,
            )
            for x, cell in zip((72, 220, 370), line.removeprefix("# ").split("|"), strict=False):
                canvas.drawString(x, y, cell)
            y -= 14 if line else 10
        canvas.showPage()
    canvas.save()
    return path


def docx(path: Path) -> Path:
    """A Word file: title, paragraph, table, list, paragraph, in this order."""
    import docx as python_docx

    document = python_docx.Document()
    document.add_heading("Card fees", 1)
    document.add_paragraph("Fees are charged monthly.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [c for row in table.rows for c in row.cells], ["Card", "Fee", "Tide", "$5.00"], strict=True
    ):
        cell.text = text
    document.add_paragraph("Call us.", style="List Bullet")
    document.add_paragraph("Write to us.", style="List Bullet")
    document.add_paragraph("That is all.")
    document.save(str(path))
    return path
