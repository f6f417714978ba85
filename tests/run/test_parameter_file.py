"""The parameter files that the kit writes: what `init` and a form write can be run, or is not written; the demonstration."""

import csv
import json
from hashlib import sha256

import pytest
import yaml

import ragassay
from ragassay.errors import InputError, ParameterError
from ragassay.run import engagement, parameter_file, parameters, question_counts

ROWS = [{"question": f"What is {n}?", "answer": f"It is {n}.", "contexts": [f"{n}."]} for n in range(3)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.md").write_text("# Fees\n\nA stop payment costs $18.")
    (tmp_path / "mine.py").write_text("def ask(question):\n    return question\n")
    return tmp_path


def log(path, **more):
    path.write_text("\n".join(json.dumps(row | more) for row in ROWS))
    return path.name


def loaded(path):
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}
    return engagement.load(path, schemas).notebooks["00_scope"]


@pytest.mark.parametrize(
    "given",
    [{"documents": "policies", "assistant": "mine.py:ask"}, {"documents": "policies", "log": "log.jsonl"}],
)
def test_the_file_can_be_run_and_holds_what_was_given(here, given):
    log(here / "log.jsonl")
    found = loaded(parameter_file.write("mine", **given))
    named = {"log": "answers_log"}
    assert {named.get(key, key): value for key, value in given.items()}.items() <= found.items()
    assert set(found) == {"date", *(named.get(key, key) for key in given)}


@pytest.mark.parametrize(
    "given, words",
    [
        ({"log": "none.jsonl"}, "none.jsonl"),
        ({"log": "policies/a.md"}, "a.md"),
        ({"documents": "none", "assistant": "mine.py:ask"}, "none"),
        ({"documents": "policies", "assistant": "mine.py"}, "mine.py"),
        ({"assistant": "mine.py:ask"}, "documents"),
    ],
)
def test_what_cannot_be_run_is_told_and_nothing_is_written(here, given, words):
    with pytest.raises((ParameterError, InputError), match=words):
        parameter_file.write("mine", **given)
    assert not (here / "params").exists()


def test_a_size_is_one_line_from_which_the_counts_follow(here):
    """About 150, 600 and 1,000 questions; a count that the file states itself goes before it."""
    schemas, asked = parameters.schemas(), {}
    for size in ("small", "standard", "large"):
        path = parameter_file.write(size, "policies", assistant="mine.py:ask", size=size)
        assert (
            sum("size:" in line and not line.startswith("  #") for line in path.read_text().split("\n")) == 1
        )
        found = engagement.load(path, schemas, ["05_robustness.n_outside=7"])
        values = {
            name: engagement.effective(schema, found.notebooks.get(name, {}))
            for name, schema in schemas.items()
        }
        assert values["05_robustness"]["n_outside"] == 7
        asked[size] = sum(question_counts.most_questions(values).values())
    assert asked["small"] < asked["standard"] < asked["large"]
    assert asked["small"] < 200 and asked["large"] < 1000


def test_a_new_file_shows_25_parameters_and_every_one_on_demand(here):
    few, every = (parameter_file.new_text("x", everything=each) for each in (False, True))
    assert sum(line.startswith("  ") for line in few.split("\n")) == 25
    assert sum(line.startswith("  ") for line in every.split("\n")) > 100


def test_one_call_writes_the_file_of_a_log_and_the_next_takes_it(here):
    name = log(here / "my answers (1).jsonl", frage="?")
    path, told = parameter_file.write_for_log(name, mapping={"case_id": "frage"}, size="small")
    assert yaml.safe_load(path.read_text())["run"] == {"size": "small"}
    assert str(path) == "params/my-answers-1.yml" and "case_id" in " ".join(told)
    assert loaded(path)["map"] == {"case_id": "frage"} and loaded(path)["answers_log"] == name
    assert parameter_file.write_for_log(f"./{name}") == (path, [])
    assert parameter_file.write_for_log(name, here / "other.yml", "policies")[0] == here / "other.yml"


@pytest.mark.parametrize(
    "given, words",
    [
        ({"log": "b.jsonl"}, "answers_log: 'a.jsonl'"),
        ({"log": "a.jsonl", "documents": "policies"}, "documents"),
        ({"log": "a.jsonl", "mapping": {"question": "answer"}}, "map"),
    ],
)
def test_a_file_that_says_otherwise_is_neither_used_nor_replaced(here, given, words):
    log(here / "a.jsonl"), log(here / "b.jsonl")
    path = parameter_file.write("mine", log="a.jsonl")
    before = path.read_bytes()
    with pytest.raises(ParameterError, match=words) as told:
        parameter_file.write_for_log(path=path, **given)
    assert "params/NAME.yml --log" in told.value.do and path.read_bytes() == before


