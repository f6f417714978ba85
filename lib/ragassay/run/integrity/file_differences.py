"""In what a file of a run and the same file of another run differ, in words."""

import json
from pathlib import Path
from typing import Any

from ragassay import provenance, search_paths
from ragassay.errors import InputError
from ragassay.run.integrity.checksums import shown
from ragassay.sanitized_text import clean

LONGEST = 60  # letters of a value


def of_files(here: Path, again: Path, name: str) -> str:
    """What differs between `name` of two run folders; "" if their bytes are the same."""
    now, then = provenance.sha256_below(again, name), provenance.sha256_below(here, name)
    if now == then and len(now) == 64:
        return ""
    missing = "it is not written" if now == "missing" else then if len(then) != 64 else ""
    return f"{shown(name)}: is another one when run again; {missing or _detail(here, again, name)}"


def of_notebooks(here: Path, again: Path, name: str) -> str:
    """The first cell of which two executed notebooks show something else; "" if there is none."""
    for number, (one, other) in enumerate(zip(_outputs(here, name), _outputs(again, name), strict=True), 1):
        if one != other:
            return f"{shown(name)}: its code cell {number} shows something else when run again"
    return ""


def _outputs(folder: Path, name: str) -> list[Any]:
    book = json.loads(search_paths.file_below(folder, name).read_text(encoding="utf-8"))
    return [cell.get("outputs") for cell in book["cells"] if cell["cell_type"] == "code"]


def _detail(here: Path, again: Path, name: str) -> str:
    if not name.endswith(".parquet"):
        return "its bytes differ"
    import pandas as pd

    try:
        one, other = (pd.read_parquet(search_paths.file_below(folder, name)) for folder in (here, again))
    except (OSError, ValueError, InputError) as problem:
        return f"it cannot be read as a table ({type(problem).__name__})"
    if list(one.columns) != list(other.columns) or len(one) != len(other):
        return f"{_shape(one)} here, {_shape(other)} then"
    return _first_value(one, other)


def _shape(table: Any) -> str:
    return f"{len(table)} rows of {len(table.columns)} columns"


def _first_value(one: Any, other: Any) -> str:
    """Column and row of the first value that differs, and both values."""
    for column in one.columns:
        pairs = zip(one[column].map(_text), other[column].map(_text), strict=True)
        rows = [(row, *pair) for row, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
        if rows:
            row, left, right = rows[0]
            values = f"{clean(left, LONGEST)} here, {clean(right, LONGEST)} then"
            where = f"in {len(rows)} of {len(one)} rows, first in row {row}"
            return f"column {shown(column)} differs {where}: {values}"
    return "its values agree, its bytes do not"


def _text(value: Any) -> str:
    """A value letter for letter, a list by its parts."""
    return repr(value.tolist()) if hasattr(value, "tolist") else repr(value)
