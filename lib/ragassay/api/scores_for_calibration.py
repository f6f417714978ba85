"""Scores for a calibration, from anywhere: what `ragassay score` wrote, a table with other names, or the log
of another tool, whose own scores are taken."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ragassay.answers import open_answers, tool_score_rows
from ragassay.answers.log_files import read_records
from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.schema_detection import SCORABLE
from ragassay.api import score_files
from ragassay.errors import InputError

NEEDED = ("case_id", "metric", "value")
OF_TABLE = {*NEEDED, "system", "state", "repeat"}  # what a mapping of a table of scores may name
READERS = {
    ".parquet": pd.read_parquet,
    ".jsonl": lambda path: pd.read_json(path, lines=True, dtype={"case_id": str}),
    ".csv": score_files.read_csv,
}


def read(path: Path, mapping: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The scores in a file: case_id, metric, value, and what else it has; of a log also `question`.

    mapping : ours -> theirs; of a table of scores case_id, metric, value, ..., of a log what `score` takes

    Raises
    ------
    InputError
        If the file cannot be read, or is neither a table of scores nor a log that carries any.
    """
    names = dict(mapping or {})
    if not path.is_file():
        what, do = "there is no such file of scores", "name what `ragassay score --out` wrote"
        raise InputError(what, where=path, found="nothing there" if not path.exists() else "a folder", do=do)
    if {"metric", "value"} & set(names) or _is_table(path):
        return _table(path, names)
    return _of_log(path, names)


def _is_table(path: Path) -> bool:
    """Whether the file's first record has the columns of a table of scores, or it has no record at all."""
    first = next(iter(read_records(path)), None) if path.stat().st_size else None
    return first is None or first.broken or {"metric", "value"} <= set(first.values)


def _table(path: Path, names: dict[str, str]) -> pd.DataFrame:
    kind = path.suffix.lower()
    try:
        if kind in READERS:
            table = READERS[kind](path)
        else:
            table = pd.DataFrame([record.values for record in read_records(path) if not record.broken])
    except (ValueError, OSError) as problem:
        what, do = "the scores cannot be read", "score again, or correct the file"
        raise InputError(what, where=path, found=str(problem)[:200], do=do) from problem
    absent = next((theirs for theirs in names.values() if theirs not in table), None)
    if absent is not None:
        columns = ", ".join(map(str, table))
        raise InputError(
            "the mapping names a column that is not there", where=path, found=columns, expected=absent
        )
    return table.rename(columns={theirs: ours for ours, theirs in names.items() if ours in OF_TABLE})


def _of_log(path: Path, names: dict[str, str]) -> pd.DataFrame:
    """The scores that the tool of a log gave, with the question of each answer."""
    opened = open_answers(path, mapping=names, needed=("case_id", *SCORABLE))
    parts = []
    for batch in opened:
        asked = batch["question"] if "question" in batch else pd.Series(index=batch.index, dtype=object)
        n = len(tool_score_rows.columns(batch))
        beside = {"repeat": batch["repeat"].repeat(n).to_numpy(), "question": asked.repeat(n).to_numpy()}
        parts.append(tool_score_rows.as_scores(batch).assign(**beside))
    found = pd.concat(parts, ignore_index=True)
    if found.empty:
        tool = opened.schema.prefix
        known = ", ".join(card.name for card in tool_scores.known_cards() if card.tool == tool)
        raise InputError(
            "the file holds no scores",
            where=path,
            found=f"{', '.join(opened.columns)[:300]}; read as {opened.schema.tool}",
            expected=f"case_id, metric and value, or scores of a tool: {known or tool}",
            do="name your column: --map score:NAME=COLUMN; or score the answers with `ragassay score`",
        )
    return found
