"""A copy to try things in leaves the run as it was; what is changed there becomes the engagement's own notebook."""

import json
from pathlib import Path

import nbformat
import pytest

from ragassay import tables
from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run import explore, run, run_records
from ragassay.run.parameters import declared
from ragassay.run.verification import verify
from run.conftest import PARAMETERS, notebook

TINY = Path("params/tiny.yml")
COPIES = Path("reports/tiny-explore/notebooks")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def execute(book: Path) -> None:
    """Every code cell, as somebody does who opens the notebook and types another seed among the run's values."""
    names: dict = {}
    for cell in json.loads(book.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]).replace("seed: int = 3", "seed: int = 77"), names)


@pytest.mark.parametrize("out", ["", "elsewhere/copy"])
def test_the_original_stays_byte_identical(finished, monkeypatch, out):
    before, project = files(finished), finished.parents[1]
    copy, told = explore.copy(finished, project / out if out else "")
    assert told == project and files(copy).keys() == before.keys()
    monkeypatch.chdir(project if out else copy / "notebooks")
    for book in sorted((copy / "notebooks").glob("*.ipynb")):
        execute(book)
    assert files(finished) == before and verify(finished).flaws == []
    assert json.loads((copy / "count.json").read_text())["seed"] == 77


def test_the_report_of_a_copy_names_what_was_changed_there_and_nothing_else(project):
    copy = Path("reports/tiny-explore")
    assert run_records.changed_files(copy) == []
    typed(COPIES / "07_conclusion.ipynb", "{count['text']}", "own {count['text']}")
    explore.note_departures_of_copy(copy)
    (departure,) = json.loads((copy / "departures.json").read_text())
    assert (departure["notebook"], departure["added"], departure["removed"]) == ("07_conclusion", 1, 1)
    (changed,) = run_records.changed_files(copy)
    assert changed.startswith("notebooks/07_conclusion.ipynb: changed")
    explore.note_departures_of_copy(Path("reports/tiny"))
    assert not Path("reports/tiny/departures.json").exists()


def test_what_is_there_is_not_replaced_and_a_copy_that_fails_leaves_nothing(finished):
    with pytest.raises(ParameterError, match="there already"):
        explore.copy(finished, finished.parent)
    with pytest.raises(ParameterError, match="would lie in the run folder"):
        explore.copy(finished, finished / "copy")
    with pytest.raises(InputError, match="no run folder"):
        explore.copy(finished.parent)
    (finished / "notebooks" / "00_scope.ipynb").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        explore.copy(finished)
    assert [path.name for path in finished.parent.iterdir()] == ["tiny"]


@pytest.fixture
def project(quick):
    """The tiny engagement with its file in `params`, run once and copied."""
    (quick / "params").mkdir()
    (quick / "tiny.yml").rename(TINY)
    run(TINY, render=False)
    explore.copy("reports/tiny")
    return quick


def typed(path: Path, old: str, new: str) -> Path:
    """Changed in the cells alone, as somebody types it."""
    read = nbformat.read(path, as_version=4)
    for cell in read.cells:
        cell.source = cell.source.replace(old, new)
    nbformat.write(read, path)
    return path


def test_a_changed_copy_is_run_from_then_on_and_the_run_says_so(project):
    copy = typed(COPIES / "07_conclusion.ipynb", "{count['text']}", "own {count['text']}")
    own = explore.adopt(copy, explore.engagement_of(copy))
    kit = Path("notebooks/07_conclusion.ipynb")
    assert own == Path("params/tiny/notebooks/07_conclusion.ipynb") and declared(own) == declared(kit)
    assert run(TINY, render=False).rating == "own hello 1.0"
    made = json.loads(Path("reports/tiny/manifest.json").read_text())
    (departure,) = json.loads(Path("reports/tiny/departures.json").read_text())
    assert [(each["added"], each["removed"]) for each in (*made["departures"], departure)] == [(1, 1)] * 2
    assert '+provenance.save(run_dir, "decision.json", {"rating": f"own' in departure["diff"]
    assert verify("reports/tiny").flaws == []
    own.unlink()
    assert run(TINY, render=False).rating == "hello 1.0" and not Path("reports/tiny/departures.json").exists()


def test_an_unchanged_copy_departs_in_nothing_and_nothing_of_a_run_is_left_in_it(project):
    own = json.loads(explore.adopt(COPIES / "00_scope.ipynb", TINY).read_text())
    kit = json.loads(Path("notebooks/00_scope.ipynb").read_text())
    ours, theirs = (["".join(cell["source"]) for cell in book["cells"]] for book in (own, kit))
    assert ours == theirs
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in own["cells"])
    run(TINY, render=False)
    assert json.loads(Path("reports/tiny/manifest.json").read_text())["departures"] == []


