"""How long a report is, against its readers' time; of another run: python tests/report/test_report_sizes.py FOLDER"""

import io
import json
import re
import sys
from pathlib import Path

from ragassay import report
from ragassay.report.blocks import Chapter, Document, Figure, Heading, Table, find_parts, letters

BOUNDS = {  # name -> (smallest, largest)
    "pages": (1, 25),
    "pages of annexes": (0, 12),
    "words": (0, 11_000),
    "figures": (12, 99),
    "words of the summary": (0, 350),
    "findings in full": (0, 10),
    "attached files": (0, 40),
}
STORED = Path(__file__).parents[2] / "bench" / "report_size.json"
_WORD = re.compile(r"\S*\w\S*")
_CARD = re.compile(r"F\d+ · ")


def sizes(document: Document, pdf: bytes) -> dict[str, int]:
    """What BOUNDS names: pages and figures before the annexes, the words of what stands there, and so on."""
    from pypdfium2 import PdfDocument

    main = [part for part in document.chapters if part.part != "annex"]
    file = PdfDocument(io.BytesIO(pdf))
    annexes = (mark for mark in file.get_toc() if mark.get_title().startswith("Annex "))
    first = min((mark.get_dest().get_index() for mark in annexes), default=len(file))
    shown = [type(item) for part in main for item in find_parts(part.blocks, Table | Figure)]
    headings = [block for part in main for block in part.blocks if isinstance(block, Heading)]
    return {
        "pages": first,
        "pages of annexes": len(file) - first,
        "words": sum(map(_words, main)),
        "figures": shown.count(Figure),
        "tables": shown.count(Table),
        "words of the summary": sum(_words(part) for part in main if part.anchor == "summary"),
        "findings in full": sum(bool(_CARD.match(letters(heading.words))) for heading in headings),
        "attached files": len(document.attachments),
    }


def _words(part: Chapter) -> int:
    """The words that a reader reads."""
    return len(_WORD.findall(f"{part.title} {letters(part.blocks)}"))


def test_the_examples_report_is_within_its_bounds():
    found = json.loads(STORED.read_text())
    assert not [name for name, (low, high) in BOUNDS.items() if not low <= found[name] <= high]


def test_pages_words_and_figures_are_counted(built, run_dir):
    found = sizes(report.assemble(run_dir), built["pdf"].read_bytes())
    assert set(BOUNDS) <= set(found)
    assert found["figures"] == 1 and found["pages"] > 5 and found["pages of annexes"] > 1
    assert 10 < found["words of the summary"] < found["words"]


if __name__ == "__main__":
    pdf = (Path(sys.argv[1]) / f"{report.NAME}.pdf").read_bytes()
    print(json.dumps(sizes(report.assemble(sys.argv[1]), pdf), indent=1))
