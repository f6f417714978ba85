"""A changed copy becomes the engagement's own notebook: what a run left in it is gone, and it is run in place of the kit's."""

import json
from pathlib import Path

import nbformat
import pytest

from ragassay.errors import InputError, KitError, ParameterError
from ragassay.run import explore, run
from ragassay.run.execution import adopted_notebooks
from ragassay.run.integrity.verification import verify
from ragassay.run.parameters import declared
from run.conftest import DECIDE, PARAMETERS, notebook

TINY = Path("params/tiny.yml")


@pytest.fixture
def project(quick):
    """The tiny engagement with its file in `params`, run once and copied."""
    (quick / "params").mkdir()
    (quick / "tiny.yml").rename(TINY)
    run(TINY, render=False)
    explore.copy("reports/tiny")
    return quick


def changed(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text().replace(old, new))
    return path


def test_a_changed_copy_is_run_from_then_on_and_the_run_says_so(project):
    copy = changed(
        Path("reports/tiny-explore/notebooks/07_conclusion.ipynb"), "{count['text']}", "own {count['text']}"
    )
    own = adopted_notebooks.adopt(copy, adopted_notebooks.engagement_of(copy))
    assert own == Path("params/tiny/notebooks/07_conclusion.ipynb") and declared(own) == declared(
        Path("notebooks/07_conclusion.ipynb")
    )
    assert run(TINY, render=False).rating == "own hello 1.0"
    manifest = json.loads(Path("reports/tiny/manifest.json").read_text())
    told = json.loads(Path("reports/tiny/departures.json").read_text())
    assert [(each["notebook"], each["added"], each["removed"]) for each in manifest["departures"]] == [
        ("07_conclusion", 1, 1)
    ]
    assert '+provenance.save(run_dir, "decision.json", {"rating": f"own' in told[0]["diff"]
    assert not [flaw for flaw in verify("reports/tiny").flaws if "missing" not in flaw]
    own.unlink()
    assert run(TINY, render=False).rating == "hello 1.0" and not Path("reports/tiny/departures.json").exists()


def test_an_unchanged_copy_departs_in_nothing(project):
    adopted_notebooks.adopt(Path("reports/tiny-explore/notebooks/00_scope.ipynb"), TINY)
    run(TINY, render=False)
    assert json.loads(Path("reports/tiny/manifest.json").read_text())["departures"] == []


def test_nothing_of_a_run_is_left_in_it(project):
    own = json.loads(
        adopted_notebooks.adopt(Path("reports/tiny-explore/notebooks/00_scope.ipynb"), TINY).read_text()
    )
    kit = json.loads(Path("notebooks/00_scope.ipynb").read_text())
    assert ["".join(cell["source"]) for cell in own["cells"]] == [
        "".join(cell["source"]) for cell in kit["cells"]
    ]
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in own["cells"])
    assert "reports/tiny-explore" not in json.dumps(own)


def typed(path: Path, old: str, new: str) -> Path:
    """Changed in the cells alone, as somebody types it."""
    read = nbformat.read(path, as_version=4)
    for cell in read.cells:
        cell.source = cell.source.replace(old, new)
    nbformat.write(read, path)
    return path


def test_a_parameter_that_was_changed_is_kept_and_the_file_that_overrules_it_is_named(project):
    """A value of the run that nobody changed is no departure: the engagement's file goes on deciding it."""
    copies = Path("reports/tiny-explore/notebooks")
    decided = typed(copies / "07_conclusion.ipynb", "factor: float = 1.0", "factor: float = 2.5")
    own = adopted_notebooks.adopt(decided, TINY)
    assert {p.name: p.default for p in declared(own)} == {"run_dir": "reports/tiny", "seed": 0, "factor": 2.5}
    assert adopted_notebooks.overruled(own, TINY) == []
    seeded = adopted_notebooks.adopt(typed(copies / "00_scope.ipynb", "seed: int = 3", "seed: int = 4"), TINY)
    assert declared(seeded)[1].default == 4 and adopted_notebooks.overruled(seeded, TINY) == ["seed"]
    assert run(TINY, render=False).rating == "hello 2.5"


def test_a_notebook_of_its_own_is_added_in_order(project):
    notebook(project / "extra.ipynb", PARAMETERS, "x = 1")
    adopted_notebooks.adopt(Path("extra.ipynb"), TINY, "05_extra")
    run(TINY, render=False)
    manifest = json.loads(Path("reports/tiny/manifest.json").read_text())
    assert list(manifest["parameters"]) == ["00_scope", "05_extra", "07_conclusion"]
    assert manifest["departures"][0]["kit_sha256"] == "" and manifest["departures"][0]["removed"] == 0


