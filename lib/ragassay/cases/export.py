"""The cases table as a file: one case a line, as `own.read_cases` and any script reads it."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay.errors import ParameterError

ENDINGS = (".jsonl", ".parquet")


def checked(path: Path) -> Path:
    """The path, if a cases file can be written there.

    Raises
    ------
    ParameterError
        If its ending is unknown or its folder does not exist.
    """
    if path.suffix not in ENDINGS:
        raise ParameterError(
            "cases are written as .jsonl or .parquet",
            where=path,
            found=path.suffix or "no ending",
            expected=", ".join(ENDINGS),
        )
    if not path.parent.is_dir():
        raise ParameterError(
            "the folder of the output does not exist", where=path.parent, do="create it, or name another"
        )
    return path


def write(cases: pd.DataFrame, path: Path) -> None:
    """Write the cases in one move; equal cases give equal bytes. Raises as `checked`."""
    draft = checked(path).with_name(path.name + ".draft")
    if path.suffix == ".parquet":
        cases.to_parquet(draft, index=False)
    else:
        lines = (
            json.dumps({name: _plain(value) for name, value in row.items()}, ensure_ascii=False)
            for row in cases.to_dict("records")
        )
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    draft.replace(path)


def _plain(value: Any) -> Any:
    """A value as JSON has it: lists stay lists, what is missing is null."""
    if isinstance(value, list | tuple | dict):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return None if not isinstance(value, list) and pd.isna(value) else value
