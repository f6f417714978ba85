"""Scores on disk: written batch by batch beside their place, moved there in one step; read batch by batch."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import output_files
from ragassay.errors import InputError, ParameterError
from ragassay.spreadsheet_injection import to_csv, unguard_columns

TEXTS = ("case_id", "system", "metric", "state", "reason", "detail")
COLUMNS = ("case_id", "system", "repeat", "metric", "value", "state", "reason", "detail")
KINDS = (".parquet", ".jsonl", ".csv")
ENCODER = "ragassay.encoder"  # key of a Parquet file's metadata
AT_ONCE = 50_000  # rows read at once


class Writer:
    """Takes batches of scores: Parquet (one row group per batch), JSON Lines or CSV, by the suffix of the
    path.
    """

    def __init__(self, place: Path, draft: Path, encoder: dict[str, str]):
        self.place, self.draft, self.n, self.encoder = place, draft, 0, encoder
        self.kind = place.suffix.lower()
        self.parquet: Any = None

    def add(self, scores: pd.DataFrame) -> None:
        """Append a batch."""
        write = {".parquet": self._parquet, ".jsonl": self._jsonl, ".csv": self._csv}[self.kind]
        with output_files.refusals(self.place):
            write(scores.loc[:, list(COLUMNS)])
        self.n += len(scores)

    def close(self) -> None:
        """Finish the file; without any batch it is a table without rows."""
        if not self.n and self.kind != ".jsonl":
            self.add(pd.DataFrame(columns=list(COLUMNS)).astype({"repeat": "int64", "value": float}))
        with output_files.refusals(self.place):
            if self.parquet is not None:
                self.parquet.close()
            self.draft.touch()

    def _parquet(self, scores: pd.DataFrame) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = [
            (name, pa.string() if name in TEXTS else pa.int64() if name == "repeat" else pa.float64())
            for name in COLUMNS
        ]
        table = pa.Table.from_pandas(scores, pa.schema(kinds), preserve_index=False)
        table = table.replace_schema_metadata({ENCODER: json.dumps(self.encoder)} if self.encoder else None)
        if self.parquet is None:
            self.parquet = pq.ParquetWriter(self.draft, table.schema)
        self.parquet.write_table(table)

    def _jsonl(self, scores: pd.DataFrame) -> None:
        with self.draft.open("a", encoding="utf-8") as file:
            scores.to_json(file, orient="records", lines=True, force_ascii=False, double_precision=15)

    def _csv(self, scores: pd.DataFrame) -> None:
        with self.draft.open("a", encoding="utf-8", newline="") as file:
            file.write(to_csv(scores, header=not self.n))


@contextmanager
def writing(path: str | Path, encoder: dict[str, str] | None = None) -> Iterator[Writer]:
    """A writer whose file appears at `path` only when all went well; whatever stood there stays until then.

    `encoder` is the identity of the encoder behind the scores; Parquet keeps it.

    Raises
    ------
    ParameterError
        If the suffix is none of .parquet, .jsonl, .csv, or the folder does not exist.
    """
    place = check_path(path)
    with output_files.draft(place) as draft:
        writer = Writer(place, draft, encoder or {})
        try:
            yield writer
            writer.close()
        finally:
            if writer.parquet is not None:
                writer.parquet.close()


def check_path(path: str | Path) -> Path:
    """The path if scores can be written there."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        raise ParameterError(
            "the scores cannot be written there",
            found=place.name,
            expected=f"a file ending in {', '.join(KINDS)}",
            do="choose such a name",
        )
    if not place.parent.is_dir():
        raise ParameterError(
            "the scores cannot be written there",
            found=f"no folder {place.parent}",
            do="make the folder first",
        )
    return place


def encoder_of(path: Path) -> dict[str, str]:
    """Name, file and SHA-256 of the encoder behind the scores in a file; empty where it does not say."""
    import pyarrow.parquet as pq

    if path.suffix.lower() != ".parquet":
        return {}
    metadata = pq.read_schema(path).metadata or {}
    return json.loads(metadata.get(ENCODER.encode(), b"{}"))


def batches(path: Path, columns: tuple[str, ...] = COLUMNS) -> Iterator[pd.DataFrame]:
    """The scores in a file, a part at a time.

    Raises
    ------
    InputError
        If the file is gone.
    """
    if not path.is_file():
        raise InputError("the scores are no longer there", where=path, do="score again")
    kind = path.suffix.lower()
    if kind == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(AT_ONCE, columns=list(columns)):
                yield batch.to_pandas()
        return
    texts: dict[Any, Any] = dict.fromkeys(TEXTS, str)
    if kind == ".jsonl":
        parts = (
            pd.read_json(
                path, lines=True, chunksize=AT_ONCE, dtype=texts | {"value": float}, precise_float=True
            )
            if path.stat().st_size
            else []
        )
    else:
        parts = pd.read_csv(
            path, chunksize=AT_ONCE, dtype=texts, keep_default_na=False, na_values={"value": [""]}
        )  # type: ignore[assignment]
    for part in parts:
        found = part if kind == ".jsonl" else unguard_columns(part, TEXTS)
        yield found.loc[:, list(columns)]
