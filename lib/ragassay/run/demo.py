"""The example, smaller: a folder of its own with documents, questions, labels and the file that runs them."""

import json
import shutil
from pathlib import Path

import pandas as pd

from ragassay import output_files, provenance
from ragassay.cases import own_questions
from ragassay.errors import ParameterError

NAME = "demo.yml"
DOCUMENTS = "demo_documents.txt"  # of the example: the stems of its documents that are taken
MARKS = "documents.csv"  # beside the documents: which are superseded, or for staff
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
    source, taken, copies = provenance.source("bundled:documents"), documents(), folder / "demo_documents"
    copies.mkdir(parents=True, exist_ok=True)
    for each in sorted(source.iterdir()):
        if each.stem in taken:
            shutil.copyfile(each, copies / each.name)
    head, *marked = (source / MARKS).read_text(encoding="utf-8").splitlines()
    kept = [line for line in marked if line.split(".")[0] in taken]
    output_files.write_text(copies / MARKS, "\n".join([head, *kept, ""]))
    # the questions that these documents answer, and a part of those that no document does
    records = [record for _, record in own_questions.read_records(provenance.source("bundled:questions"))]
    unanswerable = [record for record in records if not record["answerable"]]
    questions = [
        record
        for record in records
        if record["answerable"] and {each["doc_id"] for each in record["evidence"]} <= taken
    ] + unanswerable[::EVERY]
    lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in questions)
    output_files.write_text(folder / "demo_questions.jsonl", lines)
    asked = {own_questions.id_of(each["question"]) for each in questions}
    labels = pd.read_csv(provenance.source("bundled:labels.csv"), dtype=str, keep_default_na=False)
    labels = labels[labels["case_id"].isin(asked)]
    output_files.write_text(folder / "demo_labels.csv", labels.to_csv(index=False, lineterminator="\n"))
    output_files.write_text(path, provenance.source(provenance.BUNDLED + NAME).read_text(encoding="utf-8"))
    return path


def documents() -> set[str]:
    """The example's documents that the demonstration has, by their stems."""
    return set(provenance.source(provenance.BUNDLED + DOCUMENTS).read_text(encoding="utf-8").split())
