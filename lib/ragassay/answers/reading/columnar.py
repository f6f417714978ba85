"""Parquet: batches of rows, a few at a time."""

from collections.abc import Iterator

from ragassay.answers.adapters import Record
from ragassay.answers.reading.source import Source
from ragassay.errors import InputError

AT_ONCE = 256  # rows


def records(source: Source) -> Iterator[Record]:
    """One record per row.

    Raises
    ------
    InputError
        If it is not Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(source.file)
        number, total = 0, max(file.metadata.num_rows, 1)
        for batch in file.iter_batches(AT_ONCE):
            for values in batch.to_pylist():
                number += 1
                yield Record(
                    {str(name): value for name, value in values.items()},
                    f"{source.path.name}, row {number}",
                    (),
                    number / total,
                )
    except (pa.ArrowException, OSError) as problem:
        raise InputError(
            "the Parquet file is broken", where=source.path.name, found=str(problem), do="write it again"
        ) from None
