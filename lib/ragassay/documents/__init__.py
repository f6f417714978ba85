"""Documents in, sentences out: folder -> documents (with what was left out, and why) -> chunks -> sentences.

folder.py      load: one row per document, one row per file left out
marks.py       which documents are superseded or for staff only, as front matter or documents.csv says
entries.py     what lies below a folder, and what of it is never opened: pipes, links out of it
loaders.py     txt, md, html, docx, jsonl: a file as blocks (heading, text, item, row)
pdf.py         the same for PDF: running headers and page numbers dropped, footnotes last
markup.py      HTML as blocks
flow.py        a PDF's lines as blocks
layout.py      blocks, cleaning, hard-wrapped lines, headings of plain text
splitting.py   sentences, by sentencex between rules for lines and a few repairs
chunking.py    chunk: whole sentences packed by the encoder's tokens, never across a heading; as_passages
"""

from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.folder import load
from ragassay.documents.splitting import sentences

__all__ = ["as_passages", "chunk", "load", "sentences"]
