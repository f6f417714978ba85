"""Scores on disk: written batch by batch, moved to their place in one step, read batch by batch; answers with
their scores in a tool's own file; verdicts as JUnit XML."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ragassay import output_files
from ragassay.answers import open_answers
from ragassay.answers.answer_batches import check_output_path, write_answers
from ragassay.answers.log_schemas import SCHEMAS
from ragassay.answers.tool_scores import OWN, is_given
from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError, ParameterError
from ragassay.sanitized_text import clean, to_csv, unguard_columns
from ragassay.scores import metric_registry

TEXTS = ("case_id", "system", "metric", "state", "reason", "detail")
COLUMNS = ("case_id", "system", "repeat", "metric", "value", "state", "reason", "detail")
KINDS = (".parquet", ".jsonl", ".csv")
ENCODER = "ragassay.encoder"  # key of a Parquet file's metadata
AT_ONCE = 50_000  # rows read at once
JUNIT, SUMMARY = "junit", "summary"
SUFFIXES = {JUNIT: ".xml", SUMMARY: ".csv"}
VERDICTS = ("end_to_end_success",)  # of ours, 0 or 1
OF_TOOLS = (":success", ":passing", ":pass")  # how the verdicts of tools end
ANSWER = ["case_id", "system", "repeat"]  # what an answer is known by
Case = tuple[str, str, str, str]  # class, name, tag of what became of it ("": passed), message
TAGS = {"error": "error", "not_applicable": "skipped", "not_measured": "skipped"}


def write(tables: Iterable[pd.DataFrame], path: str | Path, encoder: dict[str, str] | None = None) -> Path:
    """Write tables of scores, one below the other: Parquet (one row group each), JSON Lines or CSV, by the
    suffix. The file appears only when all went well; whatever stood there stays until then.

    encoder : the identity of the encoder behind the scores; Parquet keeps it

    Raises ParameterError as of `check_path`.
    """
    place = check_path(path)
    kind, columns = place.suffix.lower(), list(COLUMNS)
    with output_files.draft(place) as draft, ExitStack() as stack:
        if kind == ".parquet":
            kinds = {name: pa.string() for name in TEXTS} | {"repeat": pa.int64(), "value": pa.float64()}
            metadata = {ENCODER: json.dumps(encoder)} if encoder else None
            schema = pa.schema([(name, kinds[name]) for name in COLUMNS], metadata)
            rows = stack.enter_context(pq.ParquetWriter(draft, schema))
        else:
            file = stack.enter_context(draft.open("w", encoding="utf-8", newline=""))
            file.write(to_csv(pd.DataFrame(columns=columns)) if kind == ".csv" else "")
        for scores in tables:
            with output_files.refusals(place):
                if kind == ".parquet":
                    rows.write_table(pa.Table.from_pandas(scores[columns], schema, preserve_index=False))
                elif kind == ".csv":
                    file.write(to_csv(scores[columns], header=False))
                else:
                    how: Any = {"orient": "records", "lines": True, "force_ascii": False}
                    scores[columns].to_json(file, double_precision=15, **how)
    return place


def check_path(path: str | Path) -> Path:
    """The path if scores can be written there; ParameterError if its suffix is none of .parquet, .jsonl,
    .csv, or the folder does not exist."""
    place = Path(path)
    if place.suffix.lower() not in KINDS or not place.parent.is_dir():
        raise ParameterError(
            "no such place", found=place, expected=f"ending in {', '.join(KINDS)}, in a folder that is there"
        )
    return place


def encoder_of(path: Path) -> dict[str, str]:
    """Name, file and SHA-256 of the encoder behind the scores in a file; empty where it does not say."""
    if path.suffix.lower() != ".parquet":
        return {}
    return json.loads((pq.read_schema(path).metadata or {}).get(ENCODER.encode(), b"{}"))


def batches(path: Path, columns: tuple[str, ...] = COLUMNS) -> Iterator[pd.DataFrame]:
    """The scores in a file, a part at a time; InputError if the file is gone."""
    if not path.is_file():
        raise InputError("the scores are no longer there", where=path, do="score again")
    kind, texts = path.suffix.lower(), dict.fromkeys(TEXTS, str)
    if kind == ".parquet":
        with pq.ParquetFile(path) as file:
            yield from (part.to_pandas() for part in file.iter_batches(AT_ONCE, columns=list(columns)))
    elif kind == ".csv":
        blank = {"keep_default_na": False, "na_values": {"value": [""]}}
        for part in pd.read_csv(path, chunksize=AT_ONCE, dtype=texts, **blank):  # type: ignore[call-overload]
            yield unguard_columns(part, TEXTS).loc[:, list(columns)]
    elif path.stat().st_size:
        kinds = {**texts, "value": float}
        for part in pd.read_json(path, lines=True, chunksize=AT_ONCE, dtype=kinds, precise_float=True):  # type: ignore[arg-type]
            yield part.loc[:, list(columns)]


def read_whole(path: Path) -> pd.DataFrame:
    """The rows of a file of any kind that logs have; InputError at the first that cannot be read."""
    if path.suffix.lower() == ".parquet" and path.is_file():
        try:
            return pd.read_parquet(path)
        except (ValueError, OSError) as problem:
            raise InputError("the file cannot be read", where=path, found=str(problem)[:200]) from problem
    return pd.DataFrame([record.values for record in whole_records(path)])


def sort_outputs(paths: Iterable[Path]) -> tuple[Path | None, dict[str, Path]]:
    """The file for the scores, and by tool the files that a name says to be one: `x.ragas.jsonl` for the
    answers with their scores, `x.junit.xml` for verdicts, `x.summary.csv`. ParameterError if a file cannot
    hold it, or two are for the scores."""
    scores, of_tools = list[Path](), dict[str, Path]()
    for path in paths:
        tool = Path(path.stem).suffix.removeprefix(".")
        if path.suffix.lower() == SUFFIXES.get(tool):
            of_tools[tool] = path
        elif tool in SCHEMAS:
            of_tools[tool] = check_output_path(path)
        else:
            scores.append(check_path(path))
    if len(scores) > 1:
        raise ParameterError(
            "two files for the scores", found=scores[1], expected="x.ragas.jsonl, x.junit.xml, x.summary.csv"
        )
    return (scores[0] if scores else None), of_tools


def write_tool_files(
    source: Any, scores: Any, targets: Mapping[str, Path], thresholds: Mapping[str, float], **options: Any
) -> None:
    """Write the answers with their scores for every tool named, verdicts as JUnit XML, the summary as CSV.
    Scores of ours stand under `ragassay:METRIC`, those that a tool gave under their own names.

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
            write_answers((batch.merge(wide, on=ANSWER, how="left") for batch in batches), path, tool)


