"""Answers in, scores out: a pure function over batches of the answers table (decision 21).

A score has one of four states: scored, not_applicable, not_measured, error; they never mix.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import loop_progress, models, parameter_ranges
from ragassay.errors import ParameterError, TableError, did_you_mean
from ragassay.models.judge import DryRun, Judge
from ragassay.scores import prepared_answer
from ragassay.scores.metric import PREMISES, Budgets, Metric, NotApplicable, Tools, compute_together
from ragassay.scores.metric_registry import DEFAULT, METRICS
from ragassay.scores.own_metrics import choose
from ragassay.scores.personal_data import hide_in_evidence, hider
from ragassay.scores.prepared_answer import Sample, samples
from ragassay.scores.text_reading import answer_state, claim_text
from ragassay.stats import one_thread
from ragassay.tables import is_missing

SCORED, NOT_APPLICABLE, NOT_MEASURED, ERROR = "scored", "not_applicable", "not_measured", "error"
UNREAD = "the row could not be read"  # how the error of an input line begins that never was an answer
NOTHING_SAID = "the record of the answer does not say what was retrieved"
LONGEST = {  # characters of a text that is scored; each takes a core 1 to 2 ms with the default metrics
    "question": 50_000,
    "answer": 50_000,
    "reference_answer": 50_000,
    "contexts": 500_000,  # all passages of an answer together
}
EMPTY = {  # what a metric needs: what is to hold something, and why there is nothing to judge
    "question": ("question_sentences", "empty question"),
    "contexts": ("context_sentences", "no passage was retrieved"),
    "reference_answer": ("reference_sentences", "no reference answer for this case"),
    "reference_chunk_ids": ("reference_chunk_ids", "no reference passage for this case"),
}
COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]
BATCH = 256
State = tuple[str, str]
SHOWN = 300  # characters of a reason, or of a text in the evidence, that are kept


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
    """One row per answer and metric, answers in the order given, metrics in the order named; values rounded
    to six decimals.

    answers : rows of the answers table; columns of `cases` may stand here instead
    cases : gives by `case_id` what the answer's row does not say: question, answerable, reference_answer, ...
    chunks : all published passages, for `privacy_leaks`; with `documents.with_marks` for family access
    model : name of the encoder, "" the run's or ours; `encode` replaces it: texts in, unit vectors (n, d) out
    instruments : replaces heads as well, by the names of `Tools`; `judge` is there only if it is named
    premise : what groundedness_nli holds an answer sentence against: `nearest`, the three context sentences
        nearest to it, or `whole`, the whole context (HCAT 3.2.2; decision 3)
    batch : answers held in memory at once

    Raises ParameterError if a metric or the premise is unknown or `batch` is below 1, and TableError if
    `answers` lacks `case_id` or `system`.

    Example: `scores.score(run.answers(), run.cases(), run.chunks(), ["support"]).value.mean()`
    """
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    answers = mark_foreign(answers, of_references(chunks, cases), set())
    parts = (answers.iloc[start : start + batch] for start in range(0, max(len(answers), 1), batch))
    counted = loop_progress.track_items("answers scored", parts, len(answers), sizes=True)
    tables = score_batches(
        counted, cases, chunks, metrics, model=model, encode=encode, instruments=instruments, premise=premise
    )
    return add_derived(pd.concat(tables, ignore_index=True), metrics)


def instruments_of(
    metrics: str = "",
    *,
    judge: str = "",
    judge_model: str = "",
    budgets: Mapping[str, float] | None = None,
    seed: int = 0,
) -> tuple[list[str], dict[str, Any]]:
    """The metrics and instruments that an engagement's parameters ask for, as `score` takes them.

    metrics : names with commas, as `ragassay score --metrics` takes them; "": those that chapters use
    judge, judge_model : endpoint and name of a language model that judges; "": none does

    Example: `scores.measure(run.answers(), run.cases(), run.chunks(), "support,completeness")`
    """
    referee = models.judge.make_judge(judge, judge_model, seed=seed)
    chosen = choose(
        metrics, with_judge=referee is not None, with_language_model=bool(models.of_run("language_model"))
    )
    return chosen, {"judge": referee, "budgets": Budgets(**(budgets or {}))}


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
    """The scores of one batch of answers after the other; nothing is kept between batches. Derived metrics
    are left to `add_derived`, which needs the whole table; what they are computed from is scored here.
    Parameters and errors as in `score`."""
    for name in metrics:
        if name not in METRICS:
            raise ParameterError(
                f"unknown metric {name!r}", expected=", ".join(METRICS), do=did_you_mean(name, METRICS)
            )
    wanted = parts_of(metrics)
    known = {} if cases is None else {row["case_id"]: row for row in reversed(cases.to_dict("records"))}
    published = () if chunks is None else tuple(chunks["text"].astype(str))
    restricted = prepared_answer.read_restricted(chunks, wanted)
    own, ours = of_references(chunks, cases), set[str]()
    parameter_ranges.check("premise", premise, f"one of {', '.join(PREMISES)}")
    given = {
        "encode": encode or partial(models.encode, model=model),
        **(instruments or {}),
        "premise": premise,
    }
    is_given = encode or "encode" in (instruments or {}) or Tools(**given).names_support
    encoder = models.encoder.DEFAULT if is_given else models.encoder.chosen(model)
    for rows in batches:
        marked = mark_foreign(rows, own, ours)
        yield _score_batch(list(samples(marked, known, published, restricted)), wanted, given, encoder)


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

    `ours` holds the systems that have, and gains those that do here. Raises TableError if the rows lack
    `case_id` or `system`.
    """
    for column in ("case_id", "system"):
        if column not in rows:
            what, do = f"column {column!r} is missing", f"add the column {column!r}"
            raise TableError(what, where="table answers", found=list(rows.columns), do=do)
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


