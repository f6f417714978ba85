"""Where answers come from, as records one after the other: a file, a DataFrame, dicts."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance
from ragassay.answers import judged_logs
from ragassay.answers.log_files import Record, read_records
from ragassay.errors import InputError


def file_records(file: Path) -> Iterator[Record]:
    """The records of a log in a file of any kind, also of one that people have judged."""
    return iter(judged_logs.read_records(file)) if judged_logs.fits(file) else read_records(file)


def records_of(source: Any) -> Iterator[Record]:
    """The records of a file, a DataFrame, what has `to_pandas()`, or an iterable of records or DataFrames.

    Raises
    ------
    InputError
        If it is one dict, or holds something else.
    """
    if isinstance(source, str | Path):
        there = str(source).startswith(provenance.BUNDLED) or Path(source).exists()
        return file_records(provenance.reads_input(source) if there else Path(source))
    source = source.to_pandas() if hasattr(source, "to_pandas") else source
    if isinstance(source, pd.DataFrame):
        return _of_frame(source, len(source))
    if isinstance(source, Mapping):
        raise InputError(
            "the answers are one dict", expected="a list of dicts, one per answer", do="put it into a list"
        )
    return _of_items(source)


def _of_frame(frame: pd.DataFrame, total: int = 0, above: int = 0) -> Iterator[Record]:
    names = [str(name) for name in frame.columns]
    for number, cells in enumerate(frame.itertuples(index=False, name=None), start=1 + above):
        share = number / total if total else 0.0
        yield Record(dict(zip(names, cells, strict=True)), f"row {number}", (), share)


def _of_items(items: Iterable) -> Iterator[Record]:
    above = 0
    for item in items:
        if isinstance(item, pd.DataFrame):
            yield from _of_frame(item, above=above)
            above += len(item)
        elif isinstance(item, Record):
            yield item
        elif isinstance(item, Mapping):
            above += 1
            yield Record(dict(item), f"row {above}")
        else:
            raise InputError(
                "an answer is neither a dict nor a DataFrame",
                where=f"row {above + 1}",
                found=type(item).__name__,
                do="give dicts with `question` and `answer`",
            )
