"""The Word file: Word's own headings, lists, tables, captions, fields and contents; no text acts; a bank's template gives the look."""

import io
import re
import zipfile

import pytest
from docx import Document as read_word
from lxml import etree
from small_run import HOSTILE

from ragassay.errors import InputError
from ragassay.report import docx
from ragassay.report.block_builders import bullets, data_table, paragraph, rating_box, words
from ragassay.report.blocks import (
    Callout,
    Chapter,
    Display,
    Document,
    Figure,
    Heading,
    Listing,
    Quote,
    Table,
    Verbatim,
)

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c63f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="#123a5c"/></svg>'


def report(*blocks, cover=(("Model", "Tide"),), anchor="chapter-a"):
    chapter = Chapter("4", "Calibration", anchor, list(blocks))
    return Document(
        "Title", "tide", "2026-11-20", list(cover), "Not fit", [chapter], subtitle="Report", authors=["A"]
    )


def part(data, name="word/document.xml"):
    return etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read(name))


def made(*blocks, **others):
    return part(docx.render(report(*blocks, **others)))


def text_of(root):
    pieces = {f"{W}t": None, f"{M}t": None, f"{W}br": "\n", f"{W}tab": "\t", f"{W}p": "\n"}
    return "".join(pieces[each.tag] or each.text or "" for each in root.iter(*pieces))


def style_of(paragraph):
    return paragraph.find(f"{W}pPr/{W}pStyle").get(f"{W}val")


def paragraphs(root, style):
    return [each for each in root.iter(f"{W}p") if style_of(each) == style]


def instructions(root):
    return ["".join(each.itertext()) for each in root.iter(f"{W}instrText")]


def caption(kind, n):
    return {"caption": f"A {kind}", "label": f"{kind} 4.{n}", "anchor": f"{kind.lower()}-4-{n}"}


def a_table(rows=3, **others):
    return Table(
        columns=[words("metric"), words("value")],
        rows=[[words("a"), words("0.5")]] * rows,
        align=["l", "r"],
        **({"caption": ""} | others),
    )


EVERYTHING = [
    Heading(2, words("A result"), "chapter-a-1"),
    Heading(3, words("Deeper")),
    paragraph("Plain words."),
    bullets(["first", "second"]),
    Listing([[paragraph("one"), bullets(["inside"])], [paragraph("two")]], ordered=True),
    Quote([paragraph("Quoted policy.")]),
    Verbatim("x = 1\n\ty = 2", "python", "Printed"),
    Display(r"\hat{q} = \frac{a}{b}"),
    Callout("limit", "Limit", [paragraph("A boxed limit.")]),
    rating_box("Not fit"),
    a_table(**caption("Table", 1), note="A note."),
    Figure(
        "svg", SVG, "What it shows.", "A picture", "Its numbers.", label="Figure 4.1", anchor="figure-4-1"
    ),
    Figure("png", PNG, "Another.", "", ""),
]


@pytest.fixture(scope="module")
def data():
    return docx.render(report(*EVERYTHING))


@pytest.fixture(scope="module")
def root(data):
    return part(data)


def test_every_kind_of_block_has_its_words(root):
    said = ("second", "inside", "Quoted policy.", "x = 1\n\ty = 2", "Not fit", "A note.", "Its numbers.")
    assert [words for words in said if words not in text_of(root)] == []


def test_no_block_is_unknown_to_it():
    with pytest.raises(TypeError, match="does not know object"):
        made(object())


def test_the_header_row_of_a_table_repeats_and_rows_stay_whole(root):
    table = next(each for each in root.iter(f"{W}tbl") if "metric" in text_of(each))
    rows = table.findall(f"{W}tr")
    assert [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows] == [True, False, False, False]
    assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
    assert table.find(f"{W}tblPr/{W}tblCaption").get(f"{W}val") == "A Table"


def test_a_row_too_short_is_filled_up():
    table = made(Table("", [words("a"), words("b")], [[words("1")]], ["l", "l"]), cover=()).find(f".//{W}tbl")
    assert {len(row.findall(f"{W}tc")) for row in table.iter(f"{W}tr")} == {2}


def test_captions_are_counted_by_fields(root):
    assert [each for each in instructions(root) if each.startswith("SEQ")] == [
        r"SEQ Table \* ARABIC \r 1",
        r"SEQ Figure \* ARABIC \r 1",
    ]
    assert [text_of(each).strip() for each in paragraphs(root, "Caption")] == [
        "Table 4.1  A Table",
        "Figure 4.1  A picture",
    ]


def test_figures_are_png_with_words_that_stand_for_them(data, root):
    described = [each.get("descr") for each in root.iter() if each.tag.endswith("}docPr")]
    assert described == ["What it shows.", "Another."]
    media = [name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if "media/" in name]
    assert len(media) == 2 and all(name.endswith(".png") for name in media)


def test_a_figure_that_cannot_be_drawn_leaves_its_words():
    found = text_of(made(Figure("svg", b"<svg><torn", "What it showed.", "A picture")))
    assert "A figure that cannot be drawn" in found and "What it showed." in found


