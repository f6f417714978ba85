"""PDF: pages become paragraphs; what a layout adds is taken away again."""

import textwrap

import pytest
from document_files import SENTENCE, pdf

from ragassay.documents import load
from ragassay.documents.file_loaders import join_lines

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
