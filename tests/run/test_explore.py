"""A copy to try things in: whatever its notebooks do, the run it was made of keeps its bytes."""

import json
from pathlib import Path

import pytest

from ragassay.errors import InputError, ParameterError
from ragassay.run import explore
from ragassay.run.integrity.verification import verify


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def execute(notebook: Path) -> None:
    """Every code cell, as somebody does who opens the notebook and types another seed where it is declared."""
    names: dict = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]).replace("seed: int = 3", "seed: int = 77"), names)


@pytest.mark.parametrize("out", ["", "elsewhere/copy"])
@pytest.mark.parametrize("where", ["project", "the copy's notebooks", "the run's notebooks"])
def test_the_original_stays_byte_identical(finished, monkeypatch, out, where):
    before, project = files(finished), finished.parents[1]
    copy, told = explore.copy(finished, project / out if out else "")
    assert told == project
    folders = {"project": project, "the copy's notebooks": copy / "notebooks"}
    monkeypatch.chdir(folders.get(where, finished / "notebooks"))
    monkeypatch.setenv("RAGASSAY_ROOT", str(project)) if out and where == "the copy's notebooks" else None
    for notebook in sorted((copy / "notebooks").glob("*.ipynb")):
        execute(notebook)
    assert files(finished) == before and verify(finished).flaws == []
    assert json.loads((copy / "count.json").read_text())["seed"] == 77
    assert any("count.json: changed" in flaw for flaw in verify(copy).flaws)


def test_the_copy_is_what_the_run_was_but_for_the_folder_its_notebooks_name(finished):
    copy, _ = explore.copy(finished)
    ours, theirs = files(finished), files(copy)
    assert ours.keys() == theirs.keys()
    assert {name.split("/")[0] for name in ours if ours[name] != theirs[name]} == {"notebooks"}
    assert f"run_dir: str = {str(copy)!r}" in theirs["notebooks/00_scope.ipynb"].decode()


def cell_of_parameters(notebook: Path) -> str:
    cells = json.loads(notebook.read_text())["cells"]
    assert "injected-parameters" not in {tag for cell in cells for tag in cell["metadata"].get("tags", [])}
    (found,) = ("".join(c["source"]) for c in cells if "parameters" in c["metadata"].get("tags", []))
    return found


def test_the_documented_line_is_the_one_assignment(finished):
    """What somebody types there holds: no later cell assigns the parameter once more."""
    copy, _ = explore.copy(finished)
    source = cell_of_parameters(copy / "notebooks" / "00_scope.ipynb")
    assert "seed: int = 3  # resampling" in source and 'text: File = "input.txt"  # an input' in source
    assert source.count("seed") == 1 and source.count("run_dir") == 1


def test_a_notebook_that_was_never_given_parameters_is_redirected_too(finished):
    notebook = finished / "notebooks" / "00_scope.ipynb"
    content = json.loads(notebook.read_text())
    content["cells"] = [
        c for c in content["cells"] if "injected-parameters" not in c["metadata"].get("tags", [])
    ]
    notebook.write_text(json.dumps(content))
    assert "-explore" in (explore.copy(finished)[0] / "notebooks" / "00_scope.ipynb").read_text()


def test_a_link_is_not_taken_along(finished):
    """It would lead back into the run."""
    (finished / "link.json").symlink_to(finished / "count.json")
    assert not (explore.copy(finished)[0] / "link.json").is_symlink()


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
