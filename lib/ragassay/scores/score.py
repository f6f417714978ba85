"""Answers in, scores out: a pure function over batches of the answers table (decision 21)."""

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import loop_progress, models, parameter_ranges
from ragassay.errors import ParameterError, TableError
from ragassay.scores import derived_metrics, prepared_answer
from ragassay.scores.metric import Metric, NotApplicable
from ragassay.scores.metric_registry import DEFAULT, METRICS
from ragassay.scores.own_metrics import choose
from ragassay.scores.personal_data.masking import Hide, hide_in_evidence, hider
from ragassay.scores.prepared_answer import Sample, samples
from ragassay.scores.score_states import ERROR, NOT_APPLICABLE, SCORED, State, state
from ragassay.scores.shared_instruments import PREMISES, Budgets, Pending, Tools
from ragassay.scores.vector_similarity import one_core
from ragassay.tables import is_missing


def of_references(chunks: pd.DataFrame | None, cases: pd.DataFrame | None) -> set[str]:
    """The ids by which reference passages are named: those of our passages; those of the cases where none of
    them is one of ours, as in a log with passage ids of its own."""
    own = set() if chunks is None or "chunk_id" not in chunks else set(chunks["chunk_id"])
    lists = () if cases is None else cases.get("reference_chunk_ids", ())
    named = {str(name) for each in lists if not is_missing(each) for name in each}
    return own if named & own or not named or not own else named


def mark_foreign(rows: pd.DataFrame, own: set[str], ours: set[str]) -> pd.DataFrame:
    """The rows, marked where the system has named no passage by one of these ids, here or before:
    retrieval cannot be judged against the reference passages.

    `ours` holds the systems that have, and gains those that do here.
    """
    if "foreign_ids" in rows:
        return rows
    systems = rows["system"].map(str)
    lists = rows.get("context_ids", pd.Series(dtype=object))
    ours |= {
        system
        for system, ids in zip(systems, lists, strict=False)
        if isinstance(ids, (list, tuple, np.ndarray)) and own & set(map(str, ids))
    }
    return rows.assign(foreign_ids=bool(own) & ~systems.isin(ours))


COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]
BATCH = 64
Place = tuple[int, str]
# value, state, evidence as JSON: text at once, for so many small objects keep the garbage collector busy
Scored = tuple[float, State, str]
_JSON = json.JSONEncoder(ensure_ascii=False).encode


def score(
    answers: pd.DataFrame,
    cases: pd.DataFrame | None = None,
    chunks: pd.DataFrame | None = None,
    metrics: Sequence[str] = DEFAULT,
    *,
    model: str = "",
    encode: Callable[[list[str]], NDArray] | None = None,
    instruments: Mapping[str, Any] | None = None,
    premise: str = PREMISES[0],
    batch: int = BATCH,
) -> pd.DataFrame:
    """One row per answer and metric, answers in the order given, metrics in the order named;
    values rounded to six decimals.

    answers : rows of the answers table; columns of `cases` may stand here instead
    cases : gives `question`, `answerable`, `reference_chunk_ids`, `reference_answer`, `answer_type`,
        `language`, `schema` by `case_id` where the answer's row does not say
    chunks : all published passages, for `privacy_leaks`; with `document_status.with_marks` for those of
        family access
    metrics : names in METRICS
    model : name of the encoder, "" the run's or ours; `encode` replaces it: unique texts in, unit vectors
        (n, d) out
    instruments : replaces heads as well, by the names of `Tools`; `judge` is there only if it is named, and
        is asked in the words of `prompt` (judge_prompts); `budgets` (limits) are the words and seconds of an
        answer
    premise : what groundedness_nli and its kin hold an answer sentence against: `nearest`, the three context
        sentences nearest to it, or `whole`, the whole context (HCAT 3.2.2; decision 3)
    batch : answers held in memory at once

    Raises
    ------
    ParameterError
        If a metric or the premise is unknown, or `batch` is below 1.
    TableError
        If `answers` lacks `case_id` or `system`.
    """
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    answers = mark_foreign(_check_columns(answers), of_references(chunks, cases), set())
    parts = (answers.iloc[start : start + batch] for start in range(0, max(len(answers), 1), batch))
    counted = loop_progress.each("answers scored", parts, len(answers), sizes=True)
    tables = score_batches(
        counted, cases, chunks, metrics, model=model, encode=encode, instruments=instruments, premise=premise
    )
    return derived_metrics.add_derived(pd.concat(tables, ignore_index=True), metrics)


