"""`ragassay.calibrate`: a file of scores and a file of human labels in, a calibrated metric out."""

import contextlib
import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.answers import open_answers
from ragassay.answers.log_files import read_records
from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.schemas import SCORABLE
from ragassay.api import score_files
from ragassay.api.calibration_result import Calibrated
from ragassay.api.scoring_result import Scores
from ragassay.calibration import calibration_pipeline, ordinal_levels
from ragassay.defaults import ALPHA
from ragassay.errors import InputError, LabelError, ParameterError
from ragassay.labels import dimensions, human_labels, raters

NEEDED = ("case_id", "metric", "value")
OF_TABLE = {*NEEDED, "system", "state", "repeat"}  # what a mapping of a table of scores may name
Source: TypeAlias = str | Path | pd.DataFrame | Scores


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
        raise InputError(what, where=path, do=do)
    first = next(iter(read_records(path)), None) if path.stat().st_size else None
    is_table = first is None or first.broken or {"metric", "value"} <= first.values.keys()
    if not is_table and not {"metric", "value"} & names.keys():
        return _of_log(path, names)
    table = score_files.read_whole(path) if path.stat().st_size else pd.DataFrame()
    if absent := [theirs for theirs in names.values() if theirs not in table]:
        what, columns = "the mapping names a column that is not there", ", ".join(map(str, table))
        raise InputError(what, where=path, found=columns, expected=absent[0])
    return table.rename(columns={theirs: ours for ours, theirs in names.items() if ours in OF_TABLE})


def _of_log(path: Path, names: dict[str, str]) -> pd.DataFrame:
    """The scores that the tool of a log gave, with the question of each answer."""
    opened = open_answers(path, mapping=names, needed=("case_id", *SCORABLE))
    parts = []
    for batch in opened:
        asked = batch["question"] if "question" in batch else pd.Series(index=batch.index, dtype=object)
        n = len(tool_scores.score_columns(batch))
        keys = {"repeat": batch["repeat"].repeat(n).to_numpy(), "question": asked.repeat(n).to_numpy()}
        parts.append(tool_scores.as_scores(batch).assign(**keys))
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


