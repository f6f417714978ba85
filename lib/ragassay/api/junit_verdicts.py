"""Verdicts on single answers as JUnit XML, for a build server: a suite a metric, a test case an answer."""

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from ragassay import output_files
from ragassay.answers.log_formats.tool_scores import PASSED, is_given
from ragassay.errors import ParameterError
from ragassay.sanitized_text import clean
from ragassay.scores import metric_directions

TOOL = "junit"
VERDICTS = ("end_to_end_success",)  # of ours, 0 or 1
OF_TOOLS = (PASSED, ":success", ":passing", ":pass")  # how the verdicts of tools end
HALF = 0.5
TAGS = {"error": "error", "not_applicable": "skipped", "not_measured": "skipped"}


def write(scores: pd.DataFrame, path: Path, thresholds: Mapping[str, float]) -> Path:
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
        _suite(document, metric, scores[scores["metric"] == metric], limit)
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


def _suite(document: ElementTree.Element, metric: str, rows: pd.DataFrame, limit: float) -> None:
    suite = ElementTree.SubElement(document, "testsuite", name=clean(metric))
    tags = [_case(suite, metric, row, limit) for row in rows.to_dict("records")]
    counts = {"tests": len(tags), **{f"{tag}s": tags.count(tag) for tag in ("failure", "error")}}
    for name, n in {**counts, "skipped": tags.count("skipped")}.items():
        suite.set(name, str(n))


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
