"""A copy of a run folder to try things in, and what was changed there taken into the engagement.

In the copy notebooks read and write the copy, and declare the values that the run was given as defaults.
`params/NAME.yml` has notebooks of its own in `params/NAME/notebooks/`; they are run in place of the kit's.
What a run has left in one (outputs, the runner's cell, its values) is taken out when it is adopted.
"""

import ast
import contextlib
import difflib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run import parameters, run_records

OWN = "own_defaults"  # in the metadata of a copy's cell of parameters: of those that the run was given
COPY = "copy_of"  # in the manifest of a copy: the run's folder
DEPARTURES = "departures.json"


def copy(run_dir: str | Path, to: str | Path = "") -> tuple[Path, Path]:
    """Copy a run folder and give each of its notebooks the copy as `run_dir`; returns the copy's path and the
    path of the run's project, where its inputs are.

    to : a folder that is not there yet; "" stands for `<run_dir>-explore`

    Raises InputError if `run_dir` is no run folder, or a notebook of it cannot be read; ParameterError if
    the folder is there already, or lies in the run folder."""
    source = search_paths.absolute(provenance.source(run_dir))
    target = search_paths.absolute(to if str(to) else source.with_name(f"{source.name}-explore"))
    if not search_paths.is_run_folder(source):
        raise InputError("this is no run folder", where=source, do="name one, such as reports/bank")
    if target.exists() or target.is_symlink():
        raise ParameterError("the copy is there already", where=target, do="name another with --out")
    if target.resolve().is_relative_to(source.resolve()):
        raise ParameterError("the copy would lie in the run folder", where=target, do="name another folder")
    output_files.check_folder(target.parent)
    try:
        with output_files.refusals(target):
            shutil.copytree(source, target, ignore=_find_links)
            for notebook in sorted((target / "notebooks").glob("*.ipynb")):
                _redirect(notebook, target)
            with contextlib.suppress(Exception):  # of a run that was not finished
                content = run_records.read_manifest(target) | {COPY: source.name}
                books = [entry for entry in content["artefacts"] if entry["path"].startswith("notebooks/")]
                for entry in books:  # as they are now: one changed later differs from it
                    entry["sha256"] = provenance.sha256_below(target, entry["path"])
                output_files.write_text(target / run_records.MANIFEST, f"{json.dumps(content, indent=1)}\n")
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return target, search_paths.of_run_folder(source)


def _find_links(folder: str, names: list[str]) -> list[str]:
    paths = [Path(folder, name) for name in names]  # a link would lead back to the run, a pipe has no end
    return [path.name for path in paths if path.is_symlink() or not (path.is_file() or path.is_dir())]


def _redirect(notebook: Path, target: Path) -> None:
    """Make the run's own values, and the copy as `run_dir`, the defaults of the cell that declares them."""
    try:
        book = json.loads(notebook.read_text(encoding="utf-8"))
        (injected,) = (cell for cell in book["cells"] if run_records.is_injected(cell))
        book["cells"].remove(injected)
        texts = dict(line.split(" = ", 1) for line in "".join(injected["source"]).splitlines()[1:] if line)
        texts[parameters.GIVEN_BY_RUNNER] = repr(str(target))
        for cell in book["cells"]:
            if "parameters" in cell["metadata"].get("tags", []):
                cell["source"], cell["metadata"][OWN] = _with_defaults("".join(cell["source"]), texts)
    except Exception as problem:
        raise InputError("cannot be read", where=notebook.name, found=problem, do="run again") from problem
    notebook.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _with_defaults(source: str, texts: dict[str, str]) -> tuple[str, dict[str, str]]:
    """A cell of parameters with these defaults; and, of those that differ, the ones that it had."""
    lines, changed = source.splitlines(keepends=True), {}
    for node in reversed(ast.parse(source if texts else "").body):  # other cells may hold no Python
        if isinstance(node, ast.AnnAssign) and node.value and (name := ast.unparse(node.target)) in texts:
            was = ast.get_source_segment(source, node.value) or ""
            if ast.literal_eval(was) != ast.literal_eval(texts[name]):
                at = source.index(was, source.index("=", sum(map(len, lines[: node.lineno - 1]))))
                changed[name], source = was, source[:at] + texts[name] + source[at + len(was) :]
    return source, changed


def folder_of(engagement: Path) -> Path:
    """Where the notebooks of an engagement's own are, by its YAML."""
    return engagement.parent / engagement.stem / "notebooks"


