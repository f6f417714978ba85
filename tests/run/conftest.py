"""A tiny engagement: two notebooks that read and write through the library, and one that decides."""

import os
from pathlib import Path

import nbformat
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ragassay import provenance, run
from ragassay.errors import NotebookError
from ragassay.models import head_file, model_files
from ragassay.run import execute_notebook
from ragassay.run.parameters import MODELS

PARAMETERS = 'run_dir: str = "reports/tiny"  # where tables go\nseed: int = 0  # resampling'
TOXICITY = provenance.sha256_of(head_file.FOLDER / "toxicity.safetensors")
COUNT = """
from ragassay import provenance
provenance.save(run_dir, "count.json", {"seed": seed, "text": provenance.reads_input(text).read_text()})
"""
DECIDE = """
from ragassay import provenance
count = provenance.load(run_dir, "count.json")
provenance.save(run_dir, "decision.json", {"rating": f"{count['text']} {factor}", "exit_code": 0, "reasons": []})
"""


def notebook(path: Path, parameters: str, *cells: str) -> Path:
    tagged = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    heading, more = nbformat.v4.new_markdown_cell(f"# {path.stem}"), map(nbformat.v4.new_code_cell, cells)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[heading, tagged, *more]), path)
    return path


def make_engagement(folder: Path) -> Path:
    """Write notebooks/, tiny.yml and an input into a folder."""
    (folder / "input.txt").write_text("hello")
    scope = f'from ragassay.run.parameters import File\n\n{PARAMETERS}\ntext: File = "input.txt"  # an input'
    notebook(folder / "notebooks/00_scope.ipynb", scope, COUNT)
    decision = f"{PARAMETERS}\nfactor: float = 1.0  # a factor"
    notebook(folder / "notebooks/07_conclusion.ipynb", decision, DECIDE)
    (folder / "tiny.yml").write_text("00_scope:\n  seed: 3\n")
    return folder


@pytest.fixture
def engagement(tmp_path, monkeypatch) -> Path:
    """A folder with notebooks/, tiny.yml and an input; the working folder of the test."""
    monkeypatch.chdir(tmp_path)
    return make_engagement(tmp_path)


def execute_here(notebook, output, parameters, *, settings, trace, progress) -> None:
    """As `execute_notebook.execute`, in this process: no kernel, no seal, some milliseconds."""
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    book = parameterize_notebook(
        load_notebook_node(str(notebook)), parameters, kernel_name="python3", language="python"
    )
    before, work, names = os.environ.copy(), Path.cwd(), {}
    given = execute_notebook.environment(settings, trace)
    names_given = ("RAGASSAY_TRACE", "RAGASSAY_ALLOW", *(f"RAGASSAY_{m.upper()}" for m in MODELS))
    os.environ.update({name: given[name] for name in names_given})
    provenance.append({"event": "sealed", "policy": "sealed by nothing: a test"})
    model_files.note_inputs()
    provenance.model("tiny", "heads/toxicity.safetensors", TOXICITY)
    try:
        for cell in book.cells:
            exec(cell.source if cell.cell_type == "code" else "", names)
    except Exception as problem:
        raise NotebookError(f"{notebook.stem} stopped") from problem
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(work)
        output.parent.mkdir(exist_ok=True)
        nbformat.write(book, output)
        execute_notebook.normalise(output)


def make_key(path: Path) -> Path:
    """A private key of Ed25519, and its public half beside it, as `ssh-keygen` leaves them; the path of this one."""
    key, form = Ed25519PrivateKey.generate(), serialization.Encoding
    plain = serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(form.PEM, *plain))
    public = path.with_name(f"{path.name}.pub")
    public.write_bytes(key.public_key().public_bytes(form.OpenSSH, serialization.PublicFormat.OpenSSH))
    return public


@pytest.fixture
def quick(engagement, monkeypatch) -> Path:
    """The tiny engagement, executed in this process."""
    monkeypatch.setattr(execute_notebook, "execute", execute_here)
    return engagement


def finish(folder: Path) -> Path:
    """The tiny engagement with its finished run and its report."""
    make_engagement(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(execute_notebook, "execute", execute_here)
        run.run(Path("tiny.yml"))
    return folder
