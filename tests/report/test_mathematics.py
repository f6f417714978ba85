"""Formulas: one reading, two writings; typst accepts what we write, and nothing in TeX can act."""

import pytest

from ragassay.errors import InputError
from ragassay.report import mathematics, pdf
from ragassay.report.blocks import Chapter, Document, Paragraph, words
from ragassay.report.templates import read_rows

FORMULAS = [row["tex"] for row in read_rows("methods") if row["tex"]] + [
    r"x_i^2 + \sqrt[3]{y}",
    r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
    r"\binom{n}{k}",
    r"\operatorname{argmin}_i g_i",
    r"\bar{x} \pm \tilde{y}",
    r"\text{a " + '"' + r" b}",
    r"\underset{x}{\max} \; y",
    r"\mathcal{L} \leq \mathbb{E}[x] \to \infty",
    r"\overline{ab}",
    r"a \# b \$ c \_ d",
]


def test_mathml_is_inert_and_labelled_and_typst_compiles_all_of_them():
    for tex in FORMULAS:
        written = mathematics.mathml(tex, True)
        assert written.startswith("<math") and "aria-label=" in written
        assert "http" not in written and "style=" not in written
    chapter = Chapter("1", "Formulas", "one", [Paragraph(words(tex, kind="display")) for tex in FORMULAS])
    assert pdf.render(Document("Formulas", "x", "2026-01-01", [], "", [chapter])).startswith(b"%PDF")


@pytest.mark.parametrize(
    "tex", [r"\frac{1", r"\begin{cases} 1", r"\left( x", r"\frac{}", r"x \nosuchcommand y"]
)
def test_refuses_what_it_cannot_read(tex):
    with pytest.raises(InputError, match="formula"):
        mathematics.mathml(tex)
