"""Answers in, scores out: a pure function over batches of the answers table (DESIGN sections 3 and 8)."""

import difflib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay.errors import ParameterError, TableError
from ragassay.scores.material import Embed, Material
from ragassay.scores.metrics import DEFAULT, ENCODER, METRICS, Metric

COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]
TEXTS, LISTS = ("answer", "question"), ("contexts", "context_ids", "reference_chunk_ids")
OTHERS = ("answerable", "language", "error")
SCORED, NOT_APPLICABLE, NOT_MEASURED, ERROR = "scored", "not_applicable", "not_measured", "error"
State = tuple[str, str]


def score(
    answers: pd.DataFrame,
    cases: pd.DataFrame | None = None,
    chunks: pd.DataFrame | None = None,
    metrics: Sequence[str] = DEFAULT,
    *,
    model: str = "minilm",
    encode: Callable[[list[str]], NDArray] | None = None,
    batch: int = 256,
) -> pd.DataFrame:
    """One row per answer and metric, answers in the order given, metrics in the order named; values rounded to six decimals.

    Parameters
    ----------
    answers : rows of the answers table; columns of `cases` may stand here instead
    cases : gives `question`, `answerable`, `reference_chunk_ids`, `language` by `case_id` where the answer's row does not say
    chunks : all published passages, for `privacy_leaks`: what the bank prints itself is no leak
    metrics : names in METRICS
    model : name of the encoder; `encode` replaces it: unique sentences in, unit vectors (n, d) out, called at most once per batch
    batch : answers held in memory at once

    Raises
    ------
    ParameterError
        If a metric is unknown or `batch` is below 1.
    TableError
        If `answers` lacks `case_id` or `system`.
    """
    rows = _checked(answers, metrics, batch)
    encode = encode or _encoder(model)
    known = {} if cases is None else {row["case_id"]: row for row in reversed(cases.to_dict("records"))}
    published = () if chunks is None else tuple(chunks["text"].astype(str))
    rows = rows if chunks is None else _own_ids_hidden(rows, set(chunks["chunk_id"]) if "chunk_id" in chunks else set())
    tables = [_score_batch(rows.iloc[start : start + batch], known, published, metrics, encode) for start in range(0, len(rows), batch)]
    return pd.DataFrame([row for table in tables for row in table], columns=COLUMNS).astype({"value": float})


def _own_ids_hidden(rows: pd.DataFrame, known: set[str]) -> pd.DataFrame:
    """The rows, marked where no answer names any passage by an id of ours: retrieval cannot be judged against our reference passages."""
    named = {str(each) for ids in rows.get("context_ids", pd.Series(dtype=object)) if ids is not None for each in _list(ids) or ()}
    return rows.assign(foreign_ids=bool(known) and not named & known)


def materials(rows: pd.DataFrame, known: dict[str, dict], published: tuple[str, ...] = ()) -> Iterator[Material]:
    """Each answer with what its case adds, cleaned; a value of the wrong type counts as missing."""
    for row in rows.to_dict("records"):
        case = known.get(row["case_id"], {})
        given = {name: row[name] if _present(row.get(name)) else case.get(name) for name in (*TEXTS, *LISTS, *OTHERS)}
        fields: dict[str, Any] = {name: _text(given[name]) for name in TEXTS} | {name: _list(given[name]) for name in LISTS}
        yield Material(
            case_id=row["case_id"],
            system=row["system"],
            answerable=bool(given["answerable"]) if _present(given["answerable"]) else None,
            language=_text(given["language"]) or "en",
            error=_text(given["error"]),
            published=published,
            foreign_ids=bool(row.get("foreign_ids", False)),
            **fields,
        )


def state(metric: Metric, material: Material) -> State:
    """Whether a metric can be computed for an answer, and why not: error, then missing input, then nothing to judge."""
    if material.error:
        return ERROR, f"the assistant gave no answer: {material.error[:300]}"
    if "reference_chunk_ids" in metric.needs and material.answerable is False:
        return NOT_APPLICABLE, "no-answer case: no reference passage"
    missing = [name for name in metric.needs if getattr(material, name) is None]
    if missing:
        return NOT_MEASURED, f"{' and '.join(missing)} not given"
    if metric.family == "citations" and "contexts" in metric.needs and material.context_ids is None and not _numbered(material):
        return NOT_MEASURED, "context_ids not given: the cited ids cannot be found"
    if metric.name.startswith("retrieval_") and material.foreign_ids:
        return NOT_MEASURED, "the assistant does not name its passages by the ids of this kit (doc#p3)"
    reason = _nothing_to_judge(metric, material)
    return (NOT_APPLICABLE, reason) if reason else (SCORED, "")


