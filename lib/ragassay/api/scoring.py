"""`ragassay.score`: answers from anywhere in, scores out, batch by batch."""

import difflib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ragassay import output_files
from ragassay.analysis.case_scores import answer_clusters
from ragassay.answers.answer_batches import Answers, open_answers, read_case_facts
from ragassay.answers.log_formats import tool_scores
from ragassay.api import score_files
from ragassay.api.ray_cluster import Cluster, Work, identities, scorer_on
from ragassay.api.scoring_progress import Progress
from ragassay.api.scoring_result import Scores
from ragassay.errors import ParameterError
from ragassay.models import user_models
from ragassay.scores import DEFAULT, JUDGED, METRICS, OFFLINE, judges_of, own_metrics
from ragassay.scores.score import BATCH, add_derived, parts_of, score_batches
from ragassay.show import clean

Source: TypeAlias = str | Path | pd.DataFrame | Iterable
Scorer: TypeAlias = Callable[[Iterator[pd.DataFrame]], Iterator[pd.DataFrame]]  # answers -> their scores


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
    progress: Progress | None = None,
    **settings: Any,
) -> Scores:
    """Score answers by the metrics named.

    Parameters
    ----------
    answers : a file (.jsonl, .csv, .tsv, .parquet, .json, .xlsx), a DataFrame, or records; our columns or
        those of another tool (SCHEMAS)
    metrics : names in METRICS or `file.py:name`, as a list or parted by commas; "default", "judge" (those
        that need one, but for those that are computed only where they are named), or "all" that need none
    cases : what is known of the cases, by case_id, where the answers do not say it: reference_answer,
        answerable, reference_chunk_ids, ...; conversation_id, group_id or parent_id of either say what was
        drawn together, which the intervals heed
    out : a .parquet, .jsonl or .csv file; the scores are then written batch by batch and memory does not grow
        with their number
    replace : whether `out` may be written over where it is there already; an input never is
    schema : a name in SCHEMAS; empty detects it
    mapping : ours -> theirs, before the schema's: {"question": "prompt"}
    batch : answers held in memory at once
    progress : says how far it is
    settings : cluster, a `Cluster`: scores in the processes of Ray, finished parts kept beside `out` and not
        scored again (docs/scale.md); entailment, support and device (cpu, cuda or mps) in place of the run's,
        docs/bigger-models.md; further parameters of `scores.score.score_batches`: model (the encoder),
        premise, chunks, instruments (a judge among them), ...

    Returns
    -------
    Scores : answers in the order they came, metrics in the order named; scores that the answers' tool gave
        stand beside them under its name (`ragas:faithfulness`); metrics derived from others over all answers
        come last

    Raises
    ------
    ParameterError
        If a metric or schema is unknown, `batch` is below 1, or `out` cannot be written,
        is there already, or is an input.
    InputError
        If the answers cannot be read, nothing tells which column is which, or no row can be judged. A single
        broken line or value is no error: see `Scores.flaws`.
    ModelError
        If a model that is named cannot be used, or the device is not on this machine.
    ClusterError
        If the cluster cannot be reached, is lost, or fails; the same call goes on where it ended.
    """
    names = metric_names(metrics)
    cluster: Cluster | None = settings.pop("cluster", None)
    if out is not None:
        inputs = [source for source in (answers, cases) if isinstance(source, str | Path)]
        output_files.check(score_files.check_path(out), inputs=inputs, replace=replace)
    if cluster is not None:
        cluster.check(out, settings)
        own_metrics.refuse(names, "on a cluster")
    opened = open_batches(answers, schema, mapping, batch if cluster is None else cluster.part)
    known = None if cases is None else read_case_facts(cases)
    clusters: dict[str, str] = {}
    noting = partial(_noted, cases=known, clusters=clusters)
    with user_models.using(**{kind: settings.pop(kind, "") for kind in user_models.NAMED}):
        # which models judge in place of the kit's, and which thresholds do not hold for them
        kinds = {kind for name in names for kind in judges_of(name)}
        kinds |= {"entailment"} if "citations_supported" in names else set()
        models_named = user_models.limits(sorted(kinds), str(settings.get("model") or ""))
        if progress:
            progress.start(clean(opened.description(), 500), *models_named)
        encoder = identities(names, settings)
        if cluster is None or out is None:
            scorer = partial(score_batches, metrics=names, cases=known, **settings)
            scored = _scored(opened, names, progress, scorer, noting)
            if out is None:
                source: pd.DataFrame | Path = pd.concat(scored, ignore_index=True)[list(score_files.COLUMNS)]
            else:
                source = _written(scored, Path(out), encoder)
        else:
            work = Work.of(names, known, settings, batch)
            with scorer_on(cluster, work, Path(out)) as scorer:
                source = _written(_scored(opened, names, progress, scorer, noting), Path(out), encoder)
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
    """The names, in order and once each, with "default", "judge" and "all" spelled out.

    Raises
    ------
    ParameterError
        If a name is no metric, or there is none.
    """
    given = [part.strip() for part in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    given = own_metrics.resolve(given)
    groups = {"default": list(DEFAULT), "judge": list(JUDGED), "all": list(OFFLINE)}
    names = list(dict.fromkeys(name for part in given if part for name in groups.get(part, [part])))
    unknown = next((name for name in names if name not in METRICS), None)
    if unknown is not None or not names:
        near = difflib.get_close_matches(str(unknown), METRICS, 1)
        raise ParameterError(
            f"unknown metric {unknown!r}" if names else "no metric is named",
            expected="names that `ragassay score --list` shows, default, judge or all",
            do=f"did you mean {near[0]!r}?" if near else "`ragassay score --list` shows them all",
        )
    return names


def open_batches(answers: Source, schema: str, mapping: Mapping[str, str] | None, batch: int) -> Answers:
    """The answers of a source, to be handed out in batches.

    Raises
    ------
    ParameterError
        If `batch` is below 1 or the schema is unknown.
    InputError
        If there is no answer, or nothing tells which column is which.
    """
    if batch < 1:
        raise ParameterError("batch must be at least 1", found=batch)
    return open_answers(answers, schema=schema, mapping=mapping, batch=batch)


def _scored(
    opened: Answers, metrics: list[str], progress: Progress | None, scorer: Scorer, noting: Callable
) -> Iterator[pd.DataFrame]:
    """The scores of each batch, with the `repeat` of each answer;
    then, of all answers together, those of the derived metrics.
    """
    late = [name for name in metrics if METRICS[name].derived]
    asked, keys, kept = parts_of(metrics), list[NDArray](), list[pd.DataFrame]()
    noted: deque[tuple[NDArray, pd.DataFrame]] = deque()
    places = [asked.index(name) for name in parts_of(late)]
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
        if progress:
            progress.update(opened.n, opened.share)
    if late:
        found = add_derived(pd.concat(kept, ignore_index=True), late)
        yield found.assign(repeat=np.repeat(np.concatenate(keys), len(late)))
    opened.check_rows()
    if progress:
        progress.end()


def _noted(
    opened: Answers,
    noted: deque[tuple[NDArray, pd.DataFrame]],
    cases: pd.DataFrame | None,
    clusters: dict[str, str],
) -> Iterator[pd.DataFrame]:
    """The batches as they are; the `repeat` of their answers, the scores that their tool gave, and the
    cluster of their cases are noted on the way: a scorer may read further batches before it gives the scores
    of this one."""
    for answers in opened:
        repeats = answers["repeat"].to_numpy()
        scores = tool_scores.as_scores(answers)
        noted.append(
            (repeats, scores.assign(repeat=np.repeat(repeats, len(tool_scores.score_columns(answers)))))
        )
        clusters.update(answer_clusters(answers, cases))
        yield answers


def _written(scored: Iterator[pd.DataFrame], out: Path, encoder: dict[str, str]) -> Path:
    with score_files.writing(out, encoder) as writer:
        for scores in scored:
            writer.add(scores)
    return out
