"""What an engagement's documents are, as tables, and what had to be left out: a folder cut into passages, or
the assistant's own passages as a JSONL file, taken as they are, with their ids.

Which are superseded, and which are for staff only, `documents.csv` in their folder says. Where nobody says
it, a document whose opening plainly calls itself superseded is taken at its word.
"""

import hashlib
import itertools
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Container
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pandas as pd

from ragassay import provenance
from ragassay.defaults import MAX_TOKENS
from ragassay.documents import file_loaders
from ragassay.documents.chunking import as_passages, chunk
from ragassay.documents.record_files import read_records, whole_records
from ragassay.documents.text_blocks import LONGEST_TITLE, assemble, clean, pieces, squeeze
from ragassay.errors import DocumentError, InputError

SIDECAR = "documents.csv"
STATUS, AUDIENCE = "status", "audience"
CURRENT, SUPERSEDED, EVERYONE, STAFF = "current", "superseded", "everyone", "staff"
WORDS = {  # what is written -> what it means, by column
    STATUS: {
        **dict.fromkeys(("current", "in force", "valid", "active"), CURRENT),
        **dict.fromkeys(
            ("superseded", "replaced", "withdrawn", "expired", "obsolete", "archived"), SUPERSEDED
        ),
    },
    AUDIENCE: {
        **dict.fromkeys(("everyone", "public", "customer", "customers", "all"), EVERYONE),
        **dict.fromkeys(("staff", "staff only", "staff-only", "internal", "employees"), STAFF),
    },
}
AT_ITS_WORD = "at_its_word"
COLUMNS = [
    "doc_id", "title", "path", "sha256", "language", STATUS, AUDIENCE, AT_ITS_WORD, "text", "headings",
]  # fmt: skip
OPENING = 600  # characters in which a document may say that it is superseded
_LAPSED = (
    r"(?:superseded|withdrawn|replaced|obsolete|outdated|no longer (?:valid|in force)"
    r"|(?:derogad|sustituid|revogad|substituíd)[oa]s?)"
)
_ENDED = r"(?:ya no|já não) (?:es|está|é) (?:válid[oa]s?|vigente|e[nm] vigor)"
_KIND = (
    r"(?:document|policy|version|edition|list|tariff|sheet|schedule|guid\w+|notice|agreement|terms|rules|page"
    r"|circular|procedure|leaflet|brochure"
    r"|documento|política|versión|edición|lista|tarifa|norma|contrato|versão|edição|tabela|preçário)"
)
_IS = r"(?:is|are|was|were|has been|have been|ha sido|fue|foi|está)"
_BY = r"(?:by|por|pel[ao])[: ]"
_WHEN = r"(?: (?:since|as of|desde|a partir de)\b| (?:on|in|from|el|em|en)\b[^;,]{0,30}\d{4}\b)"
_NOT = (  # of another document, in part, on a condition
    r"(?!.*(?:\b(?:if|when|unless|any|law|si|se|in part|reinstated|notice|below|following)\b"
    r"|\b(?:siguient|seguint)es\b|\bnone$|\b(?:by|por|pel[ao]) (?:this|est[ae]|(?:the |la )?presente?)\b))"
)
ITSELF = re.compile(
    rf"(?i){_NOT}[>*_\s]*(?:(?:(?:status|estado)\W+{_LAPSED}|(?:note\W+)?(?:this|these|est[ae]s?) "
    rf"(?:[\w-]+ ){{0,3}}?{_KIND}(?: de \w+)? (?:{_IS} {_LAPSED}|{_ENDED}))"
    rf"(?:\W*$|,? {_BY}|{_WHEN})|[(\[]?{_LAPSED}(?:{_WHEN}|:? {_BY})[^?,]*$)"
)
BANNER = re.compile(rf"(?i)[>*_(\[\s]*{_LAPSED}\W*$")  # of the first two lines
HISTORY = re.compile(
    r"(?i)(?:version|revision|document|change|amendment) (?:history|log|control|record)|hist[óo]ri|revisions"
)
LEFT_OUT = ["path", "reason", "do"]
IGNORED = re.compile(r"(^|/)(\.|~\$|__MACOSX|Thumbs\.db$)")
NAMES = {  # of a field, the first that holds something, also below `metadata`
    "id": ("id", "chunk_id", "passage_id"),
    "text": ("text", "page_content", "content", "document", "passage", "chunk", "body"),
    "document": ("doc_id", "document_id", "source"),
    "title": ("title",),
    "status": ("status",),
    "audience": ("audience",),
}


