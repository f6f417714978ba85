"""Markdown to blocks: what it knows, and the refusal of what it does not."""

import pytest

from ragassay.errors import InputError
from ragassay.report import markdown
from ragassay.report.blocks import (
    Break,
    Code,
    Display,
    Emphasis,
    Formula,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
    Verbatim,
    plain,
)
from ragassay.report.templates import literal


def only(text):
    """The one block of a text."""
    (block,) = markdown.blocks(text, "here")
    return block


def test_words():
    assert only("a **b** *c* `d` $x^2$  \ne\nf") == Paragraph(
        (
            Text("a "),
            Strong((Text("b"),)),
            Text(" "),
            Emphasis((Text("c"),)),
            Text(" "),
            Code("d"),
            Text(" "),
            Formula("x^2"),
            Break(),
            Text("e f"),
        )
    )


def test_blocks_by_kind():
    kinds = [
        type(block)
        for block in markdown.blocks(
            "- a\n  1. b\n\n> c\n\n```python\nd\n```\n\n$$e$$\n\n| f |\n|--:|\n| g |\n\n---\n", "here"
        )
    ]
    assert kinds == [Listing, Quote, Verbatim, Display, Table]


def test_lists_nest():
    block = only("- a\n- b\n  1. c")
    assert isinstance(block, Listing) and not block.ordered
    assert isinstance(block.items[1][1], Listing) and block.items[1][1].ordered


def test_tables_keep_their_sides_and_the_form_of_their_words():
    block = only("| a | b |\n|:--|--:|\n| 1 | **2** |")
    assert (block.align, block.rows) == (["l", "r"], [[(Text("1"),), (Strong((Text("2"),)),)]])


@pytest.mark.parametrize(
    "text, shown",
    [
        ("[site](https://a.b/c)", "site (https://a.b/c)"),
        ("<https://a.b>", "https://a.b"),
        ("[up](#top)", "up"),
    ],
)
def test_addresses_outside_are_printed_not_linked(text, shown):
    assert plain(only(text).words) == shown


@pytest.mark.parametrize(
    "text", ["<b>x</b>", "<div>x</div>", "![x](y.png)", "a ![x](y.png)", "[x](y)\n\n<script>1</script>"]
)
def test_what_has_no_place_is_refused_by_name_and_place(text):
    with pytest.raises(InputError, match="cell 3") as caught:
        markdown.blocks(text, "04_calibration, cell 3")
    assert caught.value.expected


def test_bad_tex_is_refused_with_its_place():
    with pytest.raises(InputError, match="cell 3"):
        markdown.blocks(r"$\frac{1$", "04_calibration, cell 3")


@pytest.mark.parametrize(
    "value",
    ["**b**", "<script>", "[a](b)", "`c`", "$x$", "# h", "- i", "| a |", "1. x", "{v0}", "&amp;", "a\\_b"],
)
def test_values_are_letters_whatever_they_hold(value):
    (block,) = markdown.literal(f"**{literal(value)}** and {literal(value)}", "here")
    assert block == Paragraph((Strong((Text(value),)), Text(f" and {value}")))
