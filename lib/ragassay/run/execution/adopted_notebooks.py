"""Notebooks of an engagement's own: taken from a copy that somebody changed, preferred over the kit's.

`params/NAME.yml` has them in `params/NAME/notebooks/`. What a run has left in a copy (outputs, the runner's
cell, the values that `ragassay explore` put in) is taken out again.
"""

import difflib
import json
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragassay import output_files, provenance, search_paths
from ragassay.errors import InputError, ParameterError
from ragassay.run import explore, parameters
from ragassay.run.execution import skip_unchanged
from ragassay.run.integrity import manifest

FOLDER = "notebooks"
NAME = re.compile(r"\d\d_\w+")
YAML = (".yml", ".yaml")
LONGEST = 20_000_000  # bytes of a notebook that is taken
RUN_KEYS = ("papermill", "execution", explore.KEPT)  # of the metadata, what a run has left
DEPARTURES = "departures.json"


def folder_of(engagement: Path) -> Path:
    """Where the notebooks of an engagement's own are, by its YAML."""
    return engagement.parent / engagement.stem / FOLDER


def notebooks_of_engagement(engagement: Path) -> dict[str, Path]:
    """Name -> path of the notebooks of an engagement's own; none where it has none."""
    return {path.stem: path for path in sorted(folder_of(engagement).glob("[0-9][0-9]_*.ipynb"))}


def engagement_of(notebook: Path) -> Path:
    """The YAML of the engagement whose run, or a copy of it, holds the notebook.

    Raises
    ------
    ParameterError
        If none does, or its YAML is not in `params`.
    """
    folder = search_paths.absolute(notebook).parent.parent
    do = "name it: --engagement params/NAME.yml"
    try:
        name = json.loads((folder / manifest.FILE).read_text(encoding="utf-8"))["engagement"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        what = "the notebook lies in no run folder, which would say the engagement"
        raise ParameterError(what, where=notebook, do=do) from None
    path = Path("params") / f"{name}.yml"
    if search_paths.absolute(path).parent != search_paths.absolute("params") or not path.is_file():
        raise ParameterError("the engagement's file is not there", where=path, do=do)
    return path


def adopt(notebook: Path, engagement: Path, name: str = "", *, replace: bool = False) -> Path:
    """Take a notebook into an engagement; returns its path there.

    name : the notebook of the kit that it stands for, or a new one with a number of its own; "" is its
        file's

    Raises
    ------
    InputError
        If the notebook cannot be read.
    ParameterError
        If the name is none of a notebook, it declares no parameters, or one is there already.
    """
    name = name or notebook.stem
    if not NAME.fullmatch(name):
        expected = "a number of two digits and a name, such as 06_weakness"
        raise ParameterError("no notebook is called so", found=name, expected=expected, do="name it: --as")
    if not engagement.is_file():
        raise ParameterError("the engagement's file is not there", where=engagement, do="correct its path")
    if engagement.suffix not in YAML:
        raise ParameterError("an engagement is a YAML file", where=engagement, expected="params/NAME.yml")
    target = folder_of(engagement) / f"{name}.ipynb"
    output_files.check(target, inputs=[notebook], replace=replace)
    text = json.dumps(_as_written(notebook), indent=1, ensure_ascii=False) + "\n"
    with tempfile.TemporaryDirectory() as folder:  # refused is what the runner could not run
        draft = Path(folder) / target.name
        draft.write_text(text, encoding="utf-8")
        parameters.declared(draft)
    output_files.write_text(target, text)
    return target


def overruled(adopted: Path, engagement: Path) -> list[str]:
    """The parameters that an adopted notebook declares otherwise than the kit's, to no effect: the
    engagement's file gives them a value of its own."""
    import yaml

    kit = parameters.notebooks().get(adopted.stem)
    before = {each.name: each.default for each in parameters.declared(kit)} if kit else {}
    given = (yaml.safe_load(engagement.read_text(encoding="utf-8")) or {}).get(adopted.stem) or {}
    now = parameters.declared(adopted)
    return [each.name for each in now if each.name in given and before.get(each.name) != each.default]


def _as_written(notebook: Path) -> dict[str, Any]:
    """The notebook without what a run has left in it."""
    try:
        if search_paths.regular(notebook).stat().st_size > LONGEST:
            raise ValueError(f"it has more than {LONGEST:,} bytes")
        book = json.loads(notebook.read_text(encoding="utf-8"))
        book["cells"] = [cell for cell in book["cells"] if not skip_unchanged.injected(cell)]
        for cell in book["cells"]:
            cell["source"] = explore.without_the_runs_values(cell).splitlines(keepends=True)
            cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key not in RUN_KEYS}
            cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
        book["metadata"].pop("papermill", None)
        json.dumps(book, ensure_ascii=False).encode("utf-8")  # letters that are none are no notebook's
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, SyntaxError) as problem:
        do = "name a notebook (.ipynb)"
        raise InputError("the notebook cannot be read", where=notebook, found=problem, do=do) from problem
    return book


@dataclass(frozen=True)
class Departure:
    """A notebook of the engagement's own: its hash, that of the kit's ("" if the kit has none of that name),
    how many lines were added and removed, and the difference as a unified diff."""

    notebook: str
    sha256: str
    kit_sha256: str
    added: int
    removed: int
    diff: str

    @property
    def summary(self) -> dict[str, object]:
        """All but the lines, for the manifest."""
        return {key: value for key, value in asdict(self).items() if key != "diff"}


def find_departures(own: dict[str, Path], kit: dict[str, Path]) -> list[Departure]:
    """A departure for each notebook of the engagement's own that says something else than the kit's."""
    found = []
    for name, path in own.items():
        before, after = _lines_of(kit[name]) if name in kit else [], _lines_of(path)
        diff = list(difflib.unified_diff(before, after, f"kit/{name}", f"own/{name}", lineterm=""))
        added, removed = (sum(line.startswith(sign) for line in diff[2:]) for sign in "+-")
        kit_sha256 = provenance.sha256_of(kit[name]) if name in kit else ""
        one = Departure(name, provenance.sha256_of(path), kit_sha256, added, removed, "\n".join(diff))
        found += [one] if added or removed else []
    return found


def write_departures(run_dir: Path, departures: list[Departure]) -> None:
    """Leave them in the run folder, where the report reads them; no file where there is none."""
    if departures:
        text = json.dumps([asdict(each) for each in departures], indent=1)
        output_files.write_text(run_dir / DEPARTURES, text + "\n")
    else:
        (run_dir / DEPARTURES).unlink(missing_ok=True)


def _lines_of(notebook: Path) -> list[str]:
    """A notebook as text: each cell with its kind and tags above it."""
    lines: list[str] = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        kind = ["[markdown]"] if cell["cell_type"] == "markdown" else []
        head = " ".join(["# %%", *kind, *map(str, cell["metadata"].get("tags", []))])
        lines += [head, *"".join(cell["source"]).split("\n"), ""]
    return lines
