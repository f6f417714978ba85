"""A copy of a run folder to try things in: its notebooks read and write the copy, whatever is executed."""

import json
import shutil
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run.execution import skip_unchanged
from ragassay.run.parameters import GIVEN_BY_RUNNER

ENDING = "-explore"  # of the copy's name, beside the run
MARK = "# the run's values, by `ragassay explore`; `ragassay adopt` removes them"


def copy(run_dir: str | Path, to: str | Path = "") -> tuple[Path, Path]:
    """Copy a run folder and give each of its notebooks the copy as `run_dir`; returns the copy's path and the
    path of the run's project, where its inputs are.

    Parameters
    ----------
    to : a folder that is not there yet; "" stands for `<run_dir>-explore`

    Raises
    ------
    InputError
        If `run_dir` is no run folder, or a notebook of it cannot be read.
    ParameterError
        If the folder is there already, or lies in the run folder.
    """
    source = search_paths.absolute(provenance.source(run_dir))
    target = search_paths.absolute(to if str(to) else source.with_name(source.name + ENDING))
    if not search_paths.is_run_folder(source):
        raise InputError("this is no run folder", where=source, do="name one, such as reports/bank")
    if target.exists() or target.is_symlink():
        do = "open its notebooks in JupyterLab, name another with --out, or remove it"
        raise ParameterError("the copy's folder is there already", where=target, do=do)
    if target.resolve().is_relative_to(source.resolve()):
        raise ParameterError("the copy would lie in the run folder", where=target, do="name another folder")
    output_files.check_folder(target.parent)
    return _copied(source, target), search_paths.of_run_folder(source)


def _copied(source: Path, target: Path) -> Path:
    draft = target.with_name(f".{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)  # of a copy that was interrupted
    try:
        with output_files.refusals(target):
            shutil.copytree(source, draft, ignore=_no_regular_files)
            for notebook in sorted((draft / "notebooks").glob("*.ipynb")):
                _redirect(notebook, target)
            draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _no_regular_files(folder: str, names: list[str]) -> set[str]:
    """Of a folder's entries the links, pipes and devices: a link would lead back to what must not change."""
    plain = {path.name for path in Path(folder).iterdir() if not path.is_symlink() and _can_be_copied(path)}
    return set(names) - plain


def _can_be_copied(path: Path) -> bool:
    return path.is_file() or path.is_dir()


def _redirect(notebook: Path, target: Path) -> None:
    """Give the cell of defaults the run's own values and the copy as `run_dir`, and the runner's cell too:
    papermill replaces the latter, so that the former must not lead back."""
    line = f"{GIVEN_BY_RUNNER} = {str(target)!r}  # this copy, not the run"
    try:
        content: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
        given = [cell for cell in content["cells"] if skip_unchanged.injected(cell)]
        defaults = [cell for cell in content["cells"] if "parameters" in cell["metadata"].get("tags", [])]
        values = ["".join(cell["source"]).rstrip("\n") for cell in given]
        for cell in given:
            cell["source"] = "\n".join([*values, line])
        for cell in defaults:
            cell["source"] = "\n".join(["".join(cell["source"]).rstrip("\n"), MARK, *values, line])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        what, do = "an executed notebook cannot be read", "run the engagement again: it is made anew"
        raise InputError(what, where=notebook.name, found=problem, do=do) from problem
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
