"""Each format's text: what a reader sees, in order, and nothing of its syntax."""

import textwrap

import pytest
from document_files import SENTENCE, docx, pdf

from ragassay.documents import load
from ragassay.documents.file_loaders import Line, blocks_of, join_lines


def text_of(folder, name, content):
    """The text and the heading lines of one document."""
    (folder / name).write_text(content, encoding="utf-8")
    row = load(folder)[0].iloc[0]
    lines = row["text"].split("\n")
    return row["text"], [lines[i] for i in row["headings"]]


def test_markdown_keeps_words_and_drops_syntax(folder):
    text, headings = text_of(
        folder,
        "x.md",
        "---\nowner: me\n---\n# Fees & *rates*\n\nA **bold** [link](http://x.y) and `code`.\nSame paragraph.\n\n"
        "1. Call us.\n2. Sign.\n   - Bring an ID.\n\n| Card | Fee |\n|---|---|\n| Tide | $5 |\n\n"
        "## Limits\n\n> Quoted <b>text</b>.\n\n<script>alert(1)</script>\n",
    )
    assert headings == ["Fees & rates", "Limits"]
    assert text == (
        "Fees & rates\n\nA bold link and code. Same paragraph.\n\n1. Call us.\n2. Sign.\n- Bring an ID.\n\n"
        "Card | Fee\nTide | $5\n\nLimits\n\nQuoted text."
    )


def test_html_drops_what_is_not_read(folder):
    text, headings = text_of(
        folder,
        "x.html",
        "<html><head><title>T</title><style>p{}</style></head><body><nav><a>Home</a></nav><h1>Fees</h1>loose <i>words</i> here"
        "<div><p>One<br>two.</p><ul><li>first</li><li>second<ul><li>inner</li></ul></li></ul></div><!-- hidden -->"
        "<p hidden>not shown</p><p style='display:none'>nor this</p><b style='color:red; display: none'>nor that</b><table><tr><th>A<td>B</tr></table><script>x</script></body></html>",
    )
    assert headings == ["Fees"]
    assert text == "Fees\n\nloose words here\n\nOne\ntwo.\n\n- first\n- second\n- inner\n\nA | B"


def test_docx_in_document_order(folder):
    docx(folder / "x.docx")
    row = load(folder)[0].iloc[0]
    assert (
        row["text"]
        == "Card fees\n\nFees are charged monthly.\n\nCard | Fee\nTide | $5.00\n\n- Call us.\n- Write to us.\n\nThat is all."
    )
    assert row["headings"] == [0]


def test_plain_text_is_unwrapped_and_its_titles_found(folder):
    text, headings = text_of(
        folder,
        "x.txt",
        "ALDER QUAY BANK\nHOURS\nValid from 1 September.\n\nClosing an account\n\nThe account is closed when the balance has been zero for\n"
        "twelve months and no standing order is left on it. We\nwrite to you first.\n\nPort Alder\n  Monday 9:00-17:00.\n  Friday closed.\n",
    )
    assert headings == ["ALDER QUAY BANK", "HOURS", "Closing an account"]
    assert "zero for twelve months and no standing order is left on it. We write to you first." in text
    assert "Port Alder\nMonday 9:00-17:00.\nFriday closed." in text
    assert load(folder)[0].loc[0, "title"] == "ALDER QUAY BANK: HOURS"


WRAPPED = textwrap.wrap(SENTENCE, 60)


def read(folder, pages, **how):
    """Text and headings of a PDF made of these lines."""
    pdf(folder / "x.pdf", pages, **how)
    row = load(folder)[0].iloc[0]
    lines = row["text"].split("\n")
    return row["text"], [lines[i] for i in row["headings"]], row["title"]


def test_lines_are_joined_and_paragraphs_kept(folder):
    text, _, _ = read(folder, [[*WRAPPED, "", "", "A second paragraph stands alone."]])
    assert text == f"{SENTENCE.strip()}\n\nA second paragraph stands alone."


def test_running_headers_and_page_numbers_go(folder):
    pages = [
        [
            f"Rule {n} concerns the overdraft of account number {n}.",
            "",
            "",
            f"It was written in the year 20{n}0.",
        ]
        for n in range(1, 7)
    ]
    text, _, title = read(folder, pages, header="Alder Quay Bank, internal", title="Rules of the Bank")
    assert "internal" not in text
    assert "Page" not in text
    assert all(f"account number {n}." in text for n in range(1, 7))
    assert title == "Rules of the Bank"


def test_headings_are_told_by_size(folder):
    _, headings, title = read(folder, [["# Overdraft fees", "", SENTENCE, "", "# Limits", "", SENTENCE]])
    assert headings == ["Overdraft fees", "Limits"]
    assert title == "Overdraft fees"


@pytest.mark.parametrize(
    "lines, known, whole",
    [
        (["over-", "draft"], "overdraft", "overdraft"),
        (["consumer protection-", "related laws"], "protection related", "consumer protection-related laws"),
        (["the period 2019-", "2021 ended"], "", "the period 2019- 2021 ended"),
        (["super-", "vision"], "", "supervision"),
    ],
)
def test_hyphens_at_line_ends(lines, known, whole):
    assert join_lines(lines, set(known.split())) == whole


def test_the_halves_of_a_broken_word_are_no_words_that_are_known():
    lines = ["The fee is waived for stu-", "dents with a protection plan and protection-", "related ones."]
    (block,) = blocks_of([[Line(text, 0, 50.0, 300.0, 700.0 - 12 * i, 10.0) for i, text in enumerate(lines)]])
    assert block.text == "The fee is waived for students with a protection plan and protection-related ones."