def junit(scores: pd.DataFrame, thresholds: Mapping[str, float]) -> str:
    """The verdicts as JUnit XML.

    A metric with a threshold fails an answer whose score is worse than it, by the metric's direction; a
    verdict (VERDICTS, and what a tool calls passed) fails one below one half. What has no score is skipped
    with its reason, or an error.

    Raises ParameterError if a threshold is of no metric scored, or there is neither threshold nor verdict.
    """
    names = list(dict.fromkeys(scores["metric"]))
    verdicts = [one for one in names if one in VERDICTS or (is_given(one) and one.endswith(OF_TOOLS))]
    limits = dict.fromkeys(verdicts, 0.5) | dict(thresholds)
    unknown = [name for name in thresholds if name not in names]
    if unknown or not limits:
        raise ParameterError(
            f"the threshold is of no metric: {unknown[0]!r}" if unknown else "no verdict can be given",
            found=", ".join(names)[:300] or "no score",
            expected="a metric that was scored, or a verdict such as end_to_end_success",
            do="name a threshold: `ragassay score LOG --out x.junit.xml --threshold support=0.5`",
        )
    suites: dict[str, list[Case]] = {}
    for metric, limit in limits.items():
        lower = metric_registry.direction(metric) == "lower"
        cases = suites.setdefault(metric, [])
        for row in scores[scores["metric"] == metric].to_dict("records"):
            name = f"{row['case_id']} {row['system']}" + (f" #{row['repeat']}" if row.get("repeat") else "")
            worse = row["value"] > limit if lower else row["value"] < limit
            tag = TAGS.get(row["state"], "failure" if worse else "")
            message = f"{row['state']}: {row['reason']}"
            if tag == "failure":
                message = f"{row['value']:.6g}, {'at most' if lower else 'at least'} {limit:g} required"
            cases.append((metric, name, tag, message))
    return junit_xml(suites)


def junit_xml(suites: Mapping[str, Iterable[Case]]) -> str:
    """Test cases as JUnit XML, by the names of their suites."""
    document = ElementTree.Element("testsuites", name="ragassay")
    for name, cases in suites.items():
        tags = []
        suite = ElementTree.SubElement(document, "testsuite", name=clean(name))
        for group, case, tag, message in cases:
            shown = ElementTree.SubElement(suite, "testcase", classname=clean(group), name=clean(case))
            tags.append(tag)
            if tag:
                ElementTree.SubElement(shown, tag, message=clean(message))
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(count, str(tags.count(tag)))
        suite.set("tests", str(len(tags)))
    ElementTree.indent(document)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(document, encoding="unicode")}\n'
