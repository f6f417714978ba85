"""Between notebooks: what one has finished stays as it left it, or the run stops and says what was changed."""

import json
from pathlib import Path

import pytest

from ragassay.errors import NotebookError
from ragassay.run import run
from ragassay.run.execution import notebook_record
from run.conftest import PARAMETERS, notebook

COUNT = "reports/tiny/count.json"


def go(render: bool = False):
    return run(Path("tiny.yml"), render=render)


def meddling(engagement: Path, code: str) -> None:
    """A notebook between the two whose code does what an assistant might do."""
    notebook(
        engagement / "notebooks" / "02_functionality.ipynb", PARAMETERS, f"from pathlib import Path\n{code}"
    )


@pytest.mark.parametrize(
    "file, code",
    [
        ("count.json", f"Path({COUNT!r}).write_text('forged')"),
        ("count.json", f"Path({COUNT!r}).unlink()"),
        ("count.json", f"p = Path({COUNT!r}); p.unlink(); p.symlink_to('/etc/hostname')"),
        ("count.json", "from ragassay import provenance; provenance.save(run_dir, 'count.json', {})"),
        ("notebooks/00_scope.ipynb", "Path('reports/tiny/notebooks/00_scope.ipynb').write_text('{}')"),
        (".state/00_scope.json", "Path('reports/tiny/.state/00_scope.json').write_text('{}')"),
    ],
)
def test_a_file_changed_by_another_stops_the_run(quick, file, code):
    meddling(quick, code)
    with pytest.raises(NotebookError) as caught:
        go()
    problem = caught.value
    assert problem.what.startswith(f"{file} was changed by something other than 00_scope")
    assert all((problem.where, problem.found, problem.expected, problem.do)) and "run again" in problem.do
    assert not (quick / "reports/tiny/manifest.json").exists()
    (quick / "notebooks" / "02_functionality.ipynb").unlink()
    assert go().rating == "hello 1.0"  # made anew


def test_a_forged_table_with_a_record_to_match_stops_the_run(quick):
    """The records on the disk are not what the runner believes."""
    forge = f"""
import json, hashlib
Path({COUNT!r}).write_text('{{"text": "forged"}}')
record = Path('reports/tiny/.state/00_scope.json')
content = json.loads(record.read_text())
content["writes"][0]["sha256"] = hashlib.sha256(Path({COUNT!r}).read_bytes()).hexdigest()
record.write_text(json.dumps(content))
"""
    meddling(quick, forge)
    with pytest.raises(NotebookError, match="changed by something other than 00_scope"):
        go()
    (quick / "notebooks" / "02_functionality.ipynb").unlink()
    assert go().rating == "hello 1.0"


def test_a_notebook_that_leaves_its_folder_writes_into_the_run(quick, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    meddling(
        quick,
        f"import os; os.chdir({str(elsewhere)!r})\nfrom ragassay import provenance; provenance.save(run_dir, 'late.json', {{}})",
    )
    go()
    assert (quick / "reports/tiny/late.json").exists() and not list(elsewhere.iterdir())
    written = json.loads((quick / "reports/tiny/manifest.json").read_text())
    assert written["parameters"]["00_scope"]["run_dir"] == "reports/tiny"
    assert str(quick) not in "".join(
        p.read_text() for p in (quick / "reports/tiny").rglob("*.*") if p.is_file()
    )


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"key": 3}', "[" * 100_000, '{"writes": [3]}'])
def test_a_broken_record_is_no_record(quick, text):
    go()
    (quick / "reports/tiny/.state/00_scope.json").write_text(text)
    assert notebook_record.load(quick / "reports/tiny", "00_scope") is None
    assert go().rating == "hello 1.0"
