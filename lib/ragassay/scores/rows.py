"""Rows of the answers table to samples:
what the row says, what its case adds, each value of the kind it should be.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ragassay.scores.sample import Sample

TEXTS = ("answer", "question", "reference_answer", "answer_type", "error", "language")
LISTS = ("contexts", "context_ids", "reference_chunk_ids")
OTHERS = ("answerable", "latency_s", "schema")


def samples(rows: pd.DataFrame, known: dict[str, dict], published: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Each answer with what its case adds, cleaned;
    a value of the wrong kind counts as missing and is named in `unread`.
    """
    for row in rows.to_dict("records"):
        case = known.get(row["case_id"], {})
        given = {
            name: row[name] if _present(row.get(name)) else case.get(name)
            for name in (*TEXTS, *LISTS, *OTHERS)
        }
        yield _sample(row, given, published)


def _sample(row: dict[Any, Any], given: dict[str, Any], published: tuple[str, ...]) -> Sample:
    texts: dict[str, Any] = {name: _text(given[name]) for name in TEXTS}
    lists: dict[str, Any] = {name: _list(given[name]) for name in LISTS}
    read = texts | lists
    declared = texts.pop("language")
    return Sample(
        case_id=row["case_id"],
        system=row["system"],
        **texts,
        **lists,
        language=declared or "en",
        declared_language=declared,
        answerable=bool(given["answerable"]) if _present(given["answerable"]) else None,
        latency_s=_number(given["latency_s"]),
        schema=_schema(given["schema"]),
        published=published,
        foreign_ids=bool(row.get("foreign_ids", False)),
        unread=tuple(name for name, value in read.items() if value is None and _present(given[name])),
    )


def _present(value: Any) -> bool:
    return not (
        value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)
    )


def _text(value: Any) -> str | None:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _list(value: Any) -> tuple[str, ...] | None:
    return (
        tuple(_text(item) or "" for item in value) if isinstance(value, (list, tuple, np.ndarray)) else None
    )


def _number(value: Any) -> float | None:
    usable = isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value)
    return float(value) if usable else None


def _schema(value: Any) -> str | None:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else _text(value)
