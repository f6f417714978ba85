"""Documents in, sentences out: folder -> documents (with what was left out, and why) -> chunks -> sentences.

folder.py              load: one row per document, one row per file left out or never opened (pipes, links
                       out of the folder)
document_status.py     which documents are superseded or for staff only, as documents.csv says
file_loaders.py        txt, md, html, docx: a file as blocks (heading, text, item, row)
pdf_blocks.py          the same for PDF: running headers and page numbers dropped
text_blocks.py         blocks, cleaning, hard-wrapped lines, headings of plain text
sentence_splitting.py  sentences, by sentencex between rules for lines and a few repairs
collection.py          read_collection: a folder cut into passages, or an assistant's own passages as they are
chunking.py            chunk: whole sentences packed by the encoder's tokens, never across a heading;
                       as_passages
"""

from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.collection import Collection, of_passages, read_collection
from ragassay.documents.folder import load
from ragassay.documents.sentence_splitting import sentences

__all__ = ["Collection", "as_passages", "chunk", "load", "of_passages", "read_collection", "sentences"]