def test_contents_are_a_field_whose_entries_lead_to_the_headings(root):
    frame = root.find(f".//{W}sdt")
    assert instructions(frame) == [r'TOC \o "1-2" \h \z \u']
    assert [text_of(each) for each in frame.iter(f"{W}hyperlink")] == ["4 · Calibration", "A result"]
    marks = [each.get(f"{W}fldCharType") for each in root.iter(f"{W}fldChar")]
    assert marks.count("begin") == marks.count("separate") == marks.count("end")


def test_links_lead_to_bookmarks_that_are_there(root):
    names = [each.get(f"{W}name") for each in root.iter(f"{W}bookmarkStart")]
    assert {each.get(f"{W}anchor") for each in root.iter(f"{W}hyperlink")} <= set(names)
    assert len(names) == len(set(names)) and all(re.fullmatch(r"_\w{0,39}", name, re.ASCII) for name in names)


def test_anchors_alike_to_word_stay_apart():
    from ragassay.report.docx.text_runs import bookmark

    anchors = ["a-b", "a_b", "a.b", "x" * 80, "x" * 79 + "y", "ä"]
    assert len({bookmark(anchor) for anchor in anchors}) == len(anchors) and bookmark("a_b") == "_a_b"


def test_running_heads_name_chapter_and_page(data):
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    heads = {
        kind: part(data, next(name for name in names if re.fullmatch(rf"word/{kind}\d*.xml", name)))
        for kind in ("header", "footer")
    }
    assert instructions(heads["header"]) == ["STYLEREF 1"] and instructions(heads["footer"]) == [
        "PAGE",
        "NUMPAGES",
    ]
    assert "Title" in text_of(heads["header"]) and "2026-11-20" in text_of(heads["footer"])


def test_numbers_of_each_list_begin_anew():
    ordered = Listing([[paragraph("a")], [paragraph("b")]], ordered=True)
    root = made(ordered, paragraph("between"), ordered)
    ids = [each.find(f"{W}pPr/{W}numPr/{W}numId").get(f"{W}val") for each in paragraphs(root, "ListNumber")]
    assert ids[0] == ids[1] != ids[2] == ids[3]


def test_formulas_are_words_own(root):
    assert text_of(root.find(f".//{M}oMathPara")) == "q=ab"
    assert root.find(f".//{M}acc/{M}accPr/{M}chr").get(f"{M}val") == "\u0302"
    assert text_of(root.find(f".//{M}f/{M}num")) == "a"


@pytest.mark.parametrize(
    "tex, letters",
    [
        (r"x_i^2", "xi2"),
        (r"\sqrt{n}", "n"),
        (r"\sqrt[3]{n}", "3n"),
        (r"\sum_{i=1}^n x_i", "∑i=1nxi"),
        (r"\binom{n}{k}", "(nk)"),
        (r"\begin{cases} a & b \\ c & d \end{cases}", "{abcd"),
        (r"\bar{x} \to \max_i y", "x→maxiy"),
        (r"\text{if } s \ge 0", "if s≥0"),
    ],
)
def test_no_letter_of_a_formula_is_lost(tex, letters):
    from ragassay.report.docx.formulas import formula

    assert re.sub(r"\s", "", text_of(formula(tex))) == re.sub(r"\s", "", letters)


def test_a_wide_table_has_a_page_on_its_side_and_the_next_stands_again():
    wide = data_table("Wide", [f"measurement_number_{n}" for n in range(16)], [["0.123456789"] * 16] * 20)
    pages = [each.get(f"{W}orient") for each in made(wide, paragraph("after")).iter(f"{W}pgSz")]
    assert pages == [None, "landscape", None]


def test_tables_that_follow_each_other_stay_two():
    root = made(a_table(), a_table(), cover=())
    body = list(root.find(f"{W}body"))
    places = [place for place, each in enumerate(body) if each.tag == f"{W}tbl"]
    assert len(places) == 2 and places[1] > places[0] + 1


@pytest.mark.parametrize("text", [text for text in HOSTILE if not set("\x00\u202e") & set(text)])
def test_hostile_text_is_letters(text):
    data = docx.render(
        report(
            Heading(2, words(text), "x"),
            a_table(1, caption=text, note=text),
            Verbatim(text, "", text),
            Callout("limit", text, [paragraph(text)]),
            Figure("svg", SVG, text, text),
        )
    )
    root = part(data)
    assert (
        text_of(root).count(text) == 9
    )  # contents, heading; caption, note; title, code; title, box; caption
    assert {each.split()[0] for each in instructions(root)} <= {"TOC", "SEQ", "STYLEREF"}
    assert [each.get("descr") for each in root.iter() if each.tag.endswith("}docPr")] == [text]
    read_word(io.BytesIO(data))


def template(path, change=lambda file: None, name="bank.docx"):
    import docx as python_docx

    file = python_docx.Document()
    file.add_paragraph("Words of the template.")
    change(file)
    file.save(path / name)
    return path / name


