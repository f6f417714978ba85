"""`ragassay.calibrate`: a file of scores and one of human labels in, a calibrated metric out; what it leaves
in a folder, and a calibration made before, applied to new scores."""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ragassay import output_files, parameter_ranges, plots
from ragassay.answers import open_answers, tool_scores
from ragassay.answers.log_schemas import SCORABLE
from ragassay.api import score_files
from ragassay.api.scoring import Scores, drawn, table_html
from ragassay.calibration import calibration_pipeline, calibrators, conformal, probability_metrics
from ragassay.calibration.calibration_pipeline import CHANCE
from ragassay.defaults import ALPHA
from ragassay.documents.record_files import read_records
from ragassay.errors import InputError, LabelError, ParameterError, did_you_mean
from ragassay.labels import human_labels, raters
from ragassay.sanitized_text import to_csv
from ragassay.scores import judges_of
from ragassay.show import clean
from ragassay.stats import Interval, not_available, percent_text
from ragassay.tables import Whole

NEEDED = ("case_id", "metric", "value")
MODEL, VERDICTS = "model.json", "verdicts.parquet"
FILES = (*(MODEL, "kinds.csv", "coverage.csv", "errors.csv"), *("conformal.svg", "reliability.svg", VERDICTS))
OWN = "the kit's own"
Source: TypeAlias = str | Path | pd.DataFrame | Scores