def test_a_default_that_was_changed_is_kept_and_no_value_of_the_run(project):
    """The engagement's file goes on deciding what it decided."""
    decided = typed(COPIES / "07_conclusion.ipynb", "factor: float = 1.0", "factor: float = 2.5")
    own = explore.adopt(decided, TINY)
    assert {p.name: p.default for p in declared(own)} == {"run_dir": "reports/tiny", "seed": 0, "factor": 2.5}
    seeded = explore.adopt(typed(COPIES / "00_scope.ipynb", "seed: int = 3", "seed: int = 4"), TINY)
    assert seeded.read_text().count("seed") == Path("notebooks/00_scope.ipynb").read_text().count("seed")
    assert run(TINY, render=False).rating == "hello 2.5"


def test_a_copy_assigns_each_parameter_once_and_alone(project):
    """The declared line is the one that counts, whatever it held: a list, an equals sign, a text of any signs."""
    source = (
        'a: list[str] = ["=", "é"]  # a = 1\nb: dict[str, int] = {\n    "x": 1,\n}\nc: str = "é = 1"  # b\n'
    )
    values = {"a": "[]", "b": "{'y': 2}", "c": "'=\"'"}
    changed, own = explore._with_defaults(source, values)
    assert changed == "a: list[str] = []  # a = 1\nb: dict[str, int] = {'y': 2}\nc: str = '=\"'  # b\n"
    assert explore._with_defaults(changed, own) == (source, values)
    for book in COPIES.glob("*.ipynb"):
        assert sum("injected" in str(cell["metadata"]) for cell in json.loads(book.read_text())["cells"]) == 0


def test_a_notebook_of_its_own_is_added_in_order_and_its_tables_go_with_it(project):
    frame = "import pandas as pd\nfrom ragassay import tables\n"
    cell = 'tables.write(run_dir, "findings", pd.DataFrame(columns=list(tables.TABLES["findings"].columns)), part="x")'
    notebook(project / "extra.ipynb", PARAMETERS, frame + cell)
    own = explore.adopt(Path("extra.ipynb"), TINY, "05_extra")
    run(TINY, render=False)
    made = json.loads(Path("reports/tiny/manifest.json").read_text())
    assert list(made["parameters"]) == ["00_scope", "05_extra", "07_conclusion"]
    assert made["departures"][0]["kit_sha256"] == "" and tables.parts("reports/tiny", "findings") == ["x"]
    own.unlink()
    run(TINY, render=False)
    assert tables.parts("reports/tiny", "findings") == []


@pytest.mark.parametrize("minor", [0, 4, 5])
@pytest.mark.filterwarnings("ignore::nbformat.warnings.MissingIDFieldWarning")
def test_a_notebook_of_an_older_format_is_run_and_adopted(project, minor):
    """Its cells have no ids: of 4.0 as of then, of 4.5 as written by another program."""
    book = json.loads(typed(COPIES / "07_conclusion.ipynb", "{count['text']}", "own").read_text())
    cells = [{name: part for name, part in cell.items() if name != "id"} for cell in book["cells"]]
    Path("07_x.ipynb").write_text(json.dumps(book | {"nbformat_minor": minor, "cells": cells}))
    explore.adopt(Path("07_x.ipynb"), TINY, "07_conclusion")
    assert run(TINY, render=False).rating == "own 1.0"


def test_a_notebook_of_format_3_is_refused_with_its_reason(project):
    own, old = (
        Path("params/tiny/notebooks/07_conclusion.ipynb"),
        nbformat.read("notebooks/07_conclusion.ipynb", 3),
    )
    own.parent.mkdir(parents=True)
    own.write_text(nbformat.writes(old, version=3))
    with pytest.raises(InputError, match="nbformat 3"):
        explore.adopt(own, TINY, "07_other")
    with pytest.raises(InputError, match="nbformat 3"):
        run(TINY, render=False)


@pytest.mark.parametrize("name", ["../../x", "7_conclusion", "conclusion"])
def test_a_name_that_is_none_of_a_notebook_is_refused(project, name):
    with pytest.raises(ParameterError, match="no notebook is called so"):
        explore.adopt(Path("notebooks/00_scope.ipynb"), TINY, name)


@pytest.mark.parametrize("text", ["", '{"cells": 3, "metadata": {}}', "[" * 100_000])
def test_what_is_no_notebook_is_refused(project, text):
    Path("07_x.ipynb").write_text(text)
    with pytest.raises(InputError, match="cannot be read"):
        explore.adopt(Path("07_x.ipynb"), TINY)
    with pytest.raises(ParameterError, match="must read"):
        explore.adopt(notebook(project / "07_x.ipynb", "name = 1"), TINY)


def test_the_engagement_is_that_of_the_run_and_no_other_file(project):
    book, made = COPIES / "00_scope.ipynb", Path("reports/tiny-explore/manifest.json")
    assert explore.engagement_of(book) == TINY
    content = json.loads(made.read_text())
    for name in ("../tiny", "/etc/passwd", "none", 3):
        made.write_text(json.dumps(content | {"engagement": name}))
        with pytest.raises(KitError, match="--engagement"):
            explore.engagement_of(book)
    with pytest.raises(ParameterError, match="no run folder"):
        explore.engagement_of(Path("notebooks/00_scope.ipynb"))
    with pytest.raises(ParameterError, match="YAML file"):
        explore.adopt(book, Path("given.jsonl"))
