"""The Word file that the report is written into: the kit's own look, or a bank's template, of which styles,
page and running heads are taken and the text is left; and what stands on every page."""

import io
import zipfile
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree

from ragassay.errors import InputError
from ragassay.report.blocks import Document
from ragassay.report.printed_text import visible

Element: TypeAlias = Any
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
AUDIT = Path(__file__).parents[1] / "templates" / "audit"
LOOK, LISTS = AUDIT / "word_styles.xml", AUDIT / "word_lists.xml"
KEPT = {  # what a document relates to that is no part of its text, and no program
    *("styles", "numbering", "settings", "webSettings", "fontTable", "theme", "header", "footer"),
    *("footnotes", "endnotes", "officeDocument", "core-properties", "custom-properties"),
}
A4 = {"top": 1361, "right": 1134, "bottom": 1134, "left": 1134, "header": 737, "footer": 680, "gutter": 0}
TYPES = "[Content_Types].xml"


def w(tag: str, *children: Element | None, **values: object) -> Element:
    """One element: `w("sz", val=22)` is `<w:sz w:val="22"/>`; children that are None are left out."""
    made = etree.Element(f"{{{WORD}}}{tag}", nsmap={"w": WORD})
    for name, value in values.items():
        made.set(f"{{{WORD}}}{name}", str(value))
    made.extend([child for child in children if child is not None])
    return made


def run(text: str, *, style: str = "", bold: bool = False, italic: bool = False) -> Element:
    """A run of letters in a character style (its id); hidden characters show, line breaks and tabs are
    elements."""
    from docx.oxml import OxmlElement

    made = OxmlElement("w:r")
    made.text = visible(text)
    marks = [w("rStyle", val=style) if style else None, w("b") if bold else None, w("i") if italic else None]
    made.insert(0, w("rPr", *marks))
    return made


def paragraph(style: str, content: list[Element], *properties: Element | None) -> Element:
    """A paragraph of a style (its id); properties in the order of the schema."""
    return w("p", w("pPr", w("pStyle", val=style), *properties), *content)


def open_template(template: Path | None = None) -> Any:
    """An empty python-docx document that holds every style which the report uses.

    Raises
    ------
    InputError
        If the template is no Word file without macros, or holds parts that lie outside it.
    """
    import docx
    from docx.oxml import parse_xml

    try:
        document = docx.Document(io.BytesIO(_packed(template.read_bytes())) if template else None)
        look = parse_xml(LOOK.read_bytes())
        if template:
            _add_missing(document.styles.element, look)
        else:
            document.styles.element[:] = list(look)
            mode = {"name": "compatibilityMode", "uri": "http://schemas.microsoft.com/office/word", "val": 15}
            document.settings.element[:] = [w("compat", w("compatSetting", **mode))]  # no older Word's file
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


def saved(document: Any) -> bytes:
    """The document as bytes; equal documents give equal bytes."""
    file = io.BytesIO()
    document.save(file)
    return _packed(file.getvalue())


def _packed(data: bytes) -> bytes:
    """A Word file packed anew, a template as a document."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(file, "w") as packed:
        for name in sorted(given.namelist()):  # "[Content_Types].xml" stands first, as readers expect
            content = given.read(name)
            if name == TYPES:
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
        section[:] = [*heads, w("pgSz", w=11906, h=16838), w("pgMar", **A4), w("titlePg")]
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


def write_heads(document: Any, report: Document, styles: dict[str, str]) -> None:
    """Write the running heads, where the template has none of its own."""
    section = document.sections[-1]
    if any(part.tag.endswith("Reference") for part in section._sectPr):
        return
    marks = " · ".join([report.title, *report.marks])
    chapter = _field("STYLEREF 1", report.system)  # the heading of level 1, whatever Word's language
    pages = [run("page "), _field("PAGE", "1"), run(" of "), _field("NUMPAGES", "1")]
    heads = {"header": [run(f"{marks}\t"), chapter], "footer": [run(f"{report.date}\t"), *pages]}
    for name, content in heads.items():
        place = getattr(section, name)
        place.is_linked_to_previous = False
        place._element[:] = [paragraph(styles[name], content)]


def _field(instruction: str, shown: str) -> Element:
    """A field of Word's; `shown` stands until Word computes it."""
    return w("fldSimple", run(shown), instr=instruction)


def room(document: Any) -> int:
    """Twentieths of a point between the margins."""
    section = document.sections[-1]
    return max(section.page_width - section.left_margin - section.right_margin, 0) // 635 or 1440


class Lists:
    """The lists of one document, after those of its template: bullets, and numbers."""

    def __init__(self, file: Any):
        from docx.oxml import parse_xml

        self.root = _numbering(file)
        known = self.root.xpath("./w:abstractNum/@w:abstractNumId")
        self.first = 1 + max(map(int, known), default=0)
        pictures = len(self.root.findall(f"{{{WORD}}}numPicBullet"))
        for name, pattern in enumerate(list(parse_xml(LISTS.read_bytes())), self.first):
            pattern.set(f"{{{WORD}}}abstractNumId", str(name))
            self.root.insert(pictures, pattern)

    def start(self, level: int, is_ordered: bool) -> int:
        """A new list whose items stand at the level; its id."""
        made = self.root.add_num(self.first + is_ordered)
        made.add_lvlOverride(ilvl=level).add_startOverride(1)
        return int(made.numId)


def _numbering(file: Any) -> Element:
    """The part that holds lists, made where the template has none."""
    from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import XmlPart
    from docx.oxml import OxmlElement

    if RELATIONSHIP_TYPE.NUMBERING not in {each.reltype for each in file.part.rels.values()}:
        name, kind = PackURI("/word/numbering.xml"), CONTENT_TYPE.WML_NUMBERING
        part = XmlPart(name, kind, OxmlElement("w:numbering"), file.part.package)
        file.part.relate_to(part, RELATIONSHIP_TYPE.NUMBERING)
    return file.part.part_related_by(RELATIONSHIP_TYPE.NUMBERING).element
