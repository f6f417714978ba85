"""Text and formulas in print: places to break, only characters that the fonts hold; typst accepts what we write."""

import pytest

from ragassay.report import exporter, printed_text
from ragassay.report.blocks import Chapter, Document, Paragraph, words
from ragassay.report.decision_words import read_rows
from ragassay.report.printed_text import breakable, printable, unprinted_scripts


@pytest.fixture(autouse=True)
def no_fonts_of_the_machine(monkeypatch):
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", list)
    printed_text._font_characters.cache_clear()
    printed_text._is_held.cache_clear()


def test_long_words_get_places_to_break():
    assert breakable("W" * 60, 26) == "\u200b".join(["W" * 26, "W" * 26, "W" * 8])
    assert breakable("a_b" + "c" * 30, 26).startswith("a_\u200bb")
    assert breakable("number_of_cases", 26) == "number_of_cases"
    assert breakable("number_of_cases", 8) == "number_\u200bof_\u200bcases"


@pytest.mark.parametrize(
    "text, shown", [("中", "⟨U+4E2D⟩"), ("␀", "⟨U+0000⟩"), ("\ue000", "⟨U+E000⟩"), ("é≥—", "é≥—")]
)
def test_what_the_fonts_lack_is_spelled_out(text, shown):
    assert printable(text) == shown


def test_scripts_without_a_font_are_counted_by_letters():
    assert unprinted_scripts("张伟, ค่าa 😀") == {"CJK": 2, "THAI": 2}
    assert unprinted_scripts("Zoë, عمر") == {}


FORMULAS = [row["tex"] for row in read_rows("methods") if row["tex"]] + [
    r"x_i^2 + \sqrt[3]{y}",
    r"p \le q \ge \tfrac{1}{2} \Big( x \Big)",
    r"\binom{n}{k}",
    r"\operatorname{argmin}_i g_i",
    r"\bar{x} \pm \tilde{y}",
    r"\text{a " + '"' + r" b}",
    r"\underset{x}{\max} \; y",
    r"\mathcal{L} \leq \mathbb{E}[x] \to \infty",
    r"\overline{ab}",
    r"a \# b \$ c \_ d",
]


def test_mathml_is_inert_and_labelled_and_the_pdf_draws_all_of_them():
    for tex in FORMULAS:
        written = printed_text.mathml(tex, True)
        assert written.startswith("<math") and "aria-label=" in written
        assert "http" not in written and " style=" not in written
    chapter = Chapter("1", "Formulas", "one", [Paragraph(words(tex, kind="display")) for tex in FORMULAS])
    assert exporter.pdf(Document("Formulas", "x", "2026-01-01", [], "", [chapter])).startswith(b"%PDF")


@pytest.mark.parametrize(
    "tex", [r"\frac{1", r"\begin{cases} 1", r"\left( x", r"\frac{}", r"x \nosuchcommand y"]
)
def test_what_cannot_be_read_is_no_formula(tex):
    assert printed_text.mathml(tex) == ""
