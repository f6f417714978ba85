"""The example, smaller: a folder of its own with documents, questions, labels and the file that runs them."""

import json
import shutil
from pathlib import Path

import pandas as pd

from ragassay import output_files
from ragassay.cases import own_questions
from ragassay.errors import ParameterError
from ragassay.provenance import source

NAME = "demo.yml"
EVERY = 4  # of the questions that no document answers, one in so many is asked


def write(folder: Path) -> Path:
    """Write the demonstration into a folder, unless it is there; returns the path of its parameter file.

    Raises ParameterError if something else is in the folder."""
    path = folder / NAME
    if path.is_file():
        return path
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError("something else is there", where=folder, do="name another folder with --out")
    output_files.check_folder(folder)
    copies, taken = folder / "demo_documents", documents()
    copies.mkdir(parents=True, exist_ok=True)
    for document in (each for each in source("bundled:documents").iterdir() if each.stem in taken):
        shutil.copyfile(document, copies / document.name)
    marks = _read("bundled:documents/documents.csv")  # superseded, for staff
    _write(marks[marks.iloc[:, 0].str.split(".").str[0].isin(taken)], copies / "documents.csv")
    # the questions that these documents answer, and a part of those that no document does
    records = [record for _, record in own_questions.read_records(source("bundled:questions"))]
    answerable = [record for record in records if record["answerable"]]
    questions = [each for each in answerable if {part["doc_id"] for part in each["evidence"]} <= taken]
    questions += [record for record in records if not record["answerable"]][::EVERY]
    lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in questions)
    output_files.write_text(folder / "demo_questions.jsonl", lines)
    labels, asked = _read("bundled:labels.csv"), [own_questions.id_of(each["question"]) for each in questions]
    _write(labels[labels["case_id"].isin(asked)], folder / "demo_labels.csv")
    shutil.copyfile(source(f"bundled:{NAME}"), path)
    return path


def documents() -> set[str]:
    """The example's documents that the demonstration has, by their stems."""
    return set(source("bundled:demo_documents.txt").read_text(encoding="utf-8").split())


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(source(name), dtype=str, keep_default_na=False)


def _write(table: pd.DataFrame, path: Path) -> None:
    output_files.write_text(path, table.to_csv(index=False, lineterminator="\n"))
