"""What an engagement's own notebook changes, line by line."""

import json

import nbformat

from ragassay.run.execution import adopted_notebooks


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


def test_very_long_ones_are_told_as_replaced_whole(tmp_path):
    many = "\n".join("x" * (n % 7) for n in range(adopted_notebooks.MOST_LINES + 1))
    kit, own = book(tmp_path / "a.ipynb", many), book(tmp_path / "b.ipynb", many + "\ny")
    found = adopted_notebooks.find_departures({"n": own}, {"n": kit})[0]
    assert found.removed > adopted_notebooks.MOST_LINES and found.added == found.removed + 1


def test_the_record_goes_when_nothing_departs(tmp_path):
    kit, own = book(tmp_path / "a.ipynb", "x"), book(tmp_path / "b.ipynb", "\x1b[31m \u202e")
    adopted_notebooks.write_departures(tmp_path, adopted_notebooks.find_departures({"n": own}, {"n": kit}))
    assert json.loads((tmp_path / adopted_notebooks.DEPARTURES).read_text())[0]["notebook"] == "n"
    adopted_notebooks.write_departures(tmp_path, [])
    adopted_notebooks.write_departures(tmp_path, [])
    assert not (tmp_path / adopted_notebooks.DEPARTURES).exists()
