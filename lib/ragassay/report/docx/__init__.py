"""The document as a Word file: headings, lists, tables, captions and contents are Word's own, so that a bank
can edit it; a template of the bank's gives the look.

markup -> writer -> one body;  template: what it stands in
"""

import datetime
import io
import zipfile
from pathlib import Path

from ragassay.report.blocks import Document
from ragassay.show import clean


def render(document: Document, template: Path | None = None) -> bytes:
    """The document as bytes of a .docx; the same document and template give the same bytes.

    template : a .docx or .dotx whose styles, page and running heads are used; what it lacks is added

    Raises
    ------
    InputError
        If the template is no Word file without macros, or holds parts that lie outside it.
    """
    from ragassay.report.docx.template import open_template, style_ids, write_heads, zipped
    from ragassay.report.docx.writer import Writer

    file = open_template(template)
    styles = style_ids(file.styles.element)
    write_heads(file, document, styles)
    Writer(document, file, styles).write()
    _describe(file.core_properties, document)
    saved = io.BytesIO()
    file.save(saved)
    with zipfile.ZipFile(saved) as packed:
        return zipped({name: packed.read(name) for name in packed.namelist()})


def _describe(properties: object, document: Document) -> None:
    """What the file says of itself, whatever its template said."""
    made = datetime.datetime.combine(datetime.date.fromisoformat(document.date), datetime.time())
    stated = {
        **{"title": document.title, "subject": document.subtitle, "author": "; ".join(document.authors)},
        **{"comments": "Model-risk validation report, made by ragassay", "last_modified_by": "ragassay"},
        **{"keywords": "", "category": "", "created": made, "modified": made, "last_printed": made},
        "revision": 1,
    }
    for name, value in stated.items():
        setattr(properties, name, clean(value, 255)[:255] if isinstance(value, str) else value)
