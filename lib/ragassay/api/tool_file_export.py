"""Answers with their scores in a tool's own file, or as JUnit XML: the way back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from ragassay import output_files
from ragassay.answers import log_export, open_answers
from ragassay.answers.log_formats.schemas import schema_named
from ragassay.answers.log_formats.tool_scores import OWN, is_given
from ragassay.api.scoring_result import Scores
from ragassay.errors import ParameterError
from ragassay.sanitized_text import clean
from ragassay.scores import metric_directions

JUNIT = "junit"
VERDICTS = ("end_to_end_success",)  # of ours, 0 or 1
OF_TOOLS = (":success", ":passing", ":pass")  # how the verdicts of tools end
ANSWER = ["case_id", "system", "repeat"]  # what an answer is known by
HALF = 0.5
TAGS = {"error": "error", "not_applicable": "skipped", "not_measured": "skipped"}


def write_junit(scores: pd.DataFrame, path: Path, thresholds: Mapping[str, float]) -> Path:
    """Write the verdicts; the path.

    A metric with a threshold fails an answer whose score is worse than it, by the metric's direction; a
    verdict (VERDICTS, and what a tool calls passed) fails one below one half. What has no score is skipped
    with its reason, or an error.

    Raises
    ------
    ParameterError
        If a threshold is of no metric scored, or there is neither threshold nor verdict.
    """
    limits = _limits(list(dict.fromkeys(scores["metric"])), thresholds)
    document = ElementTree.Element("testsuites", name="ragassay")
    for metric, limit in limits.items():
        suite = ElementTree.SubElement(document, "testsuite", name=clean(metric))
        rows = scores[scores["metric"] == metric].to_dict("records")
        tags = [_case(suite, metric, row, limit) for row in rows]
        suite.set("tests", str(len(tags)))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(name, str(tags.count(tag)))
    ElementTree.indent(document)
    text = ElementTree.tostring(document, encoding="unicode")
    output_files.write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')
    return path


def _limits(names: list[str], thresholds: Mapping[str, float]) -> dict[str, float]:
    unknown = next((name for name in thresholds if name not in names), None)
    verdicts = [one for one in names if one in VERDICTS or (is_given(one) and one.endswith(OF_TOOLS))]
    found = {name: thresholds.get(name, HALF) for name in dict.fromkeys([*thresholds, *verdicts])}
    if unknown is not None or not found:
        raise ParameterError(
            "no verdict can be given" if unknown is None else f"the threshold is of no metric: {unknown!r}",
            found=", ".join(names)[:300] or "no score",
            expected="a metric that was scored, or a verdict such as end_to_end_success",
            do="name a threshold: `ragassay score LOG --to junit=FILE --threshold support=0.5`",
        )
    return found


def _case(suite: ElementTree.Element, metric: str, row: Mapping, limit: float) -> str:
    """Add one answer; the tag of what became of it, "" where it passed."""
    name = f"{row['case_id']} {row['system']}" + (f" #{row['repeat']}" if row.get("repeat") else "")
    case = ElementTree.SubElement(suite, "testcase", classname=clean(metric), name=clean(name))
    lower = metric_directions.direction(metric) == "lower"
    worse = row["value"] > limit if lower else row["value"] < limit
    tag = TAGS.get(row["state"], "failure" if worse else "")
    said = f"{row['value']:.6g}, {'at most' if lower else 'at least'} {limit:g} required"
    if tag:
        message = said if tag == "failure" else f"{row['state']}: {row['reason']}"
        ElementTree.SubElement(case, tag, message=clean(message))
    return tag


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
    if tool != JUNIT:
        schema_named(tool)
        return log_export.check_output_path(path)
    if path.suffix.lower() != ".xml":
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
    ours = table[~table["metric"].map(is_given).astype(bool)]
    wide = ours.assign(metric=f"{OWN}:" + ours["metric"]).pivot_table(
        index=ANSWER, columns="metric", values="value", sort=False, aggfunc="first"
    )
    written = []
    for tool, path in targets.items():
        if tool == JUNIT:
            written.append(write_junit(table, path, thresholds))
        else:
            batches = open_answers(source, **options)
            rows = (batch.merge(wide, on=ANSWER, how="left") for batch in batches)
            written.append(log_export.write_answers(rows, path, tool))
    return written
