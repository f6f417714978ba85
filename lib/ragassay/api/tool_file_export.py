"""Answers with their scores in a tool's own file, or as JUnit XML: the way back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from ragassay import output_files
from ragassay.answers import open_answers
from ragassay.answers.log_formats.records import check_output_path, write_answers
from ragassay.answers.log_formats.schemas import schema_named
from ragassay.answers.log_formats.tool_scores import OWN, is_given
from ragassay.api.scoring_result import Scores
from ragassay.errors import ParameterError
from ragassay.sanitized_text import clean
from ragassay.scores import metric_registry
from ragassay.spreadsheet_injection import to_csv

JUNIT, SUMMARY = "junit", "summary"
SUFFIXES = {JUNIT: ".xml", SUMMARY: ".csv"}
VERDICTS = ("end_to_end_success",)  # of ours, 0 or 1
OF_TOOLS = (":success", ":passing", ":pass")  # how the verdicts of tools end
ANSWER = ["case_id", "system", "repeat"]  # what an answer is known by
HALF = 0.5
TAGS = {"error": "error", "not_applicable": "skipped", "not_measured": "skipped"}


def check_path(tool: str, file: str | Path) -> Path:
    """The path, if this tool's file can be written there; ParameterError if not."""
    path, suffix = Path(file), SUFFIXES.get(tool)
    if suffix is None:
        schema_named(tool)
        return check_output_path(path)
    if path.suffix.lower() != suffix:
        raise ParameterError(
            f"this cannot hold the {tool}", found=path.name, expected=f"a file ending in {suffix}"
        )
    return path


def write(
    source: Any, scores: Scores, targets: Mapping[str, Path], thresholds: Mapping[str, float], **options: Any
) -> list[Path]:
    """Write the answers with their scores for every tool named, verdicts as JUnit XML, the summary as CSV;
    the paths. Scores of ours stand under `ragassay:METRIC`, those that a tool gave under their own names.

    source : the answers that were scored; thresholds : as in `junit`
    options : of `open_answers` (schema, mapping)
    """
    for tool, path in targets.items():
        if tool == JUNIT:
            output_files.write_text(path, junit(scores.to_pandas(), thresholds))
        elif tool == SUMMARY:
            output_files.write_text(path, to_csv(scores.summary()))
        else:
            table = scores.to_pandas()
            ours = table[~table["metric"].map(is_given).astype(bool)]
            wide = ours.assign(metric=f"{OWN}:" + ours["metric"]).pivot_table(
                index=ANSWER, columns="metric", values="value", sort=False, aggfunc="first"
            )
            batches = open_answers(source, **options)
            rows = (batch.merge(wide, on=ANSWER, how="left") for batch in batches)
            write_answers(rows, path, tool)
    return list(targets.values())


def junit(scores: pd.DataFrame, thresholds: Mapping[str, float]) -> str:
    """The verdicts as JUnit XML.

    A metric with a threshold fails an answer whose score is worse than it, by the metric's direction; a
    verdict (VERDICTS, and what a tool calls passed) fails one below one half. What has no score is skipped
    with its reason, or an error.

    Raises
    ------
    ParameterError
        If a threshold is of no metric scored, or there is neither threshold nor verdict.
    """
    names = list(dict.fromkeys(scores["metric"]))
    verdicts = [one for one in names if one in VERDICTS or (is_given(one) and one.endswith(OF_TOOLS))]
    limits = dict.fromkeys(verdicts, HALF) | dict(thresholds)
    unknown = [name for name in thresholds if name not in names]
    if unknown or not limits:
        raise ParameterError(
            f"the threshold is of no metric: {unknown[0]!r}" if unknown else "no verdict can be given",
            found=", ".join(names)[:300] or "no score",
            expected="a metric that was scored, or a verdict such as end_to_end_success",
            do="name a threshold: `ragassay score LOG --to junit=FILE --threshold support=0.5`",
        )
    document = ElementTree.Element("testsuites", name="ragassay")
    for metric, limit in limits.items():
        suite = ElementTree.SubElement(document, "testsuite", name=clean(metric))
        rows = scores[scores["metric"] == metric].to_dict("records")
        tags = [_case(suite, metric, row, limit) for row in rows]
        suite.set("tests", str(len(tags)))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(name, str(tags.count(tag)))
    ElementTree.indent(document)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(document, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, metric: str, row: Mapping, limit: float) -> str:
    """Add one answer; the tag of what became of it, "" where it passed."""
    name = f"{row['case_id']} {row['system']}" + (f" #{row['repeat']}" if row.get("repeat") else "")
    case = ElementTree.SubElement(suite, "testcase", classname=clean(metric), name=clean(name))
    lower = metric_registry.direction(metric) == "lower"
    worse = row["value"] > limit if lower else row["value"] < limit
    tag = TAGS.get(row["state"], "failure" if worse else "")
    if tag:
        required = f"{row['value']:.6g}, {'at most' if lower else 'at least'} {limit:g} required"
        message = required if tag == "failure" else f"{row['state']}: {row['reason']}"
        ElementTree.SubElement(case, tag, message=clean(message))
    return tag
