"""The Word file: Word's own headings, lists, tables and contents; no text acts; a bank's template gives the look."""

import io
import re
import zipfile

import docx as python_docx
import pytest
from lxml import etree
from small_run import HOSTILE

from ragassay.errors import InputError
from ragassay.report import docx
from ragassay.report.blocks import (
    Callout,
    Chapter,
    Document,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Table,
    Verbatim,
    bullets,
    paragraph,
    words,
)

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c63f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40"/></svg>'


def report(*blocks, cover=(("Model", "Tide"),)):
    chapter = Chapter("4", "Calibration", "chapter-a", list(blocks))
    return Document("Title", "tide", "2026-11-20", list(cover), "Not fit", [chapter], authors=["A"])


def part(data, name="word/document.xml"):
    return etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read(name))


def made(*blocks, **others):
    return part(docx.render(report(*blocks, **others)))


def text_of(root):
    pieces = {f"{W}t": None, f"{W}br": "\n", f"{W}tab": "\t", f"{W}p": "\n"}
    return "".join(pieces[each.tag] or each.text or "" for each in root.iter(*pieces))


def paragraphs(root, style):
    found = root.iter(f"{W}p")
    return [each for each in found if each.find(f"{W}pPr/{W}pStyle").get(f"{W}val") == style]


def a_table(rows=3, **others):
    columns, cells = [words("metric"), words("value")], [[words("a"), words("0.5")]] * rows
    return Table(columns=columns, rows=cells, align=["l", "r"], **({"caption": ""} | others))


EVERYTHING = [
    Heading(2, words("A result"), "chapter-a-1"),
    Heading(3, words("Deeper")),
    paragraph("Plain words."),
    bullets(["first", "second"]),
    Listing([[paragraph("one"), bullets(["inside"])], [paragraph("two")]], ordered=True),
    Callout("calm", "", [paragraph("Quoted policy.")]),
    Verbatim("x = 1\n\ty = 2", "Printed"),
    Paragraph(words(r"\hat{q} = \frac{a}{b}", kind="display")),
    Callout("calm", "Limit", [paragraph("A boxed limit.")]),
    a_table(caption="A table", label="Table 4.1", note="A note."),
    Figure("svg", SVG, "What it shows.", "A picture", label="Figure 4.1"),
    Figure("png", PNG, "Another.", ""),
]


@pytest.fixture(scope="module")
def data():
    return docx.render(report(*EVERYTHING))


@pytest.fixture(scope="module")
def root(data):
    return part(data)


def test_every_kind_of_block_has_its_words(root):
    said = ("second", "inside", "Quoted policy.", "x = 1\n\ty = 2", "Not fit", "A note.")
    assert [words for words in said if words not in text_of(root)] == []
    captions = [text_of(each).strip() for each in paragraphs(root, "Caption")]
    assert captions == ["Table 4.1  A table", "Figure 4.1  A picture"]


def test_the_header_row_of_a_table_repeats_and_rows_stay_whole(root):
    table = next(each for each in root.iter(f"{W}tbl") if "metric" in text_of(each))
    rows = table.findall(f"{W}tr")
    assert [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows] == [True, False, False, False]
    assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
    assert table.find(f"{W}tblPr/{W}tblCaption").get(f"{W}val") == "A table"


def test_a_table_too_wide_for_an_upright_page_has_a_turned_one():
    cells = [[words(f"0.{at:04} [0.1234, 0.5678]") for at in range(6)]] * 2
    wide = Table("Wide", [words(f"c{at}") for at in range(6)], cells, ["r"] * 6)
    file = python_docx.Document(io.BytesIO(docx.render(report(paragraph("a"), wide, a_table()))))
    sides = [(each.page_width > each.page_height) for each in file.sections]
    assert sides == [False, True, False]
    assert [each.different_first_page_header_footer for each in file.sections] == [True, False, False]
    assert {each.header.paragraphs[0].text for each in file.sections} == {"Title\t"}


def test_figures_and_formulas_are_pictures_with_words_that_stand_for_them(data, root):
    described = [each.get("descr") for each in root.iter() if each.tag.endswith("}docPr")]
    assert described == [r"\hat{q} = \frac{a}{b}", "What it shows.", "Another."]
    media = [name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if "media/" in name]
    assert len(media) == 3 and all(name.endswith(".png") for name in media)
    torn = text_of(made(Figure("svg", b"<svg><torn", "What it showed.", "A picture")))
    assert "A figure that cannot be drawn" in torn and "What it showed." in torn


