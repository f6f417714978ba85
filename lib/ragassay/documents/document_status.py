"""Which documents are superseded, and which are for staff only: as `documents.csv` in their folder says;
nothing is guessed from the text."""

import csv
import io
from pathlib import Path

import pandas as pd

from ragassay.errors import InputError

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
LONGEST = 1_000_000  # characters of documents.csv


def is_sidecar(path: Path) -> bool:
    """Whether a file is a `documents.csv` that marks documents: it has a column path, and status or
    audience."""
    if path.name != SIDECAR or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        columns = {name.strip() for name in file.readline(1000).split(",")}
    return "path" in columns and bool({STATUS, AUDIENCE} & columns)


def of_folder(root: Path) -> dict[str, dict[str, str]]:
    """status and audience by path below the folder, as its `documents.csv` says; {} where there is none.
    InputError if it names a file that is not there, or says a word that is not known."""
    if not is_sidecar(root / SIDECAR):
        return {}
    with (root / SIDECAR).open(encoding="utf-8-sig", errors="replace") as file:
        rows = list(csv.DictReader(io.StringIO(file.read(LONGEST))))
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        name = str(row["path"]).strip()
        where = f"{root / SIDECAR}, {name}"
        if not (root / name).is_file():
            what, do = f"{SIDECAR} marks a document that is not there", "correct the path, or remove the row"
            raise InputError(what, where=where, do=do)
        given = {column: (row.get(column) or "").strip().lower() for column in WORDS}
        for column, word in given.items():
            if word and word not in WORDS[column]:
                what, expected = f"{SIDECAR} says a {column} that is not known", ", ".join(WORDS[column])
                raise InputError(what, where=where, found=word[:40], expected=expected)
        found[name] = {column: WORDS[column][word] for column, word in given.items() if word}
    return found


def with_marks(chunks: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """The passages with status and audience of their documents; missing where nothing is said of them."""
    known = documents.drop_duplicates("doc_id").set_index("doc_id")
    marks = {name: chunks["doc_id"].map(known[name]) if name in known else None for name in WORDS}
    return chunks.assign(**marks)
