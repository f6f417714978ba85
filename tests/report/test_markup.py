"""Markdown to blocks: what it knows; what it does not know stays letters."""

import pytest

from ragassay.report import markup
from ragassay.report.blocks import Callout, Listing, Paragraph, Span, Table, Verbatim, plain, words
from ragassay.report.decision_words import literal


def only(text):
    """The one block of a text."""
    (block,) = markup.markdown_blocks(text)
    return block


def test_words():
    spans = [Span("a "), Span("b", bold=True), Span(" "), Span("c", italic=True), Span(" ")]
    spans += [Span("d", "code"), Span(" "), Span("x^2", "formula"), Span("\ne f")]
    assert only("a **b** *c* `d` $x^2$  \ne\nf") == Paragraph(tuple(spans))


def test_blocks_by_kind():
    text = "- a\n  1. b\n\n> c\n\n```python\nd\n```\n\n$$e$$\n\n| f |\n|--:|\n| g |\n\n---\n"
    found = markup.markdown_blocks(text)
    assert [type(block) for block in found] == [Listing, Callout, Verbatim, Paragraph, Table]
    assert not found[0].ordered and found[0].items[0][1].ordered  # one list in the other


def test_tables_keep_their_sides_and_the_form_of_their_words():
    block = only("| a | b |\n|:--|--:|\n| 1 | **2** |")
    assert (block.align, block.rows) == (["l", "r"], [[words("1"), words("2", bold=True)]])


@pytest.mark.parametrize(
    "text, shown",
    [
        ("[site](https://a.b/c)", "site (https://a.b/c)"),  # an address outside is printed, not linked
        ("[up](#top)", "up"),
        ("<script>1</script>", "<script>1</script>"),
        ("a ![x](y.png)", "a ![x](y.png)"),
        (r"$\frac{1$ or $5", r"$\frac{1$ or $5"),
        ("$$\n\\frac{1\n$$", "$$\\frac{1$$"),
    ],
)
def test_what_has_no_place_is_letters(text, shown):
    assert plain(only(text).words) == shown


@pytest.mark.parametrize(
    "value",
    ["**b**", "<script>", "[a](b)", "`c`", "$x$", "# h", "- i", "| a |", "1. x", "{v0}", "&amp;", "a\\_b"],
)
def test_values_are_letters_whatever_they_hold(value):
    said = Paragraph((*words(value, bold=True), *words(f" and {value}")))
    assert only(f"**{literal(value)}** and {literal(value)}") == said
