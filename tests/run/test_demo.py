"""The demonstration's folder: questions that its documents answer, labels of these questions, a file that can be run."""

import csv
import json

import pytest

from ragassay.errors import ParameterError
from ragassay.run import demo, dry_run, parameters
from ragassay.run.parameter_file import engagement


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.write(tmp_path / "demo")
    return tmp_path / "demo"


def test_its_file_passes_every_check_of_a_run(folder, monkeypatch):
    monkeypatch.setenv("RAGASSAY_ENGAGEMENT", str(folder))
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}
    values = engagement.load(folder / demo.NAME, schemas).notebooks
    assert values["01_test_generation"]["n_generated"] == 8
    monkeypatch.chdir(folder)
    values = {name: engagement.effective(schema, values.get(name, {})) for name, schema in schemas.items()}
    assert dry_run.planned_calls(values, {}, folder / "none").n <= 200  # a run asked 137


def test_what_it_holds_belongs_together(folder):
    questions = [json.loads(line) for line in (folder / "demo_questions.jsonl").read_text().splitlines()]
    documents = {path.stem for path in (folder / "demo_documents").iterdir()} - {"documents"}
    assert documents == demo.documents()
    assert {each["doc_id"] for one in questions if one["answerable"] for each in one["evidence"]} <= documents
    assert (
        sum(one["answerable"] for one in questions) >= 30
        and sum(not one["answerable"] for one in questions) >= 8
    )
    rows = list(csv.DictReader((folder / "demo_labels.csv").open()))
    asked = {demo.own_questions.id_of(one["question"]) for one in questions}
    assert rows and {row["case_id"] for row in rows} <= asked
    marks = list(csv.DictReader((folder / "demo_documents" / "documents.csv").open()))
    assert marks and {row["path"].split(".")[0] for row in marks} <= documents


def test_what_somebody_changed_in_it_stays_and_what_is_not_its_own_is_left_alone(folder, tmp_path):
    (folder / demo.NAME).write_text("mine")
    assert demo.write(folder).read_text() == "mine"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    for name in ("other", "other/x"):
        with pytest.raises(ParameterError, match="something else is there"):
            demo.write(tmp_path / name)
