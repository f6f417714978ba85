"""The document as a Word file: headings, lists, tables, captions and contents are Word's own, so that a bank
can edit it; of a template of the bank's styles, page and running heads are taken and the text is left. Text
leaves as letters, never as markup or a field; `word.xml.j2` says what stands where.
"""

import datetime
import hashlib
import io
import zipfile
from collections.abc import Callable
from copy import deepcopy
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

import docx
import typst
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.oxml import parse_xml
from docx.parts.numbering import NumberingPart
from jinja2 import Environment, FileSystemLoader
from lxml import etree
from markupsafe import Markup, escape

from ragassay.errors import InputError
from ragassay.report import printed_text
from ragassay.report.blocks import (
    Callout,
    Document,
    Figure,
    Paragraph,
    Table,
    data_table,
    longest_piece,
    paragraph,
    plain,
    tone_of,
    words,
)
from ragassay.report.printed_text import font_files, visible
from ragassay.show import clean

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
AUDIT = Path(__file__).parent / "templates" / "audit"
KEPT = {  # what a document relates to that is no part of its text, and no program
    *("styles", "numbering", "settings", "webSettings", "fontTable", "theme", "header", "footer"),
    *("footnotes", "endnotes", "officeDocument", "core-properties", "custom-properties"),
}
PART = f'<w:part xmlns:w="{WORD}">{{}}</w:part>'
A4 = PART.format(
    '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1361" w:right="1134" w:bottom="1134" w:left="1134" '
    'w:header="737" w:footer="680" w:gutter="0"/><w:titlePg/>'
)
NO_OLDER_WORD = PART.format(  # the file is of
    '<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" '
    'w:val="15"/></w:compat>'
)
EMU, EMU_TO_INCH = 635, 914_400  # English Metric Units to a twentieth of a point, and to the inch
DENSITY = {"svg": 220.0, "png": 110.0}  # pixels to the inch: as drawn here, as notebooks draw
SVG = (
    "#set page(width: auto, height: auto, margin: 0pt, fill: none)\n"
    '#image(bytes(sys.inputs.svg), format: "svg")'
)
CELLS = ((85, "Report Cell"), (75, "Report Cell Small"))  # twentieths of a point of a letter, styles
GUTTER = 130  # twentieths of a point between columns
WIDEST = 600  # letters of a line, by which columns share the page
FEW_ROWS, LONG_CELL = 6, 700  # of a table that stays on one page; letters of one whose row may be torn


def render(document: Document, template: Path | None = None) -> bytes:
    """The document as bytes of a .docx; the same document and template give the same bytes.

    template : a .docx or .dotx whose styles, page and running heads are used; what it lacks is added

    Raises
    ------
    InputError
        If the template is no Word file without macros, or holds parts that lie outside it.
    """
    file = open_template(template)
    write = _writer(file, document)
    section = file.sections[-1]
    if not any(part.tag.endswith("Reference") for part in section._sectPr):  # a template may have its own
        for name in ("header", "footer"):
            place = getattr(section, name)
            place.is_linked_to_previous = False
            place._element[:] = list(parse_xml(write(name)))
    for element in list(parse_xml(write("body"))):
        file.element.body.sectPr.addprevious(element)
    made = datetime.datetime.fromisoformat(document.date or "1970-01-01")
    stated = {  # what the file says of itself, whatever its template said
        **{"title": document.title, "subject": document.subtitle, "author": "; ".join(document.authors)},
        **{"comments": "Model-risk validation report, made by ragassay", "last_modified_by": "ragassay"},
        **{"keywords": "", "category": "", "created": made, "modified": made, "last_printed": made},
        "revision": 1,
    }
    for name, value in stated.items():
        setattr(file.core_properties, name, clean(value, 255)[:255] if isinstance(value, str) else value)
    page = io.BytesIO()
    file.save(page)
    return _packed(page.getvalue())


