"""The exporters as nbconvert calls them; the HTML: no text acts, legible in both schemes, wide things scroll."""

import io
import re
import tomllib
from pathlib import Path

import docx
import nbformat
import pytest

from ragassay.report.blocks import Chapter, Document, Figure, Heading, Paragraph, data_table, words
from ragassay.report.exporter import TEMPLATES, AuditDOCXExporter, AuditHTMLExporter, AuditPDFExporter

STYLE = (TEMPLATES / "audit" / "audit.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--(\w+):(#\w+)", block)) for block in re.findall(r":root\{([^}]*--ink[^}]*)\}", STYLE)
)


def page(*blocks):
    chapter = Chapter("4", "Calibration", "chapter-a", list(blocks))
    return AuditHTMLExporter().written(Document("Title", "tide", "2026-11-20", [], "", [chapter]))


def test_one_notebook_as_html(run_dir):
    html, resources = AuditHTMLExporter().from_filename(str(run_dir / "notebooks" / "04_calibration.ipynb"))
    assert "<h1>Calibration — can we believe the scores?</h1>" in html
    assert "<math" in html and "<script" not in html
    assert resources["output_extension"] == ".html"


@pytest.mark.parametrize("exporter", [AuditHTMLExporter, AuditPDFExporter, AuditDOCXExporter])
def test_an_empty_notebook_is_a_document_too(exporter):
    assert exporter().from_notebook_node(nbformat.v4.new_notebook())[0]


def test_one_notebook_as_word(run_dir):
    path = run_dir / "notebooks" / "04_calibration.ipynb"
    data, resources = AuditDOCXExporter().from_filename(str(path))
    made = docx.Document(io.BytesIO(data))
    assert resources["output_extension"] == ".docx"
    assert "4.1 Reliability" in [each.text for each in made.paragraphs if each.style.name == "Heading 2"]


def test_all_three_are_registered_with_nbconvert():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    entries = project["project"]["entry-points"]["nbconvert.exporters"]
    named = {name: entry.rpartition(":")[2] for name, entry in entries.items()}
    assert named == {
        "ragassay-html": "AuditHTMLExporter",
        "ragassay-pdf": "AuditPDFExporter",
        "ragassay-docx": "AuditDOCXExporter",
    }


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Of WCAG 2, in [1, 21]."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    "letters, ground",
    [(name, ground) for name in ("ink", "soft", "accent") for ground in ("paper", "faint")]
    + [(tone, f"{tone}fill") for tone in ("good", "open", "bad", "calm")]
    + [("ink", f"{tone}fill") for tone in ("good", "open", "bad", "calm")],
)
def test_every_colour_of_letters_can_be_read_on_its_ground(scheme, letters, ground):
    assert contrast(scheme[letters], scheme[ground]) >= 4.5


def test_wide_things_scroll_by_themselves_and_can_be_reached_by_keys():
    picture = Figure("svg", b"<svg/>", "What it shows.", "A picture", label="Figure 4.1")
    made = page(data_table("Wide", ["a"], [["1"]]), picture)
    assert re.search(r'<div class="table"[^>]*aria-label="Wide" tabindex="0">', made)
    assert '<div class="picture" role="group" aria-label="Figure 4.1" tabindex="0"><img ' in made


def test_an_attached_file_is_linked_by_its_path_alone():
    made = page(Paragraph(words("a", kind="file", target='attachments/a "b".csv')))
    assert 'href="attachments/a%20%22b%22.csv"' in made


@pytest.mark.parametrize(
    "text", ["</title><script>alert(1)</script>", "{{ 7*7 }}", '" onload="x', "\u202egnp"]
)
def test_no_text_of_the_frame_acts(text):
    chapter = Chapter(text, text, "a", [Heading(2, words(text), "b")])
    made = AuditHTMLExporter().written(
        Document(text, text, "2026-11-20", [(text, text)], text, [chapter], subtitle=text, marks=[text])
    )
    assert "<script" not in made and ">49<" not in made and "\u202e" not in made
    assert not re.search(r'<[^<>]*" onload="', made)
