"""A tiny engagement: two notebooks that read and write through the library, and one that decides."""

from pathlib import Path

import nbformat
import pytest

PARAMETERS = 'run_dir: str = "reports/tiny"  # where tables go\nseed: int = 0  # resampling'
COUNT = """
from ragassay import evidence
evidence.save(run_dir, "count.json", {"seed": seed, "text": evidence.reads_input(text).read_text()})
"""
DECIDE = """
from ragassay import evidence
count = evidence.load(run_dir, "count.json")
evidence.save(run_dir, "decision.json", {"rating": f"{count['text']} {factor}", "exit_code": 0})
"""


def notebook(path: Path, parameters: str, *cells: str) -> Path:
    tagged = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    book = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(f"# {path.stem}"),
            tagged,
            *map(nbformat.v4.new_code_cell, cells),
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    return path


@pytest.fixture
def engagement(tmp_path, monkeypatch) -> Path:
    """A folder with notebooks/, params.yml and an input; the working folder of the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.txt").write_text("hello")
    notebook(
        tmp_path / "notebooks" / "00_scope.ipynb",
        "from ragassay.run.parameters import File\n\n"
        + PARAMETERS
        + '\ntext: File = "input.txt"  # an input',
        COUNT,
    )
    notebook(
        tmp_path / "notebooks" / "07_conclusion.ipynb",
        PARAMETERS + "\nfactor: float = 1.0  # a factor",
        DECIDE,
    )
    (tmp_path / "tiny.yml").write_text("00_scope:\n  seed: 3\n")
    return tmp_path