def test_what_is_there_stays_unless_asked(project):
    notebook(project / "07_conclusion.ipynb", PARAMETERS, DECIDE)
    adopted_notebooks.adopt(Path("07_conclusion.ipynb"), TINY)
    with pytest.raises(ParameterError, match="there already"):
        adopted_notebooks.adopt(Path("07_conclusion.ipynb"), TINY)
    assert adopted_notebooks.adopt(Path("07_conclusion.ipynb"), TINY, replace=True).exists()


@pytest.mark.parametrize("name", ["../../x", "7_conclusion", "07_a b", "07_", "conclusion", "07_x/y"])
def test_a_name_that_is_none_of_a_notebook_is_refused(project, name):
    with pytest.raises(ParameterError, match="no notebook is called so"):
        adopted_notebooks.adopt(Path("notebooks/00_scope.ipynb"), TINY, name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"cells": 3, "metadata": {}}',
        '{"cells": [1], "metadata": {}}',
        '{"cells": [], "metadata": {"a": "\\ud83d"}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_refused(project, text):
    Path("07_x.ipynb").write_text(text)
    with pytest.raises(InputError, match="cannot be read"):
        adopted_notebooks.adopt(Path("07_x.ipynb"), TINY)
    assert not adopted_notebooks.folder_of(TINY).exists()


def test_one_without_parameters_is_refused(project):
    notebook(project / "07_x.ipynb", "name = 1")
    with pytest.raises(ParameterError, match="must read"):
        adopted_notebooks.adopt(Path("07_x.ipynb"), TINY)


@pytest.mark.parametrize("name", ["tiny", "../tiny", "/etc/passwd", "none", 3, None])
def test_the_engagement_is_that_of_the_run_and_no_other_file(project, name):
    Path("reports/tiny-explore/manifest.json").write_text(json.dumps({"engagement": name}))
    Path("tiny.yml").write_text("")
    book = Path("reports/tiny-explore/notebooks/00_scope.ipynb")
    if name == "tiny":
        assert adopted_notebooks.engagement_of(book) == TINY
    else:
        with pytest.raises(KitError, match="--engagement"):
            adopted_notebooks.engagement_of(book)


def test_an_engagement_that_is_no_yaml_is_refused_and_nothing_is_written(project):
    Path("given.jsonl").write_text("{}\n")
    with pytest.raises(ParameterError, match="an engagement is a YAML file"):
        adopted_notebooks.adopt(Path("reports/tiny-explore/notebooks/00_scope.ipynb"), Path("given.jsonl"))
    assert not Path("given").exists()


def test_a_notebook_elsewhere_says_no_engagement(project):
    with pytest.raises(ParameterError, match="no run folder"):
        adopted_notebooks.engagement_of(Path("notebooks/00_scope.ipynb"))


def book(path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_each_changed_line_is_counted_and_shown(tmp_path):
    kit, own = (
        book(tmp_path / "a.ipynb", "x = 1\ny = 2", "z"),
        book(tmp_path / "b.ipynb", "x = 1\ny = 3", "z", "--- +++"),
    )
    found = adopted_notebooks.find_departures({"07_x": own}, {"07_x": kit})[0]
    assert (found.added, found.removed) == (4, 1) and "-y = 2\n+y = 3" in found.diff
    assert found.diff.startswith("--- kit/07_x\n+++ own/07_x") and set(found.summary) == {
        "notebook",
        "sha256",
        "kit_sha256",
        "added",
        "removed",
    }
    assert adopted_notebooks.find_departures({"07_x": kit}, {"07_x": kit}) == []


def test_tags_and_kinds_of_cells_are_compared_too(tmp_path):
    kit, own = book(tmp_path / "a.ipynb", "x"), book(tmp_path / "b.ipynb", "x")
    content = json.loads(own.read_text())
    content["cells"][0]["metadata"]["tags"] = ["annex"]
    own.write_text(json.dumps(content))
    assert adopted_notebooks.find_departures({"n": own}, {"n": kit})[0].added == 1


def test_the_record_goes_when_nothing_departs(tmp_path):
    kit, own = book(tmp_path / "a.ipynb", "x"), book(tmp_path / "b.ipynb", "\x1b[31m \u202e")
    adopted_notebooks.write_departures(tmp_path, adopted_notebooks.find_departures({"n": own}, {"n": kit}))
    assert json.loads((tmp_path / adopted_notebooks.DEPARTURES).read_text())[0]["notebook"] == "n"
    adopted_notebooks.write_departures(tmp_path, [])
    adopted_notebooks.write_departures(tmp_path, [])
    assert not (tmp_path / adopted_notebooks.DEPARTURES).exists()