def _writer(file: Any, report: Document) -> Any:
    """What writes a part of the report (header, footer, body) as XML, with the styles of the file."""
    styles, marks, drawn, wide = style_ids(file.styles.element), count(1), count(1), room(file)

    def picture(data: bytes, alt: str, density: float) -> Markup:
        """A picture as a run, no wider than the page and no taller than 10 cm, with its words."""
        _, image = file.part.get_or_add_image(io.BytesIO(data))
        natural = [side / density * EMU_TO_INCH for side in (image.px_width, image.px_height)]
        factor = min(1.0, wide * EMU / natural[0], 100 / 25.4 * EMU_TO_INCH / natural[1])
        sides = [max(1, int(side * factor)) for side in natural]
        made, number = file.part.new_pic_inline(io.BytesIO(data), *sides), next(drawn)
        for name, value in (("id", number), ("name", f"Picture {number}"), ("descr", visible(alt))):
            made.docPr.set(name, str(value))
        return Markup(f"<w:r><w:drawing>{etree.tostring(made, encoding='unicode')}</w:drawing></w:r>")

    def figure(item: Figure) -> Markup | str:
        """The picture, of an SVG as typst draws it; "" where it cannot be drawn."""
        if item.kind == "png":
            return picture(item.data, item.alt, DENSITY["png"])
        try:
            made = typst.compile(  # type: ignore[call-overload]  # its types mix sources and paths
                SVG.encode(),
                sys_inputs={"svg": item.data.decode("utf-8", "replace")},
                font_paths=[str(font_files("")[0].parent)],
                ignore_system_fonts=True,
                format="png",
                ppi=DENSITY["svg"],
            )
        except typst.TypstError:
            return ""
        return picture(bytes(made), item.alt, DENSITY["svg"])

    def section(*, turned: bool) -> Markup:
        """What ends a section, upright or turned; the look of a first page is the first one's."""
        own = file.sections[-1]._sectPr
        made = deepcopy(own)
        for found in own.xpath("./w:titlePg | ./w:pgNumType"):
            own.remove(found)
        if turned:
            made.page_width, made.page_height = own.page_height, own.page_width
            made.find(f"{{{WORD}}}pgSz").set(f"{{{WORD}}}orient", "landscape")
        return Markup(etree.tostring(made, encoding="unicode"))

    said = Callout(
        tone_of(report.rating) or "calm", "Overall rating", [Paragraph(words(report.rating, bold=True))]
    )
    facts = data_table("", [], [list(line) for line in report.cover], widths=[1, 2.4])
    contents = []
    for part in report.chapters:
        title = " · ".join(filter(None, (part.name, part.title)))
        contents += [("TOC 1", title, part.anchor)]
        contents += [("TOC 2", plain(each.words), each.anchor) for each in part.headings]
    page = Environment(loader=FileSystemLoader(AUDIT), autoescape=True)
    page.filters.update(
        bookmark=lambda anchor: f"_{hashlib.sha256(anchor.encode()).hexdigest()[:32]}",  # Word takes 40
        kind=lambda item: type(item).__name__,
        letters=_letters,
        plain=plain,
        style_id=lambda name: styles[name.lower()],
        visible=visible,
    )
    page.globals.update(
        report=report,
        contents=contents,
        opening=[said, paragraph(report.recommendation), facts],
        formula=lambda tex: picture(printed_text.draw_formula(tex, "png")[0], tex, DENSITY["svg"]),
        picture=figure,
        layout=lambda item: _layout(item, wide, room(file, turned=True)),
        section=section,
        start_list=_list_starter(file),
        next_mark=lambda: next(marks),
        longest=LONG_CELL,
    )
    return lambda part: page.get_template("word.xml.j2").render(part=part)


def _letters(text: str) -> Markup:
    """The visible text, letter for letter; line breaks and tabs are elements."""
    shown = str(escape(visible(text))).replace("\r", "\n")
    for letter, name in (("\n", "br"), ("\t", "tab")):
        shown = shown.replace(letter, f'</w:t><w:{name}/><w:t xml:space="preserve">')
    return Markup(f'<w:t xml:space="preserve">{shown}</w:t>')


def _layout(item: Table, upright: int, turned: int) -> tuple[list[list[Any]], list[int], str, int, bool]:
    """A table's rows with its head; twentieths of a point for each column, room for its longest piece and a
    share of what is left by the weights asked for, or by the longest lines; the style of its cells; how many
    rows stay with the next one; whether its page is turned, as it fits no upright one."""
    heads = [item.columns] if item.columns else []
    rows = [*heads, *item.rows]
    texts = ([plain(cell) for cell in row] for row in (item.columns, *item.rows))
    columns = list(zip_longest(*texts, fillvalue=""))
    longest = list(map(longest_piece, columns, item.align))
    sizes = [([letter * each + GUTTER for each in longest], style) for letter, style in CELLS]
    least, style = next((each for each in sizes if sum(each[0]) <= upright), sizes[-1])
    wide = turned if sum(least) > upright else upright
    weights = item.widths or [
        min(max(len(line) for text in column for line in text.split("\n")), WIDEST) ** 0.6
        for column in columns
    ]
    left = max(wide - sum(least), 0)
    shares = [least[i] + left * weight / (sum(weights) or 1) for i, weight in enumerate(weights)]
    widths = [int(wide * share / sum(shares)) for share in shares]
    return rows, widths, style, len(rows) - 1 if len(rows) <= FEW_ROWS else len(heads), wide != upright