def calibrate(
    scores: Source,
    labels_of_people: Source | str | Path,
    *,
    metric: str,
    dimension: str,
    alpha: float = ALPHA,
    seed: int = 0,
    accept_from: float | None = None,
    clusters: Mapping[str, str] | None = None,
    mapping: Mapping[str, Mapping[str, str]] | None = None,
) -> Calibrated:
    """Calibrate one metric to one dimension of human judgement (HCAT section 5).

    Half of the labelled answers choose and fit the calibrator from score to probability, the other half sets
    the threshold of the conformal sets and measures both. On a scale of more than two levels, sets of levels
    come beside the decision to accept.

    Parameters
    ----------
    scores : what `ragassay.score` returned, its file (.parquet, .jsonl, .csv), or a table: case_id, metric,
        value; system, state, repeat; or the log of another tool, whose own scores are taken
        (`ragas:faithfulness`)
    labels_of_people : file or table: case_id, dimension, rater, label, scale ("0-1", "1-5"); optional system;
        or the log of another tool that holds judgements of people
    alpha : error rate allowed to the prediction sets, strictly between 0 and 1
    accept_from : the lowest label that accepts; None: the top level of a 0-1 scale, else the lowest level in
        the upper third of the scale
    clusters : case_id -> what was drawn independently (a conversation); None takes every case for itself
    mapping : which column of the two files is which of ours: {"scores": {"score:trust": "my column"},
        "labels": {"label:grounded": "ok"}}

    Raises
    ------
    LabelError
        If the labels cannot carry it: none joins a score, one class only, too few, or the raters do not agree
        with each other.
    ParameterError
        If metric or dimension is not there, or alpha is outside (0, 1).
    InputError
        If a file cannot be read.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    maps = mapping or {}
    table = _scores(scores, maps.get("scores"))
    if isinstance(labels_of_people, pd.DataFrame):
        human = human_labels.from_table(labels_of_people)
    else:
        human = human_labels.read(Path(str(labels_of_people)), None, maps.get("labels"))[0]
    _refuse_other_questions(table, human)
    _check_name("metric", metric, table["metric"])
    _check_name("dimension", dimension, human["dimension"])
    human, systems = human[human.dimension == dimension], table["system"].unique()
    if len(systems) == 1:  # labels that name no system are of the only one that was scored
        human = human.assign(system=human["system"].mask(human["system"].fillna("") == "", systems[0]))
    scale = str(human["scale"].iloc[0])
    low, high = dimensions.scale_ends(scale)
    cut = dimensions.usual_accept_from(scale) if accept_from is None else accept_from
    if not low < cut <= high:
        expected = f"above {low:g}, at most {high:g}"
        raise ParameterError("accept_from is not on the scale", found=accept_from, expected=expected)
    agreement, judged = raters.agreement(human, seed=seed), raters.accepted(human, {dimension: cut})
    labelled = calibration_pipeline.join(table, judged, metric=metric, dimension=dimension, clusters=clusters)
    if labelled.empty:
        scored = table[(table["metric"] == metric) & (table["state"] == "scored")]
        ids = [list(map(tuple, rows[["case_id", "system"]].head(2).to_numpy())) for rows in (scored, human)]
        seen = f"scores such as {ids[0]}, labels such as {ids[1]}"
        what, expected = "no label belongs to a scored answer", "the same case_id and system in both"
        raise LabelError(what, found=seen, expected=expected, do="label the answers that were scored")
    calibration_pipeline.require(labelled, agreement, dimension=dimension, seed=seed)
    found = calibration_pipeline.calibrate(labelled, metric, dimension, alpha=alpha, seed=seed)
    encoder = scores.encoder if isinstance(scores, Scores) else {}
    if isinstance(scores, str | Path):
        encoder = score_files.encoder_of(Path(scores))
    of_scale, levels = dimensions.scale_levels(scale), None
    if of_scale is not None and human["label"].isin(of_scale).all():
        with contextlib.suppress(LabelError):  # labels that cannot carry sets of levels
            levels = ordinal_levels.calibrate_levels(labelled, of_scale, alpha=alpha, seed=seed)
    agreed, unscored = str(agreement["reason"].iloc[0]), len(judged) - len(labelled)
    return Calibrated(found, table, labelled, cut, levels, agreed, seed, unscored, encoder)


def _scores(source: Source, mapping: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The scores of first answers: case_id, system, metric, value, state."""
    if isinstance(source, Scores):
        table = source.to_pandas()
    else:
        table = source.copy() if isinstance(source, pd.DataFrame) else read(Path(source), mapping)
    absent = [name for name in NEEDED if name not in table]
    if absent:
        what, columns = f"the scores have no column {absent[0]!r}", ", ".join(map(str, table))
        raise InputError(what, found=columns, expected=", ".join(NEEDED), do="score with `ragassay score`")
    table = table[pd.to_numeric(table["repeat"]) == 0] if "repeat" in table else table
    values = pd.to_numeric(table["value"], errors="coerce").astype(float)
    state = table["state"] if "state" in table else pd.Series("scored", index=table.index)
    state = state.where(np.isfinite(values) | (state != "scored"), "not_measured")
    system = table["system"].fillna("").astype(str) if "system" in table else ""
    named = table.assign(case_id=table["case_id"].astype(str), system=system)
    return named.assign(value=values, state=state).reset_index(drop=True)


def _refuse_other_questions(table: pd.DataFrame, human: pd.DataFrame) -> None:
    """LabelError where a case_id, which may be a row's number in both files, stands for two questions."""
    if not ("question" in table and "question" in human):
        return
    both = table[["case_id", "question"]].merge(human[["case_id", "question"]], on="case_id")
    asked = both[both.notna().all(axis=1) & (both != "").all(axis=1)]
    other = asked[asked["question_x"].str.strip() != asked["question_y"].str.strip()]
    if len(other):
        row = other.iloc[0]
        raise LabelError(
            "scores and labels are of other questions",
            where=f"case_id {row['case_id']}",
            found=row["question_y"],
            expected=row["question_x"],
            do="give both files a column case_id; without one their rows are numbered",
        )


def _check_name(what: str, name: str, known: Iterable[str]) -> None:
    there = sorted(set(map(str, known)))
    if name not in there:
        near = difflib.get_close_matches(name, there, 1)
        do = f"did you mean {near[0]!r}?" if near else f"name a {what} that is there"
        raise ParameterError(f"there is no {what} {name!r}", expected=", ".join(there) or "none", do=do)