def _score_batch(
    batch: list[Sample], metrics: Sequence[str], instruments: Mapping[str, Any], encoder: str
) -> pd.DataFrame:
    """All rows of one batch."""
    named = [METRICS[name] for name in metrics]
    if any(one.of_content or {"encoder", "refusals"} & {*one.models} for one in named):
        texts = [(text or "", one.language) for one in batch for text in (one.answer, one.reference_answer)]
        answer_state.read_ahead(each for each in texts if len(each[0]) <= LONGEST["answer"])
    tools, judged = Tools(**instruments), instruments.get("judge") is not None
    speaks = "perplexity" in instruments or bool(models.of_run("language_model"))
    states = {
        (i, name): state(METRICS[name], sample, judged, encoder, speaks)
        for i, sample in enumerate(batch)
        for name in metrics
    }
    places = [place for place, (found, _) in states.items() if found == SCORED]
    calls = [partial(_result, METRICS[name], batch[i], tools) for i, name in places]
    with one_thread():
        results = dict(zip(places, compute_together(calls, tools), strict=True))
    hidden = {i: hider(batch[i]) for i in {i for i, _ in places}}  # of none that is too long to be scored
    rows = []
    for (i, name), found in states.items():
        value, found, detail = results.get((i, name), (np.nan, found, []))
        if hide := hidden.get(i):
            detail = hide_in_evidence(detail, hide)
        value = round(float(value), 6) + 0.0  # not -0.0
        rows.append([batch[i].case_id, batch[i].system, name, value, *found, _as_json(detail)])
    return pd.DataFrame(rows, columns=COLUMNS).astype({"value": float})


def _as_json(detail: list) -> str:
    """Evidence as it is kept: texts cut to SHOWN characters, numbers rounded to six decimals."""
    return json.dumps(_shown(detail), ensure_ascii=False)


