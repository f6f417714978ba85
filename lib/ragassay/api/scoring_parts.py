"""Answers in parts: each packed as Parquet and known by a hash of what it holds and of how it is scored; the
scores of finished parts kept in a folder, whole or not at all, so that a part is scored once."""

import hashlib
import io
import json
import os
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import output_files
from ragassay.errors import OutputError
from ragassay.scores.prepared_answer import LISTS, OTHERS, TEXTS
from ragassay.tables import is_missing

KEYS = ("case_id", "system")
UNREAD = 0  # stands for what is no text: it is unread afterwards as it was before
KEY = 24  # characters of a part's hash in its file's name


@dataclass(frozen=True)
class Kept:
    """The scores of finished parts, a Parquet file each, in a folder.

    Parameters
    ----------
    folder : beside the scores that they become part of
    """

    folder: Path

    def read(self, number: int, key: str) -> pd.DataFrame | None:
        """The scores of a part; None if it is not finished, or its file cannot be read."""
        try:
            return unpack_scores(self.path(number, key).read_bytes())
        except (OSError, ValueError):  # pyarrow's own errors are of the two
            return None

    def scores(self, number: int, key: str) -> pd.DataFrame:
        """The scores of a part that is finished; OutputError if its file is gone or damaged."""
        found = self.read(number, key)
        if found is None:
            what, do = "the scores of a finished part cannot be read", "run the same command again"
            raise OutputError(what, where=self.path(number, key), expected="the file, unchanged", do=do)
        return found

    def finished(self) -> str:
        """How many parts are finished and where they are, in words."""
        n = len(list(self.folder.glob("*.parquet")))
        return f"{n} {'part is' if n == 1 else 'parts are'} finished in {self.folder}"

    def write(self, number: int, key: str, scores: bytes) -> None:
        """Keep the scores of a part: the file appears whole, also where several processes write it."""
        place = self.path(number, key)
        with output_files.refusals(place):
            self.folder.mkdir(parents=True, exist_ok=True)
            draft = place.with_suffix(f".draft{os.getpid()}")
            draft.write_bytes(scores)
            draft.replace(place)

    def path(self, number: int, key: str) -> Path:
        """Where the scores of a part are kept."""
        return self.folder / f"{number:07}-{key[:KEY]}.parquet"

    def remove(self) -> None:
        """Remove the folder: what was kept is in the file of all scores."""
        shutil.rmtree(self.folder, ignore_errors=True)


def folder_beside(out: Path) -> Path:
    """Where the parts of scores are kept until they are written."""
    return out.with_name(f"{out.name}.parts")


def key_of(part: bytes, recipe: str) -> str:
    """A part's hash: its answers, and everything that its scores depend on."""
    return hashlib.sha256(recipe.encode() + b"\0" + part).hexdigest()


def recipe_of(**parts_of_it: Any) -> str:
    """What the scores depend on beside the answers, as text: what is given, and the kit's code."""
    return json.dumps(parts_of_it | {"code": _code()}, sort_keys=True)


@cache
def _code() -> str:
    """SHA-256 of the kit's source files."""
    room = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(room.rglob("*.py")):
        found.update(str(path.relative_to(room)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def pack(rows: pd.DataFrame) -> bytes:
    """The columns of answers (or cases) that scoring reads, each cell as JSON, as a Parquet file.

    The same rows give the same bytes; `unpack` gives rows that score to the same bits.
    """
    names = [name for name in (*KEYS, *TEXTS, *LISTS, *OTHERS) if name in rows]
    return _parquet(pd.DataFrame({name: [_cell(name, one) for one in rows[name]] for name in names}))


def unpack(part: bytes) -> pd.DataFrame:
    """The rows that were packed; a value of a wrong kind is still one, though another."""
    import pyarrow.parquet as pq

    texts = pq.read_table(io.BytesIO(part)).to_pydict()
    values = {
        name: [None if one is None else json.loads(one) for one in column] for name, column in texts.items()
    }
    return pd.DataFrame(values, dtype=object)


def pack_scores(scores: pd.DataFrame) -> bytes:
    """A table of scores as a Parquet file."""
    return _parquet(scores)


def unpack_scores(part: bytes) -> pd.DataFrame:
    """The scores that were packed."""
    found = pd.read_parquet(io.BytesIO(part))
    return found.astype({name: object for name in found if name != "value"})


def _parquet(table: pd.DataFrame) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = [(name, pa.float64() if name == "value" else pa.string()) for name in table]
    file = io.BytesIO()
    packed = pa.Table.from_pandas(table, pa.schema(kinds), preserve_index=False)
    pq.write_table(packed, file, compression="zstd")
    return file.getvalue()


def _cell(name: str, value: Any) -> str | None:
    """A value as JSON, None where it is missing; what is unread stays unread, though another value."""
    if is_missing(value):
        return None
    if name in LISTS:
        given = isinstance(value, list | tuple | np.ndarray)
        return json.dumps([one if isinstance(one, str) else UNREAD for one in value] if given else UNREAD)
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str | (int | float | dict if name in OTHERS else str)):
        return json.dumps(plain, default=str)
    return json.dumps([UNREAD] if name != "answerable" or plain else [])
