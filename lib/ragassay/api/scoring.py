"""`ragassay.score`: answers from anywhere in, scores out, batch by batch."""

import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from ragassay import output_files
from ragassay.analysis.case_scores import answer_clusters
from ragassay.answers import tool_scores
from ragassay.answers.answer_batches import Answers, open_answers, read_case_facts
from ragassay.api import ray_cluster, score_files
from ragassay.api.scoring_result import Scores
from ragassay.errors import ParameterError, did_you_mean
from ragassay.models import load_instrument
from ragassay.scores import DEFAULT, JUDGED, METRICS, OFFLINE, judges_of, own_metrics
from ragassay.scores.score import BATCH, add_derived, parts_of, score_batches
from ragassay.show import clean

Source: TypeAlias = str | Path | pd.DataFrame | Iterable


def score(
    answers: Source,
    *,
    metrics: Sequence[str] | str = DEFAULT,
    cases: Source | None = None,
    out: str | Path | None = None,
    replace: bool = False,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    batch: int = BATCH,
    progress: bool = False,
    **settings: Any,
) -> Scores:
    """Score answers by the metrics named.

    Parameters
    ----------
    answers : a file (.jsonl, .csv, .tsv, .parquet, .json, .xlsx), a DataFrame, or records; our columns or
        those of another tool (SCHEMAS)
    metrics : names in METRICS or `file.py:name`, as a list or parted by commas; "default", "judge", or "all"
        that need none
    cases : what is known of the cases, by case_id: reference_answer, answerable, ...; conversation_id,
        group_id or parent_id, here or in the answers, say what was drawn together, which the intervals heed
    out : a .parquet, .jsonl or .csv file; the scores are then written batch by batch
    replace : whether `out` may be written over where it is there already; an input never is
    schema : a name in SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's: {"question": "prompt"}
    batch : answers held in memory at once
    progress : whether a terminal says what was detected, and in a changing line how far the scoring is
    settings : cluster, a `Cluster` (docs/scale.md); entailment, support, toxicity, thresholds and device in
        place of the run's (docs/bigger-models.md); further parameters of `scores.score.score_batches`: model
        (the encoder), premise, chunks, instruments (a judge among them), ...

    Returns
    -------
    Scores : answers in the order they came, metrics in the order named, derived ones last; beside them the
        scores that the answers' tool gave (`ragas:faithfulness`)

    Raises ParameterError if a metric or schema is unknown, or `out` cannot be written, is there already, or
    is an input; InputError if the answers cannot be read, nothing tells which column is which, or no row can
    be judged (a single broken line or value is no error: see `Scores.flaws`); ModelError if a model that is
    named cannot be used, or the device is not on this machine; ClusterError if the cluster cannot be reached,
    is lost, or fails: the same call goes on where it ended.
    """
    names = metric_names(metrics)
    cluster: ray_cluster.Cluster | None = settings.pop("cluster", None)
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    if out is not None:
        inputs = [source for source in (answers, cases) if isinstance(source, str | Path)]
        output_files.check(score_files.check_path(out), inputs=inputs, replace=replace)
    if cluster is not None:
        cluster.check(out, settings)
        own_metrics.refuse(names, "on a cluster")
    rows = batch if cluster is None else cluster.part
    opened = open_answers(answers, schema=schema, mapping=mapping, batch=rows)
    known = None if cases is None else read_case_facts(cases)
    clusters: dict[str, str] = {}
    with load_instrument.use_models(**{kind: settings.pop(kind, "") for kind in load_instrument.NAMED}):
        # which models judge in place of the kit's, and which thresholds do not hold for them
        kinds = {kind for name in names for kind in judges_of(name)}
        kinds |= {"entailment"} if "citations_supported" in names else set()
        models_named = load_instrument.limits(sorted(kinds), str(settings.get("model") or ""))
        if progress:
            lines = (clean(opened.description(), 500), *models_named)
            sys.stderr.writelines(f"{clean(line, 0)}\n" for line in lines)
        encoder = ray_cluster.identities(names, settings)
        scorer = partial(score_batches, metrics=names, cases=known, **settings)
        if cluster is not None:
            work = ray_cluster.Work.of(names, known, settings, batch)
            kept = Path(f"{out}.parts")
            scorer = partial(ray_cluster.score_parts, cluster=cluster, work=work, kept=kept)
        scored = _scored(opened, names, progress, scorer, partial(_noted, cases=known, clusters=clusters))
        if out is None:
            source: pd.DataFrame | Path = pd.concat(scored, ignore_index=True)[list(score_files.COLUMNS)]
        else:
            source = score_files.write(scored, out, encoder)
        if cluster is not None:
            shutil.rmtree(kept, ignore_errors=True)
    return Scores(
        source,
        opened.n,
        opened.schema.name,
        tuple(models_named),
        tuple(opened.flaws),
        opened.n_flaws,
        encoder,
        opened.n_bad,
        opened.mapped(),
        clusters,
    )