def test_contents_are_a_field_whose_entries_lead_to_the_headings(root):
    frame = root.find(f".//{W}sdt")
    assert [text_of(each) for each in frame.iter(f"{W}hyperlink")] == ["4 · Calibration", "A result"]
    marks = [each.get(f"{W}fldCharType") for each in frame.iter(f"{W}fldChar")]
    assert marks == ["begin", "separate", "end"]
    names = [each.get(f"{W}name") for each in root.iter(f"{W}bookmarkStart")]
    assert {each.get(f"{W}anchor") for each in root.iter(f"{W}hyperlink")} <= set(names)
    assert len(names) == len(set(names)) and all(re.fullmatch(r"_\w{0,39}", name, re.ASCII) for name in names)


@pytest.mark.parametrize("text", [text for text in HOSTILE if not set("\x00\u202e") & set(text)])
def test_hostile_text_is_letters(text):
    blocks = [Heading(2, words(text), "x"), a_table(1, caption=text, note=text), Verbatim(text, text)]
    blocks += [Callout("calm", text, [paragraph(text)]), Figure("svg", SVG, text, text)]
    data = docx.render(report(*blocks))
    root = part(data)
    assert text_of(root).count(text) == 9  # the heading in the contents too
    assert len(list(root.iter(f"{W}instrText"))) == 1 and not list(root.iter(f"{W}fldSimple"))
    assert [each.get("descr") for each in root.iter() if each.tag.endswith("}docPr")] == [text]
    python_docx.Document(io.BytesIO(data))


def template(path, change=lambda file: None):
    file = python_docx.Document()
    file.add_paragraph("Words of the template.")
    change(file)
    file.save(path / "bank.docx")
    return path / "bank.docx"


def test_a_template_gives_its_styles_and_page_and_not_its_words(tmp_path):
    def bank(file):
        file.styles["Heading 1"].font.name = "Bank Sans"
        file.styles["Heading 2"].element.set(f"{W}styleId", "berschrift2")  # Word's ids differ by language
        file.sections[0].page_width = 7000875
        file.sections[0].header.paragraphs[0].text = "Bank plc"

    data = docx.render(report(*EVERYTHING), template(tmp_path, bank))
    file = python_docx.Document(io.BytesIO(data))
    assert file.styles["Heading 1"].font.name == "Bank Sans" and file.sections[0].page_width == 7000875
    assert file.sections[0].header.paragraphs[0].text == "Bank plc"
    assert "Words of the template." not in text_of(part(data)) and "Plain words." in text_of(part(data))
    assert len(paragraphs(part(data), "berschrift2")) == 1
    assert data == docx.render(report(*EVERYTHING), tmp_path / "bank.docx")


def repacked(path, **replaced):
    """The file with texts of its parts replaced: part -> (old, new)."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in parts.items():
            old, new = replaced.get(name.rpartition("/")[2].partition(".")[0].strip("[]"), (b"", b""))
            file.writestr(name, content.replace(old, new) if old else content)
    return path


AWAY = b'<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" '
AWAY += b'Target="file://server/x" TargetMode="External"/></Relationships>'


def test_a_dotx_is_a_template_too(tmp_path):
    path = repacked(template(tmp_path), Content_Types=(b"document.main", b"template.main"))
    assert "Plain words." in text_of(part(docx.render(report(*EVERYTHING), path)))


def test_what_a_templates_text_names_elsewhere_does_not_travel(tmp_path):
    path = repacked(template(tmp_path), document=(b"</Relationships>", AWAY))
    packed = zipfile.ZipFile(io.BytesIO(docx.render(report(), path)))
    assert not [name for name in packed.namelist() if b"file://server" in packed.read(name)]


@pytest.mark.parametrize(
    "change, found",
    [
        ({"Content_Types": (b"document.main+xml", b"document.macroEnabled.main+xml")}, "macroEnabled"),
        ({"styles": (b"<w:styles", b"<w:")}, ""),
        ({"document": (b'w:w="', b'w:w="x')}, "x12240"),
        ({}, "File is not a zip file"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused(tmp_path, change, found):
    path = template(tmp_path)
    if change:
        repacked(path, **change)
    else:
        path.write_bytes(b"no Word file")
    with pytest.raises(InputError, match="Word file") as refused:
        docx.render(report(), path)
    assert found in str(refused.value) and "bank.docx" in str(refused.value) and "do: " in str(refused.value)
