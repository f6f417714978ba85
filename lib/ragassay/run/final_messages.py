"""What a run says at its end: what the encoder and the judges took, whether the assistant stayed the same
version, what was left out of the log."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragassay import provenance
from ragassay.run import answered_versions, permitted_endpoints
from ragassay.run.execution import notebook_record
from ragassay.sanitized_text import clean

USAGE = (
    "encoder: {seen:,} texts seen, {unique:,} unique by call, {encoded:,} encoded, {cached:,} from the "
    "cache, {seconds:.0f} s"
)
ASK_AGAIN = "`ragassay run FILE --fresh` asks every question again."


def closing_words(run_dir: Path, names: Sequence[str]) -> Iterator[str]:
    """The lines, in order; those of judges, of versions that are mixed or not known, and of rows left out
    only where there are any."""
    records = [record for name in names if (record := notebook_record.load(run_dir, name))]
    yield USAGE.format(
        **{part: sum(each["encoder"][part] for each in records) for part in notebook_record.USAGE}
    )
    for entry in (entry for record in records for entry in record["judges"]):
        yield permitted_endpoints.judge_in_words(entry)
    yield from (f"{clean(line)} {ASK_AGAIN}" for line in answered_versions.in_words(records))
    yield from _rows_left_out(run_dir)


def _rows_left_out(run_dir: Path) -> list[str]:
    """How many rows of the log could not be read, and the first of them; nothing where all could."""
    from ragassay.answers import log_import

    path = provenance.find(run_dir) / "engagement.json"
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [log_import.in_words(record)] if len(log_import.rows_left_out(record)) else []