class Collection(NamedTuple):
    """The documents, their passages (both as tables), and what was left out, and why."""

    documents: pd.DataFrame
    chunks: pd.DataFrame
    left_out: pd.DataFrame


def is_passage_file(given: str) -> bool:
    """Whether documents are named by a .jsonl file of passages."""
    return given.lower().endswith(".jsonl")


def read_collection(given: str, *, max_tokens: int = MAX_TOKENS) -> Collection:
    """A folder of documents cut into passages of at most `max_tokens` tokens, or a .jsonl file of passages as
    they are; noted as read.

    InputError if nothing can be read. ParameterError if max_tokens is below 8.
    """
    path = provenance.reads_input(given)
    if is_passage_file(given):
        return _of_records(path, given)
    documents, left_out = load(path)
    return Collection(documents, chunk(documents, max_tokens=max_tokens), left_out)


def _of_records(path: Path, name: str) -> Collection:
    """The passages of a file, a line each; one without id or text, or with the id of another, is left out."""
    rows: dict[str, dict[str, Any]] = {}
    gaps: list[tuple[str, str, str]] = []
    for record in read_records(path):
        found, where = {field: _value(record.values, field) for field in NAMES}, record.where
        absent = next((field for field in ("id", "text") if not found[field].strip()), "")
        if absent or found["id"] in rows:
            why = f"it has no {absent}" if absent else "its id stands twice"
            gaps.append((where, why, "give each passage an `id` of its own and a `text`"))
            continue
        marks = {column: words.get(found[column].strip().lower()) for column, words in WORDS.items()}
        gaps += [
            (where, f"its {column} {found[column][:40]!r} is not known", f"write one of {', '.join(words)}")
            for column, words in WORDS.items()
            if found[column].strip() and marks[column] is None
        ]
        rows[found["id"]] = {
            "chunk_id": found["id"],
            "doc_id": found["document"] or found["id"],
            "title": found["title"],
            "text": found["text"],
            "language": language(found["text"]),
            **marks,
        }
    if not rows:
        raise InputError(
            "the file holds no passage",
            where=name,
            found=gaps[0][1] if gaps else "it is empty",
            do="give each line an `id` and a `text`",
        )
    passages, documents = pd.DataFrame(rows.values()), []
    chunks = as_passages(passages).assign(title=passages["title"])
    for doc_id, part in passages.groupby("doc_id", sort=False):
        title = next(filter(None, part["title"]), "")
        more = {"language": part["language"].mode().iloc[0], "headings": []}
        for column in WORDS:  # superseded or for staff if one of its passages is
            said = [word for word in (SUPERSEDED, STAFF, CURRENT, EVERYONE) if word in set(part[column])]
            more[column] = next(iter(said), None)
        row = of_text(str(doc_id), "\n\n".join(part["text"]), name, title=title)
        documents.append(_at_its_word(row | more))
    return Collection(pd.DataFrame(documents), chunks, pd.DataFrame(gaps, columns=LEFT_OUT))


def _value(record: dict, field: str) -> str:
    below = record.get("metadata")
    places = [record, below] if isinstance(below, dict) else [record]
    values = (place.get(name) for place in places for name in NAMES[field])
    plain = (one for one in values if isinstance(one, str | int | float) and not isinstance(one, bool))
    return str(next(plain, "")).encode("utf-8", "replace").decode()