def engagement_of(notebook: Path) -> Path:
    """The YAML of the engagement whose run, or a copy of it, holds the notebook; ParameterError if none does,
    or its YAML is not in `params`."""
    do = "name it: --engagement params/NAME.yml"
    try:
        name = run_records.read_manifest(search_paths.absolute(notebook).parent.parent)["engagement"]
    except InputError:
        raise ParameterError("the notebook lies in no run folder", where=notebook, do=do) from None
    path = Path("params") / f"{name}.yml"
    if path.name != f"{name}.yml" or not path.is_file():
        raise ParameterError("the engagement's file is not there", where=path, do=do)
    return path


def adopt(notebook: Path, engagement: Path, name: str = "", *, replace: bool = False) -> Path:
    """Take a notebook into an engagement; returns its path there. Values that the run was given stay out.

    name : the notebook of the kit that it stands for, or a new number and name; "" is its file's

    Raises InputError if the notebook cannot be read; ParameterError if the name is none of a notebook, it
    declares no parameters, or one is there already."""
    name = name or notebook.stem
    if not re.fullmatch(r"\d\d_\w+", name):
        raise ParameterError("no notebook is called so", found=name, expected="such as 06_weakness: --as")
    if not engagement.is_file() or engagement.suffix not in (".yml", ".yaml"):
        raise ParameterError("an engagement is a YAML file that is there: --engagement", where=engagement)
    target = folder_of(engagement) / f"{name}.ipynb"
    output_files.check(target, inputs=[notebook], replace=replace)
    text = json.dumps(_without_run(notebook), indent=1, ensure_ascii=False)
    with output_files.draft(target) as draft:
        draft.write_text(f"{text}\n", encoding="utf-8")
        parameters.declared(draft)  # refused is what the runner could not run
    return target


def _without_run(notebook: Path) -> dict[str, Any]:
    """A notebook without what a run, or `copy`, has left in it; InputError if it cannot be read."""
    try:
        book = json.loads(search_paths.regular(notebook).read_text(encoding="utf-8"))
        if "worksheets" in book:
            raise ValueError("it is of nbformat 3: save it anew in JupyterLab")
        for cell in run_records.without_outputs(book)["cells"]:
            source, _ = _with_defaults("".join(cell["source"]), cell["metadata"].pop(OWN, {}))
            cell["source"] = source.splitlines(keepends=True)
            for left in ("papermill", "execution"):
                cell["metadata"].pop(left, None)
        book["metadata"].pop("papermill", None)
    except Exception as problem:
        raise InputError("the notebook cannot be read", where=notebook, found=problem) from problem
    return book


def find_departures(own: dict[str, Path], kit: dict[str, Path]) -> list[dict[str, Any]]:
    """A record for each notebook of the engagement's own that says something else than the kit's: notebook,
    sha256, kit_sha256 ("" if the kit has none of that name), added and removed (lines), diff."""

    def lines_of(notebook: Path) -> list[str]:  # each cell with its kind and tags above it
        lines: list[str] = []
        for cell in _without_run(notebook)["cells"]:
            marks = ["[markdown]"] * (cell["cell_type"] == "markdown") + cell["metadata"].get("tags", [])
            lines += [" ".join(["# %%", *map(str, marks)]), *"".join(cell["source"]).split("\n"), ""]
        return lines

    departures = []
    for name, path in own.items():
        before, after = lines_of(kit[name]) if name in kit else [], lines_of(path)
        diff = list(difflib.unified_diff(before, after, f"kit/{name}", f"own/{name}", lineterm=""))
        departure = {
            "notebook": name,
            "sha256": provenance.sha256_of(path),
            "kit_sha256": provenance.sha256_of(kit[name]) if name in kit else "",
            "added": sum(line.startswith("+") for line in diff[2:]),
            "removed": sum(line.startswith("-") for line in diff[2:]),
            "diff": "\n".join(diff),
        }
        departures += [departure] if diff else []
    return departures


def note_departures_of_copy(folder: Path) -> None:
    """Write what the notebooks of a copy change of the kit's; a folder that is no copy stays as it is."""
    with contextlib.suppress(Exception):  # what cannot be read the report says
        if COPY in run_records.read_manifest(folder):
            own, kit = parameters.notebooks(folder / "notebooks"), parameters.notebooks()
            write_departures(folder, find_departures(own, kit))


def write_departures(run_dir: Path, departures: list[dict[str, Any]]) -> None:
    """Leave them in the run folder, where the report reads them; no file where there is none."""
    (run_dir / DEPARTURES).unlink(missing_ok=True)
    if departures:
        output_files.write_text(run_dir / DEPARTURES, json.dumps(departures, indent=1) + "\n")