def _nothing_to_judge(metric: Metric, material: Material) -> str:
    if "answer" in metric.needs and metric.name != "abstention_correct" and not material.answer_sentences:
        return "empty answer"
    uncited = metric.family == "citations" and material.answerable is True  # cites nothing where there was something to cite: 0 (FORMULAS 6)
    if metric.of_content and material.abstains and not uncited:
        return "the assistant abstained"
    if metric.family == "citations":
        return "no-answer case: nothing to cite" if material.answerable is False else ""
    if "question" in metric.needs and not material.question_sentences:
        return "empty question"
    if "contexts" in metric.needs and not material.context_sentences:
        return "no passage was retrieved"
    if "reference_chunk_ids" in metric.needs and not material.reference_chunk_ids:
        return "no reference passage for this case"
    return "no passage was retrieved" if metric.name == "retrieval_precision" and not material.context_ids else ""


def _score_batch(rows: pd.DataFrame, known: dict, published: tuple, metrics: Sequence[str], encode: Callable) -> list[list]:
    batch = list(materials(rows, known, published))
    states = {(i, name): state(METRICS[name], material) for i, material in enumerate(batch) for name in metrics}
    texts = {text for (i, name), (found, _) in states.items() if found == SCORED for text in _to_encode(METRICS[name], batch[i])}
    embed = _embed(sorted(texts), encode)
    return [_row(METRICS[name], batch[i], found, embed) for (i, name), found in states.items()]


def _row(metric: Metric, material: Material, found: State, embed: Embed) -> list:
    value: float = np.nan
    detail: list[dict[str, Any]] = []
    if found[0] == SCORED:
        try:
            value, detail = metric.measure(material, embed)
        except ValueError as why:
            found = (ERROR, str(why)[:300])
    kept = json.dumps(detail, ensure_ascii=False)
    return [material.case_id, material.system, metric.name, round(float(value), 6) + 0.0, *found, kept]  # + 0.0 turns -0.0 into 0.0


def _to_encode(metric: Metric, material: Material) -> list[str]:
    if metric.model != ENCODER:
        return []
    texts = {"answer": material.answer_sentences, "question": material.question_sentences, "contexts": material.context_sentences}
    return [sentence.text for name in metric.needs for sentence in texts[name]]


def _embed(texts: list[str], encode: Callable) -> Embed:
    """Look up vectors of texts that were encoded together, once."""
    vectors = np.asarray(encode(texts), dtype=float) if texts else np.empty((0, 0))
    place = {text: i for i, text in enumerate(texts)}
    return lambda wanted: vectors[[place[text] for text in wanted]]


def _encoder(model: str) -> Callable[[list[str]], NDArray]:
    def encode(texts: list[str]) -> NDArray:
        from ragassay import models

        return models.encode(texts, model=model)

    return encode


def _checked(answers: pd.DataFrame, metrics: Sequence[str], batch: int) -> pd.DataFrame:
    for name in metrics:
        if name not in METRICS:
            near = difflib.get_close_matches(name, METRICS, 1)
            raise ParameterError(f"unknown metric {name!r}", expected=", ".join(METRICS), do=f"did you mean {near[0]!r}?" if near else None)
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    for column in ("case_id", "system"):
        if column not in answers:
            raise TableError(f"column {column!r} is missing", where="table answers", found=list(answers.columns), do=f"add the column {column!r}")
    return answers


def _numbered(material: Material) -> bool:
    return all(one.isdecimal() for _, ids in material.cited for one in ids)


def _present(value: Any) -> bool:
    return not (value is None or value is pd.NA or (isinstance(value, float) and value != value))


def _text(value: Any) -> str | None:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _list(value: Any) -> tuple[str, ...] | None:
    return tuple(_text(item) or "" for item in value) if isinstance(value, (list, tuple, np.ndarray)) else None
