"""What an engagement's own notebooks change: each beside the kit's of its name, line by line."""

import difflib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ragassay import output_files, provenance

FILE = "departures.json"
MOST_LINES = 20_000  # of a notebook whose lines are compared; longer ones are told as replaced whole


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


def find(own: dict[str, Path], kit: dict[str, Path]) -> list[Departure]:
    """A departure for each notebook of the engagement's own that says something else than the kit's."""
    found = [_departure(name, path, kit.get(name)) for name, path in own.items()]
    return [each for each in found if each.added or each.removed]


def write(run_dir: Path, departures: list[Departure]) -> None:
    """Leave them in the run folder, where the report reads them; no file where there is none."""
    if departures:
        text = json.dumps([asdict(each) for each in departures], indent=1)
        output_files.write_text(run_dir / FILE, text + "\n")
    else:
        (run_dir / FILE).unlink(missing_ok=True)


def _departure(name: str, own: Path, kit: Path | None) -> Departure:
    before, after = _lines(kit) if kit else [], _lines(own)
    diff = list(_diff(before, after, name))
    added = sum(line.startswith("+") for line in diff[2:])
    removed = sum(line.startswith("-") for line in diff[2:])
    kit_sha256 = provenance.sha256_of(kit) if kit else ""
    return Departure(name, provenance.sha256_of(own), kit_sha256, added, removed, "\n".join(diff))


def _diff(before: list[str], after: list[str], name: str) -> list[str]:
    names = f"kit/{name}", f"own/{name}"
    if before != after and max(len(before), len(after)) > MOST_LINES:
        heads = [f"--- {names[0]}", f"+++ {names[1]}"]
        return [*heads, *(f"-{line}" for line in before), *(f"+{line}" for line in after)]
    return list(difflib.unified_diff(before, after, *names, lineterm=""))


def _lines(notebook: Path) -> list[str]:
    """A notebook as text: each cell with its kind and tags above it."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [line for cell in cells for line in (_head(cell), *"".join(cell["source"]).split("\n"), "")]


def _head(cell: dict) -> str:
    tags = cell["metadata"].get("tags", [])
    return " ".join(["# %%", *(["[markdown]"] if cell["cell_type"] == "markdown" else []), *map(str, tags)])
