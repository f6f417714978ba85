"""The Word file that the report is written into: the kit's own look, or a bank's template, of which styles,
page and running heads are taken and the text is left; and what stands on every page."""

import io
import re
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from lxml import etree

from ragassay.errors import InputError
from ragassay.report.blocks import Document
from ragassay.report.docx.markup import CHAPTER, PAGE, PAGES, WORD, Element, field, paragraph, run, w

LOOK = Path(__file__).parents[1] / "templates" / "audit" / "word_styles.xml"
LARGEST = 200 * 2**20  # bytes of an unpacked template
KEPT = {  # what a document relates to that is no part of its text
    *("styles", "numbering", "settings", "webSettings", "fontTable", "theme", "header", "footer"),
    *("footnotes", "endnotes"),
}
_DO = "save it in Word as .docx or .dotx, without macros, password or links to other files"
_EXPECTED = "a .docx or .dotx without macros, whose pictures lie inside it"
_AS_DOCUMENT = (b"wordprocessingml.template.main+xml", b"wordprocessingml.document.main+xml")
_OUTSIDE = re.compile(rb"<Relationship\b[^>]*\bTargetMode\s*=\s*[\"']External[^>]*>")
_HARMLESS = re.compile(rb"relationships/(?:hyperlink|attachedTemplate)[\"']")


def open_template(template: Path | None = None) -> Any:
    """An empty python-docx document that holds every style which the report uses.

    Raises
    ------
    InputError
        If the template is no Word file, or holds macros or parts that lie outside it.
    """
    import docx
    from docx.opc.exceptions import OpcError

    try:
        document = docx.Document(io.BytesIO(_content(template)) if template else None)
        _styled(document, is_own=template is None)
        room(document.element.body.sectPr)  # a page without measures is none
    except (
        OpcError,
        OSError,
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        AttributeError,
        SyntaxError,
    ) as problem:
        what = "the template cannot be read as a Word file"
        raise InputError(what, where=template, found=problem, expected=_EXPECTED, do=_DO) from problem
    return document


def style_ids(document: Any) -> dict[str, str]:
    """The id of each style by its name in small letters; Word's own ids differ from language to language."""
    return {_name(style): str(style.get(f"{{{WORD}}}styleId")) for style in _styles(document.styles.element)}


def _content(template: Path) -> bytes:
    """The template as a document, whatever of the two it is."""
    packed = zipfile.ZipFile(io.BytesIO(template.read_bytes()))
    if sum(entry.file_size for entry in packed.infolist()) > LARGEST:
        raise ValueError(f"more than {LARGEST / 2**20:.0f} MB when unpacked")
    parts = {entry.filename: packed.read(entry) for entry in packed.infolist()}
    if any("vbaproject" in name.lower() for name in parts) or b"macroEnabled" in parts["[Content_Types].xml"]:
        raise ValueError("it holds macros")
    for name, content in parts.items():
        if name.endswith(".rels"):
            _check_inside(name, content)
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(*_AS_DOCUMENT)
    return zipped(parts)


