"""The example, smaller: a folder of its own with documents, questions, labels and the file that runs them."""

import json
import shutil
from pathlib import Path

import pandas as pd

from ragassay import output_files, provenance
from ragassay.cases import own_questions
from ragassay.errors import ParameterError

NAME = "demo.yml"
EVERY = 4  # of the questions that no document answers, one in so many is asked


def write(folder: Path) -> Path:
    """Write the demonstration into a folder, unless it is there; returns the path of its parameter file.

    Raises
    ------
    ParameterError
        If something else is in the folder.
    """
    path = folder / NAME
    if path.is_file():
        return path
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError("something else is there", where=folder, do="name another folder with --out")
    output_files.check_folder(folder)
    source, copies, taken = provenance.source("bundled:documents"), folder / "demo_documents", documents()
    copies.mkdir(parents=True, exist_ok=True)
    for document in (each for each in source.iterdir() if each.stem in taken):
        shutil.copyfile(document, copies / document.name)
    marks = pd.read_csv(source / "documents.csv", dtype=str, keep_default_na=False)  # superseded, for staff
    own = marks[marks.iloc[:, 0].str.split(".").str[0].isin(taken)]
    output_files.write_text(copies / "documents.csv", own.to_csv(index=False, lineterminator="\n"))
    # the questions that these documents answer, and a part of those that no document does
    records = [record for _, record in own_questions.read_records(provenance.source("bundled:questions"))]
    answered = [
        record
        for record in records
        if record["answerable"] and {each["doc_id"] for each in record["evidence"]} <= taken
    ]
    questions = answered + [record for record in records if not record["answerable"]][::EVERY]
    lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in questions)
    output_files.write_text(folder / "demo_questions.jsonl", lines)
    asked = {own_questions.id_of(each["question"]) for each in questions}
    labels = pd.read_csv(provenance.source("bundled:labels.csv"), dtype=str, keep_default_na=False)
    labels = labels[labels["case_id"].isin(asked)]
    output_files.write_text(folder / "demo_labels.csv", labels.to_csv(index=False, lineterminator="\n"))
    output_files.write_text(path, provenance.source(f"bundled:{NAME}").read_text(encoding="utf-8"))
    return path


def documents() -> set[str]:
    """The example's documents that the demonstration has, by their stems."""
    return set(provenance.source("bundled:demo_documents.txt").read_text(encoding="utf-8").split())
