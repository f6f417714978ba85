"""Answers with their scores in a tool's own file, or as JUnit XML: the way back."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay.answers import log_export, open_answers
from ragassay.answers.log_formats.schema_detection import schema_named
from ragassay.answers.log_formats.tool_scores import OWN, is_given
from ragassay.api import junit_verdicts
from ragassay.api.scoring_result import Scores
from ragassay.errors import ParameterError

JUNIT_KINDS = (".xml",)


def parse_targets(pairs: tuple[str, ...]) -> dict[str, Path]:
    """`ragas=scored.jsonl` as {"ragas": path}; ParameterError if the tool or the file's ending is unknown."""
    found: dict[str, Path] = {}
    for pair in pairs:
        tool, equals, name = pair.partition("=")
        if not equals or not tool or not name:
            do = "write for example ragas=scored.jsonl"
            raise ParameterError("where to write cannot be read", found=pair, expected="TOOL=FILE", do=do)
        found[tool] = check_path(tool, Path(name))
    return found


def check_path(tool: str, path: Path) -> Path:
    """The path, if this tool's file can be written there; ParameterError if not."""
    if tool != junit_verdicts.TOOL:
        schema_named(tool)
        return log_export.check_output_path(path)
    if path.suffix.lower() not in JUNIT_KINDS:
        raise ParameterError("JUnit is XML", found=path.name, expected="a file ending in .xml")
    return path


def parse_thresholds(pairs: tuple[str, ...]) -> dict[str, float]:
    """`support=0.5` as {"support": 0.5}; ParameterError if it is no such pair."""
    found: dict[str, float] = {}
    for pair in pairs:
        metric, _, value = pair.rpartition("=")
        try:
            found[metric] = float(value)
        except ValueError:
            metric = ""
        if not metric:
            raise ParameterError("a threshold cannot be read", found=pair, expected="METRIC=VALUE")
    return found


def write(
    source: Any, scores: Scores, targets: Mapping[str, Path], thresholds: Mapping[str, float], **options: Any
) -> list[Path]:
    """Write the answers with their scores for every tool named; the paths. Scores of ours stand under
    `ragassay:METRIC`, those that a tool gave under their own names.

    source : the answers that were scored; options : of `open_answers` (schema, mapping)
    """
    table = scores.to_pandas()
    written = []
    for tool, path in targets.items():
        if tool == junit_verdicts.TOOL:
            written.append(junit_verdicts.write(table, path, thresholds))
        else:
            rows = _with_scores(open_answers(source, **options), _wide(table))
            written.append(log_export.write_answers(rows, path, tool))
    return written


def _wide(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per answer, one column per score of ours."""
    ours = scores[~scores["metric"].map(is_given).astype(bool)]
    named = ours.assign(metric=f"{OWN}:" + ours["metric"])
    return named.pivot_table(
        index=["case_id", "system", "repeat"], columns="metric", values="value", sort=False, aggfunc="first"
    ).reset_index()


def _with_scores(batches: Any, wide: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch.merge(wide, on=["case_id", "system", "repeat"], how="left")