@dataclass(frozen=True)
class Calibrated:
    """A metric calibrated to one dimension of human judgement: verdicts on every scored answer, how far they
    can be believed, pictures.

    calibration : both stages, the calibrator and the threshold of the sets, with the labels behind them
    scores : the table verdicts are given for
    labelled : the labelled, scored answers
    accept_from : the lowest label that accepts
    levels : the sets of levels, on a scale of more than two; None elsewhere
    agreement : what is known of the raters' agreement, in words
    seed : of the split and the resampling
    unscored : labelled answers that have no score of the metric and were left out
    encoder : name, file and SHA-256 of the encoder behind the scores; empty where the scores do not say
    """

    calibration: calibration_pipeline.Calibration
    scores: pd.DataFrame
    labelled: pd.DataFrame
    accept_from: float
    levels: conformal.LevelCalibration | None
    agreement: str
    seed: int
    unscored: int = 0
    encoder: dict[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pd.DataFrame:
        """One row per scored answer: case_id, system, metric, dimension, probability that people accept,
        prediction_set, decision, part.

        `part` says what the answer was used for: fit (the calibrator has seen its label), held (its label set
        the threshold), or unlabelled. On a longer scale also `levels`, the range of levels not ruled out.
        """
        table = self.calibration.apply(self.scores)
        if self.levels is None:
            return table
        rows = self.scores[(self.scores.metric == self.calibration.metric) & (self.scores.state == "scored")]
        return table.assign(levels=self.levels.sets(rows["value"]))

    def summary(self) -> pd.DataFrame:
        """How far the verdicts can be believed, on the held-out labels (AUROC, which needs no fit, on all):
        name, value, low, high, n, method."""
        table = pd.DataFrame([asdict(each) | {"name": name} for name, each in self._measures.items()])
        table["method"] = table["reason"].where(table["reason"] != "", table["method"])
        return Whole(table[["name", "value", "low", "high", "n", "method"]])

    def coverage(self) -> pd.DataFrame:
        """Coverage of the sets over random splits, on labels that set no threshold, and by verdict."""
        return conformal.coverage(self.calibration.held_out, self.calibration.alpha, seed=self.seed)

    def errors(self) -> pd.DataFrame:
        """Type I and II errors, sensitivity and specificity at a probability of one half."""
        held = self.calibration.held_out
        return probability_metrics.error_rates(held["probability"], held["label"])

    def plot(self) -> Figure:
        """The calibrator, the labels and who decides where (HCAT figure 4)."""
        metric, limits = self.calibration.metric, self.calibration.thresholds.residuals
        named = self.calibration.held_out.rename(columns={"value": metric})
        axes = plots.conformal_regions(named, x=metric, p="probability", y="label", threshold=list(limits))
        return drawn(axes)

    def reliability(self) -> Figure:
        """Promised probability against the share that people accept, on the held-out labels."""
        held = self.calibration.held_out
        return drawn(plots.reliability_diagram(held["label"], held["probability"]))

    def _repr_html_(self) -> str:
        return table_html(self.summary(), self._head[0], "; ".join(self._head[1:]))

    def __repr__(self) -> str:
        width = max(map(len, self._measures))
        lines = [f"  {name:<{width}}  {each}" for name, each in self._measures.items()]
        return clean("\n".join([*self._head, *lines]), 0)

    @cached_property
    def _head(self) -> list[str]:
        """What was calibrated, with which labels and models, and what limits it."""
        found, is_open = self.calibration, np.isinf(self.calibration.thresholds.residuals)
        halves = f"{len(found.fitting)} fitting, {len(found.held_out)} held out, {self.unscored} unscored"
        models = ", ".join(f"{kind} {one[:16]}" for kind, one in self.encoder.items() if kind != "file")
        limits = {
            "too few labels for this error rate: every answer goes to review": is_open.all(),
            "too few labels of one verdict: it is never ruled out": is_open.any() and not is_open.all(),
            "the score separates no better than chance": not self._measures["auroc"].low > CHANCE,
            f"raters: {self.agreement}": self.agreement,
        }
        return [
            f"{found.metric} calibrated to {found.dimension}, accepted from {self.accept_from:g}",
            f"labels: {halves}; calibrator: {found.calibrator.kind}; models: {models or OWN}",
            f"coverage promised: {percent_text(1 - found.alpha)}",
            *(text for text, holds in limits.items() if holds),
        ]

    @cached_property
    def _measures(self) -> dict[str, Interval]:
        held, rng = self.calibration.held_out, np.random.default_rng(self.seed)
        p, y = held["probability"], held["label"]
        row, exact = self.coverage().iloc[0], "Clopper-Pearson"
        clusters = None if held["cluster"].is_unique else held["cluster"].to_numpy()
        error = probability_metrics.expected_calibration_error(p, y)
        return {
            "auroc": calibration_pipeline.score_auroc(self.labelled, self.calibration.metric),
            "brier": probability_metrics.brier(p, y, clusters=clusters, rng=rng),
            "log_loss": probability_metrics.log_loss(p, y, clusters=clusters, rng=rng),
            "calibration_error": not_available("biased upwards", value=error, n=len(held)),
            "coverage": Interval(row.value, row.low, row.high, row.n, 0, row.reason, "spread over splits"),
            "decided": Interval(row.decided, row.decided_low, row.decided_high, row.n, method=exact),
            "wrong": Interval(row.wrong, row.wrong_low, row.wrong_high, row.n_decided, method=exact),
        }


def read(path: Path, mapping: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The scores in a file: case_id, metric, value, and what else it has; of a log also `question`.

    mapping : of a log's columns, ours -> theirs, as `score` takes it
    """
    if not path.is_file():
        raise InputError("there is no such file", where=path, do="name what `ragassay score --out` wrote")
    first = next(iter(read_records(path)), None) if path.stat().st_size else None
    is_table = first is None or first.broken or {"metric", "value"} <= first.values.keys()
    if is_table:
        return score_files.read_whole(path) if path.stat().st_size else pd.DataFrame()
    opened = open_answers(path, mapping=mapping, needed=("case_id", *SCORABLE))
    parts = []
    for batch in opened:
        n = len(tool_scores.score_columns(batch))
        keys = batch.reindex(columns=["repeat", "question"]).loc[batch.index.repeat(n)].reset_index(drop=True)
        parts.append(tool_scores.as_scores(batch).assign(repeat=keys["repeat"], question=keys["question"]))
    found = pd.concat(parts, ignore_index=True)
    if found.empty:
        columns = f"{', '.join(opened.columns)[:300]}; read as {opened.schema.tool}"
        do = "name your column, --map score:NAME=COLUMN; or `ragassay score` the answers"
        raise InputError("the file holds no scores", where=path, found=columns, do=do)
    return found


def calibrate(
    scores: Source,
    labels_of_people: str | Path | pd.DataFrame,
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
    the threshold of the conformal sets and measures both.

    Parameters
    ----------
    scores : what `ragassay.score` returned, its file, or a table: case_id, metric, value; system, state,
        repeat; or the log of another tool, with its own scores (`ragas:faithfulness`)
    labels_of_people : file or table: case_id, dimension, rater, label, scale ("0-1", "1-5"); optional system;
        or the log of another tool that holds judgements of people
    alpha : error rate allowed to the prediction sets, strictly between 0 and 1
    accept_from : the lowest label that accepts; None: the top of a 0-1 scale, else its upper third
    clusters : case_id -> what was drawn independently (a conversation); None takes every case for itself
    mapping : which column of two logs is which of ours: {"scores": {"score:trust": "my column"},
        "labels": {"label:grounded": "ok"}}

    Raises LabelError if the labels cannot carry it: none joins a score, one class only, too few, or the
    raters do not agree with each other; ParameterError if metric or dimension is not there, or alpha is
    outside (0, 1); InputError if a file cannot be read.
    """
    parameter_ranges.check("alpha", alpha, "in (0, 1)")
    maps = mapping or {}
    table = _scores(scores, maps.get("scores"))
    human = human_labels.read(labels_of_people, None, maps.get("labels"))[0]
    if "question" in table and "question" in human:  # a case_id may be a row's number in both files
        both = table[["case_id", "question"]].merge(human[["case_id", "question"]], on="case_id")
        both = both.replace("", None).dropna()
        other = both[both["question_x"].str.strip() != both["question_y"].str.strip()]
        for case, expected, found in other.to_numpy()[:1]:
            what, do = "scores and labels differ in their questions", "give both a case_id"
            raise LabelError(what, where=f"case_id {case}", found=found, expected=expected, do=do)
    _check_name("metric", metric, table["metric"])
    _check_name("dimension", dimension, human["dimension"])
    human = human[human.dimension == dimension]
    scale = str(human["scale"].iloc[0])
    low, high = human_labels.scale_ends(scale)
    cut = human_labels.usual_accept_from(scale) if accept_from is None else accept_from
    if not low < cut <= high:
        expected = f"above {low:g}, at most {high:g}"
        raise ParameterError("accept_from is not on the scale", found=accept_from, expected=expected)
    agreement, judged = raters.agreement(human, seed=seed), raters.accepted(human, {dimension: cut})
    labelled = calibration_pipeline.join(table, judged, metric=metric, dimension=dimension, clusters=clusters)
    if labelled.empty:
        scored = table[(table["metric"] == metric) & (table["state"] == "scored")]
        ids = [list(map(tuple, rows[["case_id", "system"]].head(2).to_numpy())) for rows in (scored, human)]
        found, do = f"scores such as {ids[0]}, labels such as {ids[1]}", "label the answers that were scored"
        raise LabelError("no label belongs to a scored answer", found=found, do=do)
    calibration_pipeline.require(labelled, agreement, dimension=dimension, seed=seed)
    found = calibration_pipeline.calibrate(labelled, metric, dimension, alpha=alpha, seed=seed)
    encoder = scores.encoder if isinstance(scores, Scores) else {}
    if isinstance(scores, str | Path):
        encoder = score_files.encoder_of(Path(scores))
    of_scale, levels = human_labels.scale_levels(scale), None
    if of_scale and len(of_scale) > 2 and human["label"].isin(of_scale).all():
        with contextlib.suppress(LabelError):  # labels that cannot carry sets of levels
            levels = conformal.calibrate_levels(labelled, of_scale, alpha=alpha, seed=seed)
    agreed, unscored = str(agreement["reason"].iloc[0]), len(judged) - len(labelled)
    return Calibrated(found, table, labelled, cut, levels, agreed, seed, unscored, encoder)


def _scores(source: Source, mapping: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The scores of first answers: case_id, system, metric, value, state."""
    if isinstance(source, Scores):
        table = source.to_pandas()
    else:
        table = source.copy() if isinstance(source, pd.DataFrame) else read(Path(source), mapping)
    if absent := [name for name in NEEDED if name not in table]:
        raise InputError(f"the scores have no column {absent[0]!r}", found=[*table], do="`ragassay score`")
    if "repeat" in table:
        table = table[pd.to_numeric(table["repeat"], errors="coerce").fillna(0) == 0]
    values = pd.to_numeric(table["value"], errors="coerce").astype(float)
    state = table["state"] if "state" in table else pd.Series("scored", index=table.index)
    state = state.where(np.isfinite(values) | (state != "scored"), "not_measured")
    system = table["system"].fillna("").astype(str) if "system" in table else ""
    named = table.assign(case_id=table["case_id"].astype(str), system=system)
    return named.assign(value=values, state=state).reset_index(drop=True)


def _check_name(what: str, name: str, known: Iterable[str]) -> None:
    there = sorted(set(map(str, known)))
    if name not in there:
        expected, do = ", ".join(there) or "none", did_you_mean(name, there)
        raise ParameterError(f"there is no {what} {name!r}", expected=expected, do=do)


@dataclass(frozen=True)
class SavedCalibration:
    """A calibration made before.

    made_with : the models behind its scores, as `Scores.encoder`; empty where they did not say
    n_labels : answers labelled that fitted it, and that set its threshold
    sha256 : of its model.json
    """

    folder: Path
    calibration: calibration_pipeline.Calibration
    made_with: dict[str, str]
    n_labels: dict[str, int]
    sha256: str

    def verdicts(self, scores: Scores) -> pd.DataFrame:
        """The rows of `Calibrated.to_pandas`, without `part`, for the first answers that have a score of its
        metric, in their order. ParameterError if they were scored by another encoder, or another model of
        entailment or support, than the calibration was made with."""
        kinds = ("sha256", *judges_of(self.calibration.metric))  # names may differ, the weights decide
        then, now = ({kind: one.get(kind, OWN) for kind in kinds} for one in (self.made_with, scores.encoder))
        if self.made_with and scores.encoder and then != now:
            raise ParameterError(
                "the calibration was made with another model",
                where=self.folder / MODEL,
                found=f"{scores.encoder.get('name', '')} {now}",
                expected=f"{self.made_with.get('name', '')} {then}",
                do="calibrate anew on labels scored with this model, or score with the other",
            )
        table = scores.to_pandas()
        return self.calibration.apply(table[table["repeat"] == 0]).drop(columns="part")


def read_calibration(folder: str | Path) -> SavedCalibration:
    """The calibration that a folder holds; InputError if it holds none."""
    path = Path(folder) / MODEL
    try:
        content = path.read_bytes()
        made = json.loads(content)
        calibrator = calibrators.from_json(json.dumps(made["calibrator"]))
        zero, one = (np.inf if q_hat is None else float(q_hat) for q_hat in made["q_hat_of_labels"])
        limits = conformal.Thresholds("none", {conformal.ALL: (zero, one)})
        of = made["metric"], made["dimension"], made["alpha"]
        no_labels = [pd.DataFrame()] * 3
        found = calibration_pipeline.Calibration(*of, calibrator, limits, *no_labels)
        digest = hashlib.sha256(content).hexdigest()
        return SavedCalibration(Path(folder), found, made["encoder"], made["labels"], digest)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as problem:
        raise InputError("there is no calibration to apply", where=path, found=problem) from problem


def apply_calibration(folder: str | Path, scores: Scores) -> pd.DataFrame:
    """Verdicts on what `ragassay.score` returned by the calibration that `ragassay calibrate --out` left in a
    folder: the rows of `SavedCalibration.verdicts`, and its errors; InputError if the folder holds no
    calibration, ParameterError if the metric was not scored."""
    saved = read_calibration(folder)
    applied = saved.verdicts(scores)
    if applied.empty:
        metric = saved.calibration.metric
        raise ParameterError(f"{metric!r} was not scored", where=folder, do=f"score with --metrics {metric}")
    return applied


def write_calibration(found: Calibrated, out: str | Path, *, replace: bool = False) -> list[Path]:
    """Write FILES; the paths. ParameterError if they cannot be written. MODEL gives the same verdicts again:
    the calibrator (`calibrators.from_json`), threshold, cut, the encoder behind the scores, the labels."""
    made, paths = found.calibration, [Path(out) / name for name in FILES]
    output_files.check(*paths, replace=replace)
    model = {
        "metric": made.metric,
        "dimension": made.dimension,
        "accept_from": found.accept_from,
        "alpha": made.alpha,
        "seed": found.seed,
        "encoder": found.encoder,
        "calibrator": made.calibrator.model_dump(mode="json"),
        "q_hat": _finite(made.q_hat),
        "q_hat_of_labels": [_finite(limit) for limit in made.thresholds.residuals],
        "labels": {"fitting": len(made.fitting), "held_out": len(made.held_out)},
    }
    texts = [json.dumps(model, indent=2, ensure_ascii=False, allow_nan=False) + "\n"]
    texts += map(to_csv, (made.kinds, found.coverage(), found.errors()))
    for path, text in zip(paths, texts, strict=False):
        output_files.write_text(path, text)
    for path, figure in zip(paths[4:], (found.plot(), found.reliability()), strict=False):
        with output_files.draft(path) as draft, output_files.refusals(path):
            figure.savefig(draft, format="svg", bbox_inches="tight", metadata={"Date": None})
    with output_files.draft(paths[-1]) as draft, output_files.refusals(paths[-1]):
        found.to_pandas().to_parquet(draft, index=False)
    return paths


def _finite(value: float) -> float | None:
    """A number JSON can hold; None for infinity."""
    return float(value) if np.isfinite(value) else None
