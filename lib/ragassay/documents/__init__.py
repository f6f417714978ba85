"""Documents in, sentences out: folder -> documents (with what was left out, and why) -> chunks -> sentences.

collection.py    load: one row per document, one row per file left out or never opened (pipes, links
                 out of the folder); read_collection: a folder cut into passages, or an assistant's own;
                 which are superseded or for staff only, as documents.csv, or the opening, says
file_loaders.py  txt, md, html, docx, pdf: a file as blocks (heading, text, item, row)
text_blocks.py   blocks, cleaning, hard-wrapped lines, headings of plain text; sentences, by sentencex
                 between rules for lines and a few repairs
record_files.py  JSON, CSV, Parquet and Excel as records, each with its place
chunking.py      chunk: whole sentences packed by the encoder's tokens, never across a heading;
                 as_passages
"""

from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.collection import Collection, document_of, load, read_collection, with_marks
from ragassay.documents.text_blocks import sentences

__all__ = [
    "Collection", "as_passages", "chunk", "document_of", "load", "read_collection", "sentences", "with_marks",
]  # fmt: skip