def test_a_template_gives_its_styles_and_page_and_not_its_words(tmp_path):
    def bank(file):
        file.styles["Heading 1"].font.name = "Bank Sans"
        file.sections[0].page_width = 7000875
        file.sections[0].header.paragraphs[0].text = "Bank plc"

    data = docx.render(report(*EVERYTHING), template(tmp_path, bank))
    file = read_word(io.BytesIO(data))
    assert file.styles["Heading 1"].font.name == "Bank Sans" and file.sections[0].page_width == 7000875
    assert file.sections[0].header.paragraphs[0].text == "Bank plc"
    assert "Words of the template." not in text_of(part(data)) and "Plain words." in text_of(part(data))
    assert data == docx.render(report(*EVERYTHING), tmp_path / "bank.docx")


def without_styles(file):
    for style in list(file.styles.element):
        name = style.find(f"{W}name")
        if name is not None and name.get(f"{W}val") not in ("Normal",):
            file.styles.element.remove(style)
    for key in [
        key for key, each in file.part.rels.items() if each.reltype.endswith(("/numbering", "/theme"))
    ]:
        del file.part.rels[key]


def test_a_template_without_the_styles_gets_them(tmp_path):
    data = docx.render(report(*EVERYTHING), template(tmp_path, without_styles))
    styles = part(data, "word/styles.xml")
    ids = {each.get(f"{W}styleId") for each in styles.iter(f"{W}style")}
    used = {each.get(f"{W}val") for each in part(data).iter(f"{W}pStyle", f"{W}rStyle", f"{W}tblStyle")}
    related = {each.get(f"{W}val") for each in styles.iter(f"{W}basedOn", f"{W}next")}
    assert used <= ids and related <= ids and len(used) > 15
    assert "word/numbering.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist()


def test_a_style_is_found_by_its_name_whatever_its_id(tmp_path):
    def german(file):
        file.styles["Heading 1"].element.set(f"{W}styleId", "berschrift1")

    assert (
        len(paragraphs(part(docx.render(report(*EVERYTHING), template(tmp_path, german))), "berschrift1"))
        == 1
    )


def repacked(path, name, change):
    old = zipfile.ZipFile(path).infolist(), zipfile.ZipFile(path)
    parts = {entry.filename: old[1].read(entry) for entry in old[0]}
    with zipfile.ZipFile(path.with_name(name), "w") as file:
        for each, content in change(parts).items():
            file.writestr(each, content)
    return path.with_name(name)


def test_a_dotx_is_a_template_too(tmp_path):
    def as_dotx(parts):
        return parts | {
            "[Content_Types].xml": parts["[Content_Types].xml"].replace(b"document.main", b"template.main")
        }

    path = repacked(template(tmp_path), "bank.dotx", as_dotx)
    assert "Plain words." in text_of(part(docx.render(report(*EVERYTHING), path)))


OUTSIDE = b'<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="file://server/x" TargetMode="External"/></Relationships>'


def linked(parts, kind, name="word/_rels/document.xml.rels"):
    return parts | {name: parts[name].replace(b"</Relationships>", OUTSIDE % kind)}


@pytest.mark.parametrize(
    "change, found",
    [
        (lambda parts: parts | {"word/vbaProject.bin": b"x"}, "macros"),
        (lambda parts: linked(parts, b"image"), "file://server/x"),
        (lambda parts: {"[Content_Types].xml": b"<Types"} | {"x": b""}, ""),
        (lambda parts: {name: content for name, content in parts.items() if "Content" not in name}, "Content_Types"),
        (lambda parts: parts | {"word/styles.xml": b"<w:styles"}, ""),
        (lambda parts: parts | {"word/document.xml": parts["word/document.xml"].replace(b'w:w="', b'w:w="x')}, "x12240"),
        (lambda parts: parts | {"[Content_Types].xml": parts["[Content_Types].xml"].replace(b"wordprocessingml.document.main", b"spreadsheetml.sheet.main")}, ""),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_used_is_refused(tmp_path, change, found):
    with pytest.raises(InputError, match="template") as refused:
        docx.render(report(), repacked(template(tmp_path), "odd.docx", change))
    assert found in str(refused.value) and "odd.docx" in str(refused.value) and "do: " in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"no Word file", None])
def test_what_is_no_word_file_is_refused(tmp_path, content):
    path = tmp_path / "bank.docx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match="Word file"):
        docx.render(report(), path)


def test_where_a_template_was_kept_is_left_out(tmp_path):
    def kept(parts):
        settings = parts["word/settings.xml"].replace(
            b"<w:compat>",
            b'<w:attachedTemplate xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId99"/><w:compat>',
        )
        rels = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'
        return linked(
            parts | {"word/settings.xml": settings, "word/_rels/settings.xml.rels": rels},
            b"attachedTemplate",
            "word/_rels/settings.xml.rels",
        )

    data = docx.render(report(), repacked(template(tmp_path), "kept.docx", kept))
    packed = zipfile.ZipFile(io.BytesIO(data))
    assert not [
        name
        for name in packed.namelist()
        if b"file://server" in packed.read(name) or b"attachedTemplate" in packed.read(name)
    ]