def measure(
    answers: pd.DataFrame,
    cases: pd.DataFrame,
    chunks: pd.DataFrame,
    metrics: str = "",
    *,
    judge: str = "",
    judge_model: str = "",
    premise: str = PREMISES[0],
    budgets: Mapping[str, float] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """`score` as an engagement's parameters ask for it.

    metrics : names with commas, as `ragassay score --metrics` takes them; "": those that chapters use
    judge, judge_model : endpoint and name of a language model that judges; "": none does
    budgets : words and seconds of an answer (`Budgets`)

    Example: `scores.measure(run.answers(), run.cases(), run.chunks(), "support, rouge_l")`
    """
    referee = models.judge.make_judge(judge, judge_model, seed=seed)
    spoken = bool(models.language_model())
    chosen = choose(metrics, with_judge=referee is not None, with_language_model=spoken)
    instruments = {"judge": referee, "budgets": Budgets(**(budgets or {}))}
    return score(answers, cases, chunks, chosen, instruments=instruments, premise=premise)


def score_batches(
    batches: Iterable[pd.DataFrame],
    cases: pd.DataFrame | None = None,
    chunks: pd.DataFrame | None = None,
    metrics: Sequence[str] = DEFAULT,
    *,
    model: str = "",
    encode: Callable[[list[str]], NDArray] | None = None,
    instruments: Mapping[str, Any] | None = None,
    premise: str = PREMISES[0],
) -> Iterator[pd.DataFrame]:
    """The scores of one batch of answers after the other;
    nothing is kept between batches, so memory does not grow with their number.

    Derived metrics are left to `derived_metrics.add_derived`, which needs the whole table; the metrics they
    are computed from are scored here. Parameters and errors as in `score`.
    """
    wanted = derived_metrics.parts_of(_check_names(metrics))
    known = {} if cases is None else {row["case_id"]: row for row in reversed(cases.to_dict("records"))}
    published = () if chunks is None else tuple(chunks["text"].astype(str))
    restricted = prepared_answer.of_chunks(chunks, wanted)
    own, ours = of_references(chunks, cases), set[str]()
    parameter_ranges.check("premise", premise, f"one of {', '.join(PREMISES)}")
    given = {
        "encode": encode or partial(models.encode, model=model),
        **(instruments or {}),
        "premise": premise,
    }
    needs_none = encode or "encode" in (instruments or {}) or Tools(**given).names_support
    own_encoder = "" if needs_none else _own_encoder(model)
    for rows in batches:
        marked = mark_foreign(_check_columns(rows), own, ours)
        yield _score_batch(list(samples(marked, known, published, restricted)), wanted, given, own_encoder)


def _score_batch(
    batch: list[Sample], metrics: Sequence[str], instruments: Mapping[str, Any], own_encoder: str
) -> pd.DataFrame:
    """All rows of one batch. Measures that wait for an instrument are run again once it has computed what all
    of them asked.
    """
    tools, judged = Tools(**instruments), instruments.get("judge") is not None
    speaks = "perplexity" in instruments or bool(models.language_model())
    states = {
        (i, name): state(METRICS[name], sample, judged, own_encoder, speaks)
        for i, sample in enumerate(batch)
        for name in metrics
    }
    waiting: list[Place] = [place for place, (found, _) in states.items() if found == SCORED]
    tools.note("encode", _sentences(waiting, batch))
    results: dict[Place, Scored] = {}
    while waiting:
        tools.settle()
        with one_core():
            waiting = _run_waiting(waiting, batch, tools, results)
    shown = {i for (i, _), (_, _, evidence) in results.items() if evidence != "[]"}
    hidden = {i: hider(batch[i]) for i in shown}  # of none that is too long to be scored
    rows = [
        _row(batch[i], name, *results.get((i, name), (np.nan, found, "[]")), hidden.get(i))
        for (i, name), found in states.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"value": float})


def _run_waiting(waiting: list[Place], batch: list[Sample], tools: Tools, results: dict) -> list[Place]:
    """Run the waiting measures; those that still wait for an instrument are returned."""
    tools.collect(True)
    rest = []
    for i, name in waiting:
        try:
            results[i, name] = _result(METRICS[name], batch[i], tools)
        except Pending:
            rest.append((i, name))
    tools.collect(False)
    return rest


def _result(metric: Metric, sample: Sample, tools: Tools) -> Scored:
    try:
        value, detail = metric.measure(sample, tools)
    except NotApplicable as why:
        return np.nan, (NOT_APPLICABLE, str(why)[:300]), "[]"
    except ValueError as why:
        return np.nan, (ERROR, str(why)[:300]), "[]"
    if np.isnan(value):
        return np.nan, (ERROR, "the value is undefined"), _JSON(detail)
    return value, (SCORED, ""), _JSON(detail)


def _row(sample: Sample, name: str, value: float, found: State, detail: str, hide: Hide | None) -> list[Any]:
    shown = _JSON(hide_in_evidence(json.loads(detail), hide)) if hide and detail != "[]" else detail
    return [sample.case_id, sample.system, name, round(float(value), 6) + 0.0, *found, shown]  # not -0.0


def _sentences(waiting: list[Place], batch: list[Sample]) -> set[str]:
    """The sentences the metrics will have encoded, as far as their needs say."""
    needed = {
        (i, need) for i, name in waiting if "encoder" in METRICS[name].models for need in METRICS[name].needs
    }
    return {
        sentence.text
        for i, need in needed
        if need in prepared_answer.PARTS
        for sentence in batch[i].sentences_of(need)
    }


def _own_encoder(model: str) -> str:
    """The encoder in place of ours, by name; "" where it is ours."""
    from ragassay.models import encoder

    chosen = encoder.chosen(model)
    return "" if chosen == encoder.DEFAULT else chosen


def _check_names(metrics: Sequence[str]) -> Sequence[str]:
    for name in metrics:
        if name not in METRICS:
            near = difflib.get_close_matches(name, METRICS, 1)
            raise ParameterError(
                f"unknown metric {name!r}",
                expected=", ".join(METRICS),
                do=f"did you mean {near[0]!r}?" if near else None,
            )
    return metrics


def _check_columns(answers: pd.DataFrame) -> pd.DataFrame:
    for column in ("case_id", "system"):
        if column not in answers:
            raise TableError(
                f"column {column!r} is missing",
                where="table answers",
                found=list(answers.columns),
                do=f"add the column {column!r}",
            )
    return answers