def zipped(parts: dict[str, bytes]) -> bytes:
    """A Word file of its parts; equal parts give equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(parts):  # "[Content_Types].xml" stands first, as readers expect
            packed.writestr(zipfile.ZipInfo(name), parts[name], zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _check_inside(name: str, content: bytes) -> None:
    outside = [found.group() for found in _OUTSIDE.finditer(content) if not _HARMLESS.search(found.group())]
    if outside:
        raise ValueError(f"{name} names a part outside it: {outside[0][:200].decode(errors='replace')}")


def _styled(document: Any, is_own: bool) -> None:
    """Only the styles, the page and the running heads stay, and what is missing is added."""
    look = etree.parse(LOOK).getroot()
    if is_own:
        document.styles.element[:] = list(look)
        document.element.body.get_or_add_sectPr()[:] = _a4()
    else:
        _add_missing(document.styles.element, look)
    _modern(document.settings.element, is_own)
    _empty(document)


def _a4() -> list[Element]:
    sides = {
        "top": 1361,
        "right": 1134,
        "bottom": 1134,
        "left": 1134,
        "header": 737,
        "footer": 680,
        "gutter": 0,
    }
    return [w("pgSz", w=11906, h=16838), w("pgMar", **sides), w("titlePg")]


def _empty(document: Any) -> None:
    from docx.opc.constants import RELATIONSHIP_TYPE

    body = document.element.body
    section = body.get_or_add_sectPr()
    body[:] = [section]
    if section.find(f"{{{WORD}}}pgSz") is None or section.find(f"{{{WORD}}}pgMar") is None:
        section[:] = [*(part for part in section if part.tag.endswith("Reference")), *_a4()]
    settings = document.part.part_related_by(RELATIONSHIP_TYPE.SETTINGS)
    for rels in (document.part.rels, document.part.package.rels, settings.rels):
        for key in [key for key, each in rels.items() if not _is_kept(each.reltype)]:
            del rels[key]


def _is_kept(kind: str) -> bool:
    return kind.rsplit("/", 1)[-1] in KEPT | {"officeDocument", "core-properties", "custom-properties"}


def _modern(settings: Element, is_own: bool) -> None:
    """Without the way to the template's own template; in the kit's own look, without what an empty file of
    another program says."""
    gone = (
        "attachedTemplate",
        "zoom",
        "savePreviewPicture",
        "proofState",
        "rsids",
        "shapeDefaults",
        "compat",
    )
    for name in gone if is_own else gone[:1]:
        for found in settings.findall(f"{{{WORD}}}{name}"):
            settings.remove(found)
    if is_own:
        mode = {"name": "compatibilityMode", "uri": "http://schemas.microsoft.com/office/word", "val": 15}
        settings.find(f"{{{WORD}}}characterSpacingControl").addnext(w("compat", w("compatSetting", **mode)))


def _add_missing(styles: Element, look: Element) -> None:
    """Add the styles of the look that are not there by name, related to those that are."""
    own = {_name(style): str(style.get(f"{{{WORD}}}styleId")) for style in _styles(styles)}
    names = {str(style.get(f"{{{WORD}}}styleId")): _name(style) for style in _styles(look)}
    defaults = {style.get(f"{{{WORD}}}type") for style in _styles(styles) if style.get(f"{{{WORD}}}default")}
    for style in _styles(look):
        if _name(style) not in own:
            styles.append(_related(deepcopy(style), {key: own.get(name, key) for key, name in names.items()}))
            if style.get(f"{{{WORD}}}type") in defaults:
                styles[-1].attrib.pop(f"{{{WORD}}}default", None)


def _related(style: Element, ids: dict[str, str]) -> Element:
    for part in style:
        if part.tag in (f"{{{WORD}}}basedOn", f"{{{WORD}}}next"):
            part.set(f"{{{WORD}}}val", ids[part.get(f"{{{WORD}}}val")])
    return style


def _styles(element: Element) -> list[Element]:
    return element.findall(f"{{{WORD}}}style")


def _name(style: Element) -> str:
    return str(style.find(f"{{{WORD}}}name").get(f"{{{WORD}}}val")).lower()


def heads(document: Any, report: Document, style: dict[str, str]) -> None:
    """Write the running heads, where the template has none of its own."""
    section = document.sections[-1]
    if any(part.tag.endswith("Reference") for part in section._sectPr):
        return
    for name, content in (("header", _above(report)), ("footer", _below(report))):
        place = getattr(section, name)
        place.is_linked_to_previous = False
        place._element[:] = [paragraph(style[name], content)]


def room(section: Element) -> int:
    """Twentieths of a point between the margins."""
    page, margin = section.find(f"{{{WORD}}}pgSz"), section.find(f"{{{WORD}}}pgMar")
    left = [int(float(margin.get(f"{{{WORD}}}{side}", 0))) for side in ("left", "right")]
    return max(int(page.get(f"{{{WORD}}}w")) - sum(left), 1440)


def turned(section: Element) -> Element:
    """The section with its page on its side; it has no cover."""
    made = deepcopy(section)
    uncovered(made)
    page = made.find(f"{{{WORD}}}pgSz")
    width, height = page.get(f"{{{WORD}}}w"), page.get(f"{{{WORD}}}h")
    for name, value in (("w", height), ("h", width), ("orient", "landscape")):
        page.set(f"{{{WORD}}}{name}", value)
    return made


def uncovered(section: Element) -> None:
    """Take from the section that its first page has running heads of its own."""
    for cover in section.findall(f"{{{WORD}}}titlePg"):
        section.remove(cover)


def _above(report: Document) -> list[Element]:
    marks = " · ".join([report.title, *report.marks])
    return [run(marks), w("r", w("tab")), *field(CHAPTER, run(report.system))]


def _below(report: Document) -> list[Element]:
    number = [run("page "), *field(PAGE, run("1")), run(" of "), *field(PAGES, run("1"))]
    return [run(report.date), w("r", w("tab")), *number]
