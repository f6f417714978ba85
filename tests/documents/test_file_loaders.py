"""Each format's text: what a reader sees, in order, and nothing of its syntax."""

from document_files import docx

from ragassay.documents import load


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
