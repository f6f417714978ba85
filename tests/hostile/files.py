"""Files of every kind, sound, odd or spoilt: `make` draws one, and says how many rows it holds where that can be said."""

import gzip
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

from hostile import payloads

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Made:
    """A file, what is odd about it, and how many rows any reader must account for; None where that is open."""

    path: Path
    about: str
    rows: int | None = None


def jsonl(rows: Rows, path: Path, markers: Path) -> None:
    lines = (json.dumps(row, default=str) + "\n" for row in rows)
    path.write_bytes("".join(lines).encode("utf-8", "surrogatepass"))


def whole_json(rows: Rows, path: Path, markers: Path) -> None:
    path.write_bytes(json.dumps(rows, default=str).encode("utf-8", "surrogatepass"))


def delimited(separator: str) -> Callable[[Rows, Path, Path], None]:
    def write(rows: Rows, path: Path, markers: Path) -> None:
        text = pd.DataFrame(_plain(rows)).to_csv(index=False, sep=separator)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))

    return write


def parquet(rows: Rows, path: Path, markers: Path) -> None:
    pd.DataFrame(_plain(rows)).to_parquet(path, index=False)


def excel(rows: Rows, path: Path, markers: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    for place, row in enumerate([dict(zip(columns, columns, strict=True)), *_plain(rows)], 1):
        for at, name in enumerate(columns, 1):
            book.active.cell(place, at).value = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub(
                "?", row.get(name) or ""
            )
    book.active["ZZ1"] = f"=cmd|'/C touch {markers / 'xlsx'}'!A0"
    book.save(path)


def sqlite(rows: Rows, path: Path, markers: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        names = [
            f'"{name}"'.replace("\x00", "") for name in dict.fromkeys(name for row in rows for name in row)
        ]
        database.execute(f"CREATE TABLE answers ({', '.join(names)})")
        database.execute('CREATE VIEW "evil; DROP TABLE x" AS SELECT load_extension(1) FROM answers')
        values = [[row.get(name.strip('"')) for name in names] for row in _plain(rows)]
        database.executemany(f"INSERT INTO answers VALUES ({', '.join('?' * len(names))})", values)
        database.commit()


def yaml(rows: Rows, path: Path, markers: Path) -> None:
    lines = (f"- {text}\n" for text in payloads.armed(markers, "yaml").values())
    path.write_text("".join(lines), encoding="utf-8")


def text(rows: Rows, path: Path, markers: Path) -> None:
    path.write_bytes("\n\n".join(str(row) for row in rows).encode("utf-8", "surrogatepass"))


def markdown(rows: Rows, path: Path, markers: Path) -> None:
    lines = ["# Fees", "The overdraft fee of the Tide account is $18.00 a month."]
    lines += [
        *payloads.armed(markers, "md").values(),
        "![x](file:///etc/passwd)",
        "<!-- include /etc/passwd -->",
    ]
    path.write_text("\n\n".join(lines), encoding="utf-8")


def html(rows: Rows, path: Path, markers: Path) -> None:
    parts = "".join(f"<p onclick='x'>{text}</p>" for text in payloads.armed(markers, "html").values())
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    path.write_text(f"{entity}<html><h1>Fees</h1>{parts}&e;{'<div>' * 3000}", encoding="utf-8")


def pdf(rows: Rows, path: Path, markers: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), invariant=True)
    canvas.setTitle("\x1b[31m=cmd|x")
    for line, words in enumerate(payloads.armed(markers, "pdf").values()):
        canvas.drawString(72, 760 - 14 * line, words[:90])
    canvas.linkURL("file:///etc/passwd", (0, 0, 10, 10))
    canvas.save()


def docx(rows: Rows, path: Path, markers: Path) -> None:
    import docx as word

    document = word.Document()
    document.add_heading("Fees", 1)
    for words in payloads.armed(markers, "docx").values():
        document.add_paragraph(words)
    document.save(str(path))


def notebook(rows: Rows, path: Path, markers: Path) -> None:
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

    html = {"text/html": payloads.armed(markers, "ipynb")["html"], "text/plain": "\x1b[2J"}
    script = {"application/javascript": "alert(1)", "image/svg+xml": "<svg onload='x'/>"}
    shown = [
        *(new_output("display_data", data=data) for data in (html, script)),
        new_output("stream", name="stdout", text="\x1b]0;t\x07" + "y" * 50_000),
        new_output("error", ename="E\x1b", evalue="<script>", traceback=["\x1b[31m" * 50]),
    ]
    cells = [new_markdown_cell("\n\n".join(payloads.armed(markers, "ipynb").values()))]
    cells.append(new_code_cell(payloads.code(markers, "cell"), outputs=shown, execution_count=1))
    nbformat.write(new_notebook(cells=cells), path)


WRITERS: dict[str, Callable[[Rows, Path, Path], None]] = {
    ".jsonl": jsonl,
    ".json": whole_json,
    ".csv": delimited(","),
    ".tsv": delimited("\t"),
    ".parquet": parquet,
    ".xlsx": excel,
    ".sqlite": sqlite,
    ".yaml": yaml,
    ".txt": text,
    ".md": markdown,
    ".html": html,
    ".pdf": pdf,
    ".docx": docx,
    ".ipynb": notebook,
}
KINDS = (*WRITERS, ".jsonl.gz", ".csv.gz")
COUNTED = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".jsonl.gz", ".csv.gz")