def metric_names(metrics: Sequence[str] | str) -> list[str]:
    """The names, in order and once each, with "default", "judge" and "all" spelled out; ParameterError if a
    name is no metric, or there is none."""
    given = [part.strip() for part in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    given = own_metrics.resolve(given)
    groups = {"default": list(DEFAULT), "judge": list(JUDGED), "all": list(OFFLINE)}
    names = list(dict.fromkeys(name for part in given if part for name in groups.get(part, [part])))
    unknown = next((name for name in names if name not in METRICS), None)
    if unknown is not None or not names:
        raise ParameterError(
            f"unknown metric {unknown!r}" if names else "no metric is named",
            expected="names that `ragassay score --list` shows, default, judge or all",
            do=did_you_mean(unknown, METRICS, "`ragassay score --list` shows them all"),
        )
    return names


def _scored(
    opened: Answers, metrics: list[str], progress: bool, scorer: Callable, noting: Callable
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, with the `repeat` of each answer; then, of all answers together, those of the
    derived metrics."""
    late = [name for name in metrics if METRICS[name].derived]
    asked, keys, kept = parts_of(metrics), list[NDArray](), list[pd.DataFrame]()
    noted: deque[tuple[NDArray, pd.DataFrame]] = deque()
    places = [asked.index(name) for name in parts_of(late)]
    bar = tqdm(unit=" answers", disable=None if progress else True, leave=False, delay=1)
    for scores in scorer(noting(opened, noted)):
        repeats, of_tool = noted.popleft()
        if late:
            keys.append(repeats)
            # values, states and reasons of the parts, in the order `add_derived` wants them
            rows = (np.arange(0, len(scores), len(asked))[:, None] + places).ravel()
            kept.append(scores[["case_id", "system", "value", "state", "reason"]].iloc[rows])
        yield scores.assign(repeat=np.repeat(repeats, len(asked)))[scores["metric"].isin(metrics).to_numpy()]
        if len(of_tool):
            yield of_tool
        bar.total = round(opened.n / opened.share) if opened.share else None
        bar.update(opened.n - bar.n)
    if late:
        found = add_derived(pd.concat(kept, ignore_index=True), late)
        yield found.assign(repeat=np.repeat(np.concatenate(keys), len(late)))
    opened.check_rows()
    bar.close()


def _noted(
    opened: Answers,
    noted: deque[tuple[NDArray, pd.DataFrame]],
    cases: pd.DataFrame | None,
    clusters: dict[str, str],
) -> Iterator[pd.DataFrame]:
    """The batches as they are; the `repeat` of their answers, the scores that their tool gave, and the
    cluster of their cases are noted on the way: a scorer may read ahead of the scores it gives."""
    for answers in opened:
        repeats, n = answers["repeat"].to_numpy(), len(tool_scores.score_columns(answers))
        noted.append((repeats, tool_scores.as_scores(answers).assign(repeat=np.repeat(repeats, n))))
        clusters.update(answer_clusters(answers, cases))
        yield answers
