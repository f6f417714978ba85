"""A copy of a run folder to try things in: its notebooks read and write the copy, whatever is executed."""

import ast
import json
import shutil
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run import parameters
from ragassay.run.execution import skip_unchanged
from ragassay.run.parameters import GIVEN_BY_RUNNER

ENDING = "-explore"  # of the copy's name, beside the run
KEPT = "ragassay"  # of the metadata of the cell of parameters: its source before and after


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
    return target, search_paths.of_run_folder(source)


def _no_regular_files(folder: str, names: list[str]) -> set[str]:
    """Of a folder's entries the links, pipes and devices: a link would lead back to what must not change."""
    paths = {name: Path(folder) / name for name in names}
    return {n for n, path in paths.items() if path.is_symlink() or not (path.is_file() or path.is_dir())}


def _redirect(notebook: Path, target: Path) -> None:
    """Write the run's own values, and the copy as `run_dir`, into the one cell that declares the parameters;
    what it said before is kept in its metadata, from which `ragassay adopt` takes what nobody changed."""
    try:
        content: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
        given = "\n".join(
            "".join(cell["source"]) for cell in content["cells"] if skip_unchanged.injected(cell)
        )
        content["cells"] = [cell for cell in content["cells"] if not skip_unchanged.injected(cell)]
        for cell in content["cells"]:
            if "parameters" in cell["metadata"].get("tags", []):
                before = "".join(cell["source"])
                values = {name: _in_lines(value) for name, value in parameters.values_in(given).items()}
                values[GIVEN_BY_RUNNER] = repr(str(target))
                cell["source"] = after = parameters.with_values(before, values)
                cell["metadata"][KEPT] = {"kit": before, "run": after}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, SyntaxError) as problem:
        what, do = "an executed notebook cannot be read", "run the engagement again: it is made anew"
        raise InputError(what, where=notebook.name, found=problem, do=do) from problem
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _in_lines(value: str) -> str:
    """A value as a person types it: of a mapping an entry a line, so that a difference shows what changed."""
    if not value.startswith("{") or value == "{}":
        return value
    entries = "".join(f"    {key!r}: {entry!r},\n" for key, entry in ast.literal_eval(value).items())
    return f"{{\n{entries}}}"


def without_the_runs_values(cell: dict[str, Any]) -> str:
    """The source of a cell of such a copy as the engagement may have it: where a parameter still has the
    run's value, it gets back what it had before; what somebody changed stays."""
    source, kept = "".join(cell["source"]), cell["metadata"].get(KEPT)
    if not kept:
        return source
    if source == kept["run"]:
        return str(kept["kit"])
    now, run, kit = (parameters.values_in(text) for text in (source, kept["run"], kept["kit"]))
    return parameters.with_values(source, {name: kit[name] for name in kit if now.get(name) == run.get(name)})