def open_template(template: Path | None = None) -> Any:
    """An empty python-docx document that holds every style which the report uses.

    Raises
    ------
    InputError
        If the template is no Word file without macros, or holds parts that lie outside it.
    """
    try:
        document = docx.Document(io.BytesIO(_packed(template.read_bytes())) if template else None)
        look = parse_xml((AUDIT / "word_styles.xml").read_bytes())
        if template:
            _add_missing(document.styles.element, look)
        else:
            document.styles.element[:] = list(look)
            document.settings.element[:] = list(parse_xml(NO_OLDER_WORD))
        _empty(document, is_own=template is None)
        room(document)  # a page without measures is none
    except Exception as problem:  # whatever python-docx, zipfile and lxml raise on a broken file
        raise InputError(
            "the template cannot be read as a Word file",
            where=template,
            found=problem,
            expected="a .docx or .dotx without macros, whose pictures lie inside it",
            do="save it in Word as .docx or .dotx, without macros, password or links to other files",
        ) from problem
    return document


def _packed(data: bytes) -> bytes:
    """A Word file packed anew, a template as a document."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(file, "w") as packed:
        for name in sorted(given.namelist()):  # "[Content_Types].xml" stands first, as readers expect
            content = given.read(name)
            if name == "[Content_Types].xml":
                content = content.replace(b"ml.template.main", b"ml.document.main")
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _empty(document: Any, *, is_own: bool) -> None:
    """Only the styles, the page and the running heads stay."""
    body = document.element.body
    section = body.get_or_add_sectPr()
    body[:] = [section]
    if is_own or section.find(f"{{{WORD}}}pgSz") is None or section.find(f"{{{WORD}}}pgMar") is None:
        heads = [part for part in section if part.tag.endswith("Reference")]
        section[:] = [*heads, *parse_xml(A4)]
    for found in document.settings.element.findall(f"{{{WORD}}}attachedTemplate"):
        document.settings.element.remove(found)
    package = document.part.package
    for relations in (document.part.rels, package.rels, document.part._settings_part.rels):
        for key in [key for key, each in relations.items() if each.reltype.rsplit("/", 1)[-1] not in KEPT]:
            del relations[key]
    for each in package.iter_rels():
        if each.is_external and not each.reltype.endswith("/hyperlink"):
            raise ValueError(f"it names a part outside it: {each.target_ref[:200]}")


def style_ids(styles: Any) -> dict[str, str]:
    """The id of each style by its name in small letters; Word's own ids differ from language to language."""
    return {style.name_val.lower(): style.styleId for style in styles.style_lst}


def _add_missing(styles: Any, look: Any) -> None:
    """Add the styles of the look that are not there by name, related to those that are."""
    own = style_ids(styles)
    ids = {key: own.get(name, key) for name, key in style_ids(look).items()}
    kinds = {style.type for style in styles.style_lst if style.default}
    for style in look.style_lst:
        if style.name_val.lower() not in own:
            for part in style.xpath("./w:basedOn | ./w:next"):
                part.val = ids[part.val]
            style.default = style.default and style.type not in kinds
            styles.append(style)


def room(document: Any, *, turned: bool = False) -> int:
    """Twentieths of a point between the margins, of a turned page as wide as an upright one is tall."""
    section = document.sections[-1]
    wide = section.page_height if turned else section.page_width
    return max(wide - section.left_margin - section.right_margin, 0) // EMU or 1440


def _list_starter(file: Any) -> Callable[[int, bool], int]:
    """What starts a new list (bullets, or numbers) whose items stand at a level, after those of the template,
    and returns its id."""
    if RELATIONSHIP_TYPE.NUMBERING not in {each.reltype for each in file.part.rels.values()}:
        name, empty = PackURI("/word/numbering.xml"), f'<w:numbering xmlns:w="{WORD}"/>'.encode()
        part = NumberingPart.load(name, CONTENT_TYPE.WML_NUMBERING, empty, file.part.package)
        file.part.relate_to(part, RELATIONSHIP_TYPE.NUMBERING)
    root = file.part.part_related_by(RELATIONSHIP_TYPE.NUMBERING).element
    first = 1 + max(map(int, root.xpath("./w:abstractNum/@w:abstractNumId")), default=0)
    pictures = len(root.findall(f"{{{WORD}}}numPicBullet"))
    for number, pattern in enumerate(list(parse_xml((AUDIT / "word_lists.xml").read_bytes())), first):
        pattern.set(f"{{{WORD}}}abstractNumId", str(number))
        root.insert(pictures, pattern)

    def start(level: int, is_ordered: bool) -> int:
        made = root.add_num(first + is_ordered)
        made.add_lvlOverride(ilvl=level).add_startOverride(1)
        return int(made.numId)

    return start