def _bomb(path: Path, markers: Path, random: Random) -> None:
    """20 MB of nothing in 20 kB, as the kind packs it."""
    if path.suffix in (".docx", ".xlsx"):
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("word/bomb.xml", b" " * 20_000_000)
    else:
        path.write_bytes(gzip.compress(b" " * 20_000_000))


def _prefixed(head: bytes) -> Callable[[Path, Path, Random], None]:
    return lambda path, markers, random: path.write_bytes(head + path.read_bytes()) and None


def _bytes(change: Callable[[bytes, Random], bytes]) -> Callable[[Path, Path, Random], None]:
    return lambda path, markers, random: path.write_bytes(change(path.read_bytes(), random)) and None


def _flipped(content: bytes, random: Random) -> bytes:
    found = bytearray(content or b"x")
    for _ in range(20):
        found[random.randrange(len(found))] = random.randrange(256)
    return bytes(found)


def _in_its_place(make_it: Callable[[Path], None]) -> Callable[[Path, Path, Random], None]:
    def replace(path: Path, markers: Path, random: Random) -> None:
        path.unlink()
        make_it(path)

    return replace


SPOILERS: dict[str, Callable[[Path, Path, Random], None]] = {
    "empty": _bytes(lambda content, random: b""),
    "cut": _bytes(lambda content, random: content[: random.randrange(len(content) + 1)]),
    "flipped": _bytes(_flipped),
    "of nul bytes": _bytes(lambda content, random: b"\0" * 5000),
    "of random bytes": _bytes(lambda content, random: random.randbytes(5000)),
    "behind a BOM": _prefixed(b"\xef\xbb\xbf"),
    "in UTF-16": _bytes(lambda content, random: content.decode("latin-1").encode("utf-16")),
    "one line of 2 MB": _bytes(lambda content, random: b"x" * 2_000_000),
    "brackets": _bytes(lambda content, random: b"[" * 100_000),
    "twice": _bytes(lambda content, random: content + content),
    "bomb": _bomb,
    "a pickle": lambda path, markers, random: path.write_bytes(payloads.pickled(markers, "pickle")) and None,
    "no permission": lambda path, markers, random: path.chmod(0),
    "a folder": _in_its_place(Path.mkdir),
    "a link to itself": _in_its_place(lambda path: path.symlink_to(path.name)),
    "a link to nothing": _in_its_place(lambda path: path.symlink_to("nowhere")),
    "a pipe": _in_its_place(os.mkfifo),
    "/dev/zero": _in_its_place(lambda path: path.symlink_to("/dev/zero")),
    "/dev/null": _in_its_place(lambda path: path.symlink_to("/dev/null")),
}


def make(kind: str, rows: Rows, folder: Path, markers: Path, random: Random) -> Made:
    """A file of the kind in the folder, its name drawn; half of them whole, the others spoilt in one way."""
    name = "plain" if random.random() < 0.7 else _storable(random.choice(payloads.NAMES))
    path = _free(folder, name, kind)
    plain = path.with_name(path.name.removesuffix(".gz"))
    WRITERS[plain.suffix](rows, plain, markers)
    if kind.endswith(".gz"):
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    if random.random() < 0.6:
        return Made(path, f"{kind} whole", len(rows) if kind in COUNTED else None)
    flaw = random.choice(list(SPOILERS))
    SPOILERS[flaw](path, markers, random)
    return Made(path, f"{kind} {flaw}")


def _free(folder: Path, name: str, kind: str) -> Path:
    """A name not taken: what was spoilt before may be a link or a pipe, which nobody may write into."""
    paths = (folder / f"{again or ''}{name}{kind}" for again in range(100))
    return next(path for path in paths if not os.path.lexists(path))


def _storable(name: str) -> str:
    return name.replace("/", "_").replace("\x00", "_")


def _plain(rows: Rows) -> list[dict[str, str]]:
    """Every value as text: what a table of one type a column can hold."""
    return [
        {_utf8(str(name)): "" if value is None else _utf8(str(value)) for name, value in row.items()}
        for row in rows
    ]


def _utf8(value: str) -> str:
    return value.encode("utf-8", "replace").decode()