FILE = "00_scope:\n  answers_log: log.jsonl\n04_calibration:\n  # mine\n  alpha: 0.2\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text('{"question": "a?", "answer": "b.", "contexts": ["b."]}\n')
    (tmp_path / "mine.yml").write_text(FILE)
    return tmp_path / "mine.yml"


def widgets(form):
    return {each.description: each for each in form.children if getattr(each, "description", "")}


def save(form):
    widgets(form)["Save"].click()
    return form.children[-1].value


def test_every_parameter_has_a_widget_with_its_value(file):
    for section, book in parameters.notebooks().items():
        form = ragassay.parameter_form(file, section)
        names = [each.name for each in parameters.declared(book) if each.name != "run_dir"]
        assert list(widgets(form)) == [*names, "Save"]
    form = widgets(ragassay.parameter_form(file, "04_calibration"))
    shown = {"alpha": "0.2", "nonconformity": '"residual"', "examine_instruments": "true"}
    assert {name: form[name].value for name in shown} == shown


def test_what_is_saved_is_what_was_changed(file):
    form = ragassay.parameter_form(file, "04_calibration")
    assert save(form) == "nothing was changed" and file.read_text() == FILE
    fields = widgets(form)
    for name, value in {"alpha": "0.3", "nonconformity": "negative_logit", "segments": "[language]"}.items():
        fields[name].value = value
    assert save(form) == "saved: alpha, nonconformity, segments"
    saved = {"alpha": 0.3, "nonconformity": "negative_logit", "segments": ["language"]}
    assert yaml.safe_load(file.read_text())["04_calibration"] == saved
    assert yaml.safe_load(file.read_text())["00_scope"] == {"answers_log": "log.jsonl", "date": ""}
    assert "  # seed: " in file.read_text() and save(form) == "nothing was changed"


@pytest.mark.parametrize("name, value, words", [("alpha", "0.0", "must be float in (0, 1)"), ("segments", "[a", "YAML"), ("suite", "none.csv", "none.csv"), ("pairs", "{suport: grounded}", "suport")])  # fmt: skip
def test_what_a_run_would_refuse_is_told_and_not_saved(file, name, value, words):
    form = ragassay.parameter_form(file, "04_calibration")
    widgets(form)[name].value = value
    assert words in save(form) and file.read_text() == FILE


def test_a_section_or_file_that_is_none_is_refused(file):
    with pytest.raises(ParameterError, match="no such section"):
        ragassay.parameter_form(file, "run")
    with pytest.raises(ParameterError, match="does not exist"):
        ragassay.parameter_form("none.yml", "04_calibration")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameter_file.write_demo(tmp_path / "demo")
    return tmp_path / "demo"


def test_its_file_passes_every_check_of_a_run(folder, monkeypatch):
    monkeypatch.setenv("RAGASSAY_ENGAGEMENT", str(folder))
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}
    values = engagement.load(folder / parameter_file.DEMO, schemas).notebooks
    assert values["01_test_generation"]["n_generated"] == 8
    monkeypatch.chdir(folder)
    values = {name: engagement.effective(schema, values.get(name, {})) for name, schema in schemas.items()}
    assert sum(question_counts.most_questions(values).values()) <= 150


def test_what_it_holds_belongs_together(folder):
    questions = [json.loads(line) for line in (folder / "demo_questions.jsonl").read_text().splitlines()]
    documents = {path.stem for path in (folder / "demo_documents").iterdir()} - {"documents"}
    assert {each["doc_id"] for one in questions if one["answerable"] for each in one["evidence"]} <= documents
    answerable = sum(one["answerable"] for one in questions)
    assert answerable >= 30 and len(questions) - answerable >= 8
    rows = list(csv.DictReader((folder / "demo_labels.csv").open()))
    asked = {f"u-{sha256(one['question'].encode()).hexdigest()[:8]}" for one in questions}
    assert rows and {row["case_id"] for row in rows} <= asked
    marks = list(csv.DictReader((folder / "demo_documents" / "documents.csv").open()))
    assert {row["path"].split(".")[0] for row in marks} == documents


def test_what_somebody_changed_in_it_stays_and_what_is_not_its_own_is_left_alone(folder, tmp_path):
    (folder / parameter_file.DEMO).write_text("mine")
    assert parameter_file.write_demo(folder).read_text() == "mine"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    for name in ("other", "other/x"):
        with pytest.raises(ParameterError, match="something else is there"):
            parameter_file.write_demo(tmp_path / name)
