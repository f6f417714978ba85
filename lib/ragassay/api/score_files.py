"""Scores on disk: written batch by batch, moved to their place in one step, read again; answers with
their scores in a tool's own file."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ragassay import output_files
from ragassay.answers import open_answers
from ragassay.answers.answer_batches import check_output_path, write_answers
from ragassay.answers.log_schemas import SCHEMAS
from ragassay.answers.tool_scores import OWN, is_given
from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError, ParameterError
from ragassay.sanitized_text import to_csv, unguard_columns

TEXTS = ("case_id", "system", "metric", "state", "reason", "detail")
COLUMNS = ("case_id", "system", "repeat", "metric", "value", "state", "reason", "detail")
KINDS = (".parquet", ".jsonl", ".csv")
ENCODER = "ragassay.encoder"  # key of a Parquet file's metadata
SUMMARY = "summary"
ANSWER = ["case_id", "system", "repeat"]  # what an answer is known by


def write(tables: Iterable[pd.DataFrame], path: str | Path, encoder: dict[str, str] | None = None) -> Path:
    """Write tables of scores, one below the other: Parquet (one row group each), JSON Lines or CSV, by the
    suffix. The file appears only when all went well; whatever stood there stays until then.

    encoder : the identity of the encoder behind the scores; Parquet keeps it

    Raises ParameterError as of `check_path`.
    """
    place = check_path(path)
    kind, columns = place.suffix.lower(), list(COLUMNS)
    with output_files.draft(place) as draft, ExitStack() as stack:
        if kind == ".parquet":
            kinds = {name: pa.string() for name in TEXTS} | {"repeat": pa.int64(), "value": pa.float64()}
            metadata = {ENCODER: json.dumps(encoder)} if encoder else None
            schema = pa.schema([(name, kinds[name]) for name in COLUMNS], metadata)
            rows = stack.enter_context(pq.ParquetWriter(draft, schema))
        else:
            file = stack.enter_context(draft.open("w", encoding="utf-8", newline=""))
            file.write(to_csv(pd.DataFrame(columns=columns)) if kind == ".csv" else "")
        for scores in tables:
            with output_files.refusals(place):
                if kind == ".parquet":
                    rows.write_table(pa.Table.from_pandas(scores[columns], schema, preserve_index=False))
                elif kind == ".csv":
                    file.write(to_csv(scores[columns], header=False))
                else:
                    how: Any = {"orient": "records", "lines": True, "force_ascii": False}
                    scores[columns].to_json(file, double_precision=15, **how)
    return place


def check_path(path: str | Path) -> Path:
    """The path if scores can be written there; ParameterError if its suffix is none of .parquet, .jsonl,
    .csv, or the folder does not exist."""
    place = Path(path)
    if place.suffix.lower() not in KINDS or not place.parent.is_dir():
        raise ParameterError(
            "no such place", found=place, expected=f"ending in {', '.join(KINDS)}, in a folder that is there"
        )
    return place


def encoder_of(path: Path) -> dict[str, str]:
    """Name, file and SHA-256 of the encoder behind the scores in a file; empty where it does not say."""
    if path.suffix.lower() != ".parquet":
        return {}
    return json.loads((pq.read_schema(path).metadata or {}).get(ENCODER.encode(), b"{}"))


def batches(path: Path, columns: tuple[str, ...] = COLUMNS) -> Iterator[pd.DataFrame]:
    """The scores in a file, of Parquet a part at a time; InputError if the file is gone."""
    if not path.is_file():
        raise InputError("the scores are no longer there", where=path, do="score again")
    kind, texts = path.suffix.lower(), dict.fromkeys(TEXTS, str)
    if kind == ".parquet":
        with pq.ParquetFile(path) as file:
            yield from (part.to_pandas() for part in file.iter_batches(50_000, columns=list(columns)))
    elif kind == ".csv":
        blank: Any = {"keep_default_na": False, "na_values": {"value": [""]}}
        yield unguard_columns(pd.read_csv(path, dtype=texts, **blank), TEXTS).loc[:, list(columns)]
    elif path.stat().st_size:
        how: Any = {"dtype": {**texts, "value": float}, "precise_float": True}
        yield pd.read_json(path, lines=True, **how).loc[:, list(columns)]


def read_whole(path: Path) -> pd.DataFrame:
    """The rows of a file of any kind that logs have; InputError at the first that cannot be read."""
    if path.suffix.lower() == ".parquet" and path.is_file():
        try:
            return pd.read_parquet(path)
        except (ValueError, OSError) as problem:
            raise InputError("the file cannot be read", where=path, found=str(problem)[:200]) from problem
    return pd.DataFrame([record.values for record in whole_records(path)])


def sort_outputs(paths: Iterable[Path]) -> tuple[Path | None, dict[str, Path]]:
    """The file for the scores, and by tool the files that a name says to be one: `x.ragas.jsonl` for the
    answers with their scores, `x.summary.csv`. ParameterError if a file cannot hold it, or two are for the
    scores."""
    scores, of_tools = list[Path](), dict[str, Path]()
    for path in paths:
        tool = Path(path.stem).suffix.removeprefix(".")
        if tool == SUMMARY and path.suffix.lower() == ".csv":
            of_tools[tool] = path
        elif tool in SCHEMAS:
            of_tools[tool] = check_output_path(path)
        else:
            scores.append(check_path(path))
    if len(scores) > 1:
        what, expected = "two files for the scores", "x.ragas.jsonl, x.summary.csv"
        raise ParameterError(what, found=scores[1], expected=expected)
    return (scores[0] if scores else None), of_tools


def write_tool_files(source: Any, scores: Any, targets: Mapping[str, Path], **options: Any) -> None:
    """Write the answers with their scores for every tool named, and the summary as CSV. Scores of ours stand
    under `ragassay:METRIC`, those that a tool gave under their own names.

    source : the answers that were scored
    options : of `open_answers` (schema, mapping)
    """
    for tool, path in targets.items():
        if tool == SUMMARY:
            output_files.write_text(path, to_csv(scores.summary()))
            continue
        table = scores.to_pandas()
        ours = table[~table["metric"].map(is_given).astype(bool)]
        wide = ours.assign(metric=f"{OWN}:" + ours["metric"]).pivot_table(
            index=ANSWER, columns="metric", values="value", sort=False, aggfunc="first"
        )
        batches = open_answers(source, **options)
        write_answers((batch.merge(wide, on=ANSWER, how="left") for batch in batches), path, tool)