def _shown(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return value[:SHOWN]
    if isinstance(value, dict):
        return {name: _shown(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    return round(value, 6) if isinstance(value, float) else value


def _result(metric: Metric, sample: Sample, tools: Tools) -> tuple[float, State, list]:
    try:
        value, detail = metric.measure(sample, tools)
    except NotApplicable as why:
        return np.nan, (NOT_APPLICABLE, str(why)[:SHOWN]), []
    except ValueError as why:
        return np.nan, (ERROR, str(why)[:SHOWN]), []
    return value, (ERROR, "the value is undefined") if np.isnan(value) else (SCORED, ""), detail


def state(
    metric: Metric,
    sample: Sample,
    judged: bool = False,
    encoder: str = models.encoder.DEFAULT,
    speaks: bool = False,
) -> State:
    """Whether a metric can be computed for an answer, and why not: error, then missing input, then a text
    longer than `LONGEST`, then nothing to judge.

    judged, speaks : whether a language model was named to judge, or for perplexity
    encoder : the encoder by which sentences are compared
    """
    if sample.error:
        unread = sample.error.startswith(UNREAD)
        return ERROR, sample.error[:400] if unread else f"the assistant gave no answer: {sample.error[:300]}"
    if "judge" in metric.models and not judged:
        return NOT_MEASURED, "no judge named"
    if "perplexity" in metric.models and not speaks:
        return NOT_MEASURED, "no language model named (language_model in section run)"
    if metric.name == "support" and encoder != models.encoder.DEFAULT:
        return NOT_MEASURED, f"learned on all-MiniLM-L6-v2's similarities; the encoder is {encoder}"
    for name, what in (("reference_chunk_ids", "passage"), ("reference_answer", "answer")):
        if sample.answerable is False and name in metric.needs:
            return NOT_APPLICABLE, f"no-answer case: no reference {what}"
    if reason := _not_measurable(metric, sample):
        return NOT_MEASURED, reason
    for name, most in LONGEST.items():
        text = getattr(sample, name) if name in metric.needs else ""
        size = len(text) if isinstance(text, str) else sum(map(len, text or ()))
        if size > most:
            return ERROR, f"{name} too long to be scored: {size:,} characters, at most {most:,}"
    reason = _nothing_to_judge(metric, sample)
    return (NOT_APPLICABLE, reason) if reason else (SCORED, "")


def _not_measurable(metric: Metric, sample: Sample) -> str:
    missing = [name for name in metric.needs if getattr(sample, name) is None]
    unread = [name for name in missing if name in sample.unread]
    if missing == ["contexts"] and not unread:
        return NOTHING_SAID
    if missing:
        why = "given, but of another kind than expected" if unread else "not given"
        return f"{' and '.join(unread or missing)} {why}"
    numbered = all(one.isdecimal() for _, ids in sample.cited for one in ids)
    of_passages = metric.family == "citations" and "contexts" in metric.needs
    if of_passages and sample.context_ids is None and not numbered:
        return "context_ids not given: the cited ids cannot be found"
    if "reference_chunk_ids" in metric.needs and sample.foreign_ids:
        return "the assistant's passage ids are not those of the reference passages"
    return ""


def _nothing_to_judge(metric: Metric, sample: Sample) -> str:
    if "answer" in metric.needs and not metric.of_silence and not sample.answer_sentences:
        return "empty answer"
    # cites nothing where there was something to cite: 0 (decision 6)
    uncited = metric.family == "citations" and sample.answerable is True
    if metric.of_content and sample.abstains and not uncited:
        return "the assistant abstained"
    if metric.family == "citations":
        return "no-answer case: nothing to cite" if sample.answerable is False else ""
    is_held_against = {"answer", "contexts"} <= {*metric.needs} and metric.of_content
    if is_held_against and not any(claim_text.asserts(one.text) for one in sample.answer_sentences):
        return "the answer claims nothing"
    for name, (part, reason) in EMPTY.items():
        is_silent = name == "contexts" and metric.of_silence
        if name in metric.needs and not is_silent and not getattr(sample, part):
            return reason
    return ""


def parts_of(metrics: Sequence[str]) -> list[str]:
    """The metrics to score answer by answer: those named, with each derived one replaced by what it is
    computed from, once each."""
    return list(dict.fromkeys(part for name in metrics for part in (METRICS[name].derived or (name,))))


def add_derived(scores: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The scores of the metrics named, in that order for each answer, with the derived ones computed from
    their parts: their weights depend on every answer.

    scores : the rows of `parts_of(metrics)` for each answer, answer after answer
    """
    parts = parts_of(metrics)
    if parts == list(metrics):
        return scores
    of = {part: scores.iloc[i :: len(parts)].reset_index(drop=True) for i, part in enumerate(parts)}
    blocks = [_derived(METRICS[name], of) if METRICS[name].derived else of[name] for name in metrics]
    return pd.concat(blocks).sort_index(kind="stable", ignore_index=True)


def _derived(metric: Metric, of: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per answer: scored from the answer's values of the parts, or not applicable with the reason;
    an error where each of its parts is one."""
    parts = [of[part] for part in metric.derived]
    failed = np.all([part["state"] == ERROR for part in parts], axis=0)
    results = metric.measure(np.column_stack([part["value"] for part in parts]), metric.derived)
    rows = []
    for result, row, is_error in zip(results, parts[0].to_dict("records"), failed, strict=True):
        value, found, detail = np.nan, (NOT_APPLICABLE, str(result)[:SHOWN]), []
        if not isinstance(result, ValueError):
            value, found, detail = round(float(result[0]), 6) + 0.0, (SCORED, ""), result[1]
        elif is_error:
            found = ERROR, row["reason"]
        rows.append([row["case_id"], row["system"], metric.name, value, *found, _as_json(detail)])
    return pd.DataFrame(rows, columns=COLUMNS).astype({"value": float})


MOST_CALLS = {  # replies after which all of GroUSE's four calls are made
    "relevancy": '{"declines": true, "answer_relevancy": null}',
    "usefulness": '{"declines": true, "adds_information": true, "usefulness": 1}',
}


def dry_run(
    batches: Iterable[pd.DataFrame], metrics: Sequence[str], judge: Judge, cases: pd.DataFrame | None = None
) -> DryRun:
    """The most that judging these answers would take, less what the judge's journal holds; nothing is sent.

    batches : tables of answers, as for `score_batches`
    metrics : names in METRICS; those that need no judge take nothing
    """
    counting = DryRun(judge, lambda request: MOST_CALLS.get(request.name, "{}"))
    judged = [name for name in metrics if "judge" in METRICS[name].models]
    list(score_batches(batches, cases, metrics=judged, instruments={"judge": counting}))
    return counting