def load(folder: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read every .txt, .md, .html, .htm, .pdf and .docx file below a folder, in the order of their relative
    paths.

    documents : doc_id, title (300 characters at most), path (relative), sha256 (of the file), language,
        status (current, superseded) and audience (everyone, staff) as `documents.csv` says them,
        at_its_word (superseded as it says itself: nobody marked it), text, headings (line numbers of text)
    left_out : path, reason, do; one row per file that could not be read (or only in part: PDF pages without
        text), that is no regular file, whose name is not UTF-8, or that is a link out of the folder

    InputError if nothing in the folder can be read, or its `documents.csv` is wrong.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(
            "No folder can be read",
            where=root,
            found="a file" if root.exists() else "nothing there",
            expected="a folder",
        )
    marked = _marks_of(root)
    rows: list[dict[str, Any]] = []
    left_out: list[dict[str, str]] = []
    # all that is no plain folder; bytes of a name that are no UTF-8 as \\xe9; a link to a folder inside is
    # passed over: its files are found in it
    files = {
        os.fsencode(path.relative_to(root).as_posix()).decode("utf-8", "backslashreplace"): path
        for path in root.rglob("*")
        if not path.is_dir() or not os.access(path, os.R_OK) or (path.is_symlink() and _leads_out(path, root))
    }
    for name, path in sorted(files.items()):
        if IGNORED.search(name) or (name == SIDECAR and marked is not None):
            continue
        try:
            row, gaps = _row(path, name, root)
        except DocumentError as error:
            left_out.append(
                {
                    "path": name,
                    "reason": error.what if error.found is None else f"{error.what}: {error.found}",
                    "do": error.do or "",
                }
            )
        else:
            rows.append(_at_its_word(row | (marked or {}).get(name, {})))
            left_out += [
                {"path": name, "reason": gap, "do": "the rest of the document was read"} for gap in gaps
            ]
    if not rows:
        raise InputError(
            "No document could be read",
            where=root,
            found="; ".join(f"{item['path']}: {item['reason']}" for item in left_out[:3]) or "no file",
            expected=", ".join(file_loaders.READERS),
        )
    stems, taken = Counter(safe(row["doc_id"]) for row in rows), set[str]()
    for row in rows:  # the file's stem; its path below the folder where several have this stem; then a number
        name = safe(row["doc_id"])
        name = name if stems[name] == 1 else safe(row["path"].replace("/", "-"))
        options = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
        row["doc_id"] = next(option for option in options if option not in taken)
        taken.add(row["doc_id"])
    return pd.DataFrame(rows, columns=COLUMNS), pd.DataFrame(left_out, columns=LEFT_OUT)


def language(text: str) -> str:
    """ISO 639-1 code: the likeliest of de, en, es, fr, it, nl, pt; `en` where fewer than 20 letters are there
    to judge by."""
    import py3langid

    sample = squeeze(text[:6000])
    if sum(map(str.isalpha, sample)) < 20:
        return "en"
    return next(
        code for code, _ in py3langid.rank(sample) if code in {"de", "en", "es", "fr", "it", "nl", "pt"}
    )


def of_text(
    doc_id: str, text: str, path: str, *, title: str = "", longest: int = LONGEST_TITLE
) -> dict[str, Any]:
    """A row of the documents for a text that is no file: its title is its first line where it has none."""
    title = title or squeeze(text.strip().split("\n")[0])
    return {
        "doc_id": doc_id,
        "title": title[:longest],
        "path": path,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "language": language(text),
        "text": text,
    }


def _leads_out(path: Path, root: Path) -> bool:
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _row(path: Path, name: str, root: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The row of one file, its name in place of a doc_id, and what of it could not be read; DocumentError
    also for what is never opened: opening a pipe, for one, would wait for ever."""
    try:
        never_opened = (
            (name != path.relative_to(root).as_posix(), "The file's name is not UTF-8", "rename the file"),
            (_leads_out(path, root), "The link leads out of the folder", "put the file itself there"),
            (not path.exists(), "The link leads nowhere", "remove it, or correct it"),
            (path.is_dir(), "The folder cannot be listed", "let its files be read"),
            (not path.is_file(), "It is no file: a pipe, or such", "remove it"),
        )
        for is_so, what, do in never_opened:
            if is_so:
                raise DocumentError(what, where=name, do=do)
        content, sha256 = file_loaders.read(path, name), provenance.sha256_of(path)
    except DocumentError:
        raise
    except Exception as error:  # of the system or of a format's library: one file never stops the others
        said = error.strerror if isinstance(error, OSError) else str(error).replace(str(path), name)
        raise DocumentError(
            "The file cannot be read",
            where=name,
            found=f"{type(error).__name__}: {squeeze(str(said))[:120]}",
            do="correct it, or remove it",
        ) from error
    text, headings = assemble(content.blocks)
    if not text:
        raise DocumentError("The document holds no text", where=name, do="remove it, or give it its text")
    opening = text.split("\n")[headings[0]] if headings and headings[0] < 5 else ""
    title = squeeze(clean(content.title)) or opening or path.stem
    row = {
        "doc_id": path.stem,
        "title": title[:LONGEST_TITLE].rstrip(),
        "path": name,
        "sha256": sha256,
        "language": language(text),
        "text": text,
        "headings": headings,
        **dict.fromkeys(WORDS),
    }
    return row, content.gaps


def _at_its_word(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a document; superseded where nobody marked its status and its opening says so of itself."""
    opening = [piece for _, piece in pieces(row["text"][:OPENING], row["language"])]
    says_so = any(map(ITSELF.match, opening)) or any(map(BANNER.match, opening[:2]))
    taken = row[STATUS] is None and says_so and not any(map(HISTORY.match, opening))
    return row | {AT_ITS_WORD: taken, STATUS: SUPERSEDED if taken else row[STATUS]}


def safe(name: str) -> str:
    """Letters, digits, `-`, `_` and `.` only, in NFC; anything else becomes a hyphen. As long as a file's
    name at most."""
    return re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", name[:255])).strip("-.") or "document"


def document_of(name: str, known: Container[str]) -> str:
    """Which of the known documents an id means: of a passage (`fees#p3`), of a document, or a file's name
    (`./docs/fees.md#3`); the id without its passage where it means none of them.

    Example: `document_of("./docs/fees_2023.md#3", {"fees_2023"})` is "fees_2023"
    """
    whole = name if name in known else name.rpartition("#")[0] or name
    path = PurePosixPath(whole)
    below = [safe("-".join(path.parts[i:])) for i in range(len(path.parts))]  # as `load` names them
    return next((way for way in (whole, *below, safe(path.stem)) if way in known), whole)


def _marks_of(root: Path) -> dict[str, dict[str, str]] | None:
    """status and audience by path below the folder, as its `documents.csv` says; None where there is none: no
    file of this name with columns path, and status or audience. InputError if it names a file that is not
    there, or says a word that is not known."""
    path = root / SIDECAR
    records = whole_records(path) if path.is_file() else []
    if not records or "path" not in records[0].values or not records[0].values.keys() & WORDS.keys():
        return None
    found: dict[str, dict[str, str]] = {}
    for row in (record.values for record in records):
        name = row["path"].strip()
        if not (root / name).is_file():
            raise InputError(
                f"{SIDECAR} marks a document that is not there",
                where=name,
                do="correct the path, or remove the row",
            )
        words = {column: row.get(column, "").strip().lower() for column in WORDS}
        if unknown := next((each for each, word in words.items() if word and word not in WORDS[each]), ""):
            raise InputError(
                f"{SIDECAR} says a {unknown} that is not known",
                where=name,
                found=words[unknown],
                expected=", ".join(WORDS[unknown]),
            )
        found[name] = {column: WORDS[column][word] for column, word in words.items() if word}
    return found


def with_marks(chunks: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """The passages with status and audience of their documents; missing where nothing is said of them.

    >>> documents = pd.DataFrame({"doc_id": ["a"], "status": ["superseded"]})
    >>> with_marks(pd.DataFrame({"doc_id": ["a"]}), documents).to_dict("records")
    [{'doc_id': 'a', 'status': 'superseded', 'audience': None}]
    """
    known = documents.drop_duplicates("doc_id").set_index("doc_id")
    marks = {name: chunks["doc_id"].map(known[name]) if name in known else None for name in WORDS}
    return chunks.assign(**marks)
