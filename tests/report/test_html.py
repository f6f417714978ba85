"""The HTML: no script, legible in both schemes, contents that keep the place."""

import re

import pytest

from ragassay.report.blocks import (
    Chapter,
    Document,
    Figure,
    File,
    Heading,
    Paragraph,
    Table,
    data_table,
    words,
)
from ragassay.report.exporter import TEMPLATES, AuditHTMLExporter

STYLE = (TEMPLATES / "audit" / "audit.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--(\w+):(#\w+)", block)) for block in re.findall(r":root\{([^}]*--ink[^}]*)\}", STYLE)
)


def page(*blocks, **others):
    chapter = Chapter(
        "4", "Calibration", "chapter-a", [Heading(2, words("A result"), "chapter-a-1"), *blocks]
    )
    made = Document("Title", "tide", "2026-11-20", [("Model", "Tide")], "Not fit", [chapter], **others)
    return AuditHTMLExporter().from_document(made)


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
    made = page(
        Paragraph((File('attachments/a "b".csv'),)), Table("", [], [[(File("attachments/c.csv"),)]], ["l"])
    )
    assert 'href="attachments/a%20%22b%22.csv"' in made and 'href="attachments/c.csv"' in made


@pytest.mark.parametrize(
    "text", ["</title><script>alert(1)</script>", "{{ 7*7 }}", '" onload="x', "\u202egnp"]
)
def test_no_text_of_the_frame_acts(text):
    chapter = Chapter(text, text, "a", [Heading(2, words(text), "b")])
    made = AuditHTMLExporter().from_document(
        Document(text, text, "2026-11-20", [(text, text)], text, [chapter], subtitle=text, version=text)
    )
    assert "<script" not in made and ">49<" not in made and "\u202e" not in made
    assert not re.search(r'<[^<>]*" onload="', made)
