"""Scores on disk: written batch by batch beside their place, moved there in one step; read batch by batch."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_files import read_records
from ragassay.errors import InputError, ParameterError
from ragassay.spreadsheet_injection import to_csv, unguard_columns

TEXTS = ("case_id", "system", "metric", "state", "reason", "detail")
COLUMNS = ("case_id", "system", "repeat", "metric", "value", "state", "reason", "detail")
KINDS = (".parquet", ".jsonl", ".csv")
ENCODER = "ragassay.encoder"  # key of a Parquet file's metadata
AT_ONCE = 50_000  # rows read at once


def write(tables: Iterable[pd.DataFrame], path: str | Path, encoder: dict[str, str] | None = None) -> Path:
    """Write tables of scores, one below the other: Parquet (one row group each), JSON Lines or CSV, by the
    suffix. The file appears only when all went well; whatever stood there stays until then.

    encoder : the identity of the encoder behind the scores; Parquet keeps it

    Raises
    ------
    ParameterError
        If the suffix is none of .parquet, .jsonl, .csv, or the folder does not exist.
    """
    place = check_path(path)
    form = _parquet if place.suffix.lower() == ".parquet" else _text
    with output_files.draft(place) as draft, form(draft, place.suffix.lower(), encoder or {}) as add:
        for scores in tables:
            with output_files.refusals(place):
                add(scores.loc[:, list(COLUMNS)])
    return place


@contextmanager
def _parquet(draft: Path, kind: str, encoder: dict[str, str]) -> Iterator[Callable[[pd.DataFrame], None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {name: pa.string() for name in TEXTS} | {"repeat": pa.int64(), "value": pa.float64()}
    metadata = {ENCODER: json.dumps(encoder)} if encoder else None
    schema = pa.schema([(name, kinds[name]) for name in COLUMNS], metadata)
    with pq.ParquetWriter(draft, schema) as file:
        yield lambda scores: file.write_table(pa.Table.from_pandas(scores, schema, preserve_index=False))


@contextmanager
def _text(draft: Path, kind: str, encoder: dict[str, str]) -> Iterator[Callable[[pd.DataFrame], object]]:
    with draft.open("w", encoding="utf-8", newline="") as file:
        if kind == ".csv":
            file.write(to_csv(pd.DataFrame(columns=list(COLUMNS))))
            yield lambda scores: file.write(to_csv(scores, header=False))
        else:
            yield lambda scores: scores.to_json(
                file, orient="records", lines=True, force_ascii=False, double_precision=15
            )


def check_path(path: str | Path) -> Path:
    """The path if scores can be written there; ParameterError if not."""
    place = Path(path)
    if place.suffix.lower() not in KINDS:
        what, expected = "the scores cannot be written there", f"a file ending in {', '.join(KINDS)}"
        raise ParameterError(what, found=place.name, expected=expected, do="choose such a name")
    if not place.parent.is_dir():
        what, found = "the scores cannot be written there", f"no folder {place.parent}"
        raise ParameterError(what, found=found, do="make the folder first")
    return place


def encoder_of(path: Path) -> dict[str, str]:
    """Name, file and SHA-256 of the encoder behind the scores in a file; empty where it does not say."""
    import pyarrow.parquet as pq

    if path.suffix.lower() != ".parquet":
        return {}
    return json.loads((pq.read_schema(path).metadata or {}).get(ENCODER.encode(), b"{}"))


def batches(path: Path, columns: tuple[str, ...] = COLUMNS) -> Iterator[pd.DataFrame]:
    """The scores in a file, a part at a time; InputError if the file is gone."""
    if not path.is_file():
        raise InputError("the scores are no longer there", where=path, do="score again")
    kind, texts = path.suffix.lower(), dict.fromkeys(TEXTS, str)
    if kind == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            yield from (part.to_pandas() for part in file.iter_batches(AT_ONCE, columns=list(columns)))
    elif kind == ".csv":
        blank = {"keep_default_na": False, "na_values": {"value": [""]}}
        for part in pd.read_csv(path, chunksize=AT_ONCE, dtype=texts, **blank):  # type: ignore[call-overload]
            yield unguard_columns(part, TEXTS).loc[:, list(columns)]
    elif path.stat().st_size:
        kinds = {**texts, "value": float}
        for part in pd.read_json(path, lines=True, chunksize=AT_ONCE, dtype=kinds, precise_float=True):  # type: ignore[arg-type]
            yield part.loc[:, list(columns)]


def read_whole(path: Path) -> pd.DataFrame:
    """The rows of a file of any kind that logs have; InputError at the first that cannot be read."""
    if path.suffix.lower() == ".parquet" and path.is_file():
        try:
            return pd.read_parquet(path)
        except (ValueError, OSError) as problem:
            raise InputError("the file cannot be read", where=path, found=str(problem)[:200]) from problem
    rows = []
    for record in read_records(path):
        if flaw := next((flaw for flaw in record.flaws if record.broken or flaw.spoils), None):
            what, wanted = "a row cannot be read", {"expected": flaw.expected, "do": flaw.do}
            raise InputError(what, where=flaw.place, found=flaw.found, **wanted)
        rows.append(record.values)
    return pd.DataFrame(rows)
