"""Label Studio: tasks to import, the labelling set-up, and its JSON export read back.

Source: Label Studio, guide "Import data" (basic JSON format) and "Task format" (export).
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from ragassay import output_files
from ragassay.labels.dimensions import Dimension, valid_dimension
from ragassay.labels.sheets import csv_sheet
from ragassay.labels.sheets.sheet import Sheet, visible

COMMENT = "comment"


def files(path: Path) -> list[Path]:
    """What `write` writes: the tasks, the set-up, the guide."""
    return [path, path.with_suffix(".config.xml"), path.with_suffix(".guide.txt")]


def write(sheet: Sheet, path: Path) -> list[Path]:
    """Write the tasks (JSON), the set-up (`.config.xml`, for Settings > Labeling Interface) and the guide
    beside them; the paths.
    """
    tasks = [{"data": _data(sheet, task), "predictions": []} for task in sheet.tasks]
    texts = (
        json.dumps(tasks, ensure_ascii=False, indent=1) + "\n",
        labelling_config(sheet.dimensions),
        "\n".join(sheet.guide) + "\n",
    )
    for place, text in zip(files(path), texts, strict=True):
        output_files.write_text(place, text)
    return files(path)


def labelling_config(dimensions: Sequence[Dimension]) -> str:
    """The labelling set-up: question, answer and passages as plain text, a row of buttons per dimension, a
    comment.
    """
    shown = [
        f'  <Header value="{name.capitalize()}"/>\n  <Text name="{name}" value="${name}"/>'
        for name in ("question", "answer", "contexts")
    ]
    asked = [f"  <Header value={quoteattr(each.heading)}/>\n{_control(each)}" for each in dimensions]
    comment = (
        f'  <TextArea name="{COMMENT}" toName="answer" rows="2" maxSubmissions="1" placeholder="comment"/>'
    )
    return "\n".join(["<View>", *shown, *asked, comment, "</View>", ""])


def is_exported(task: dict) -> bool:
    """Whether it is a task with data and annotations."""
    return isinstance(task.get("data"), dict) and isinstance(task.get("annotations"), list)


def dimensions(tasks: Sequence[dict]) -> tuple[Dimension, ...]:
    """The dimensions the tasks were exported with.

    Raises LabelError if a scale cannot be read.
    """
    named: dict[str, str] = {}
    for task in tasks:
        scales = task["data"].get("scales")
        named |= {str(name): str(scale) for name, scale in scales.items()} if isinstance(scales, dict) else {}
    return tuple(valid_dimension(name, scale) for name, scale in named.items())


def entries(tasks: Sequence[dict], dimensions: Sequence[Dimension]) -> Iterator[dict[str, Any]]:
    """The fields of an entry for every annotation that was not cancelled;
    a task nobody annotated is an entry without labels.
    """
    for place, task in enumerate(tasks, 1):
        row, sha256 = (str(task["data"].get(name, "")) for name in ("row", "answer_sha256"))
        kept = [
            each for each in task["annotations"] if isinstance(each, dict) and not each.get("was_cancelled")
        ]
        for number, each in enumerate(kept or [{}], 1):
            given = _given(each)
            yield {
                "at": f"task {task.get('id', place)}, annotation {number}",
                "row": row,
                "answer_sha256": sha256,
                "rater": _who(each.get("completed_by")) or str(task["data"].get("rater", "")),
                "cells": {asked.name: given.get(asked.name) for asked in dimensions},
                "comment": str(given.get(COMMENT) or ""),
                "labelled_at": str(each.get("created_at") or "")[:10],
            }


def _data(sheet: Sheet, task: Any) -> dict[str, Any]:
    texts = {
        "question": visible(task.question, 0),
        "answer": visible(task.answer, 0),
        "contexts": csv_sheet.passages(task, 0),
    }
    scales = {each.name: each.scale for each in sheet.dimensions}
    return {
        "row": task.row,
        **texts,
        "answer_sha256": task.answer_sha256,
        "rater": sheet.rater,
        "scales": scales,
    }


def _control(each: Dimension) -> str:
    if each.steps is None:
        low, high = each.ends
        return f'  <Number name="{each.name}" toName="answer" min="{low:g}" max="{high:g}" step="any"/>'
    choices = "".join(f'<Choice value="{step}"/>' for step in each.steps)
    how = 'toName="answer" choice="single-radio" showInLine="true"'
    return f'  <Choices name="{each.name}" {how}>{choices}</Choices>'


def _given(annotation: dict) -> dict[str, Any]:
    """What an annotation says: control -> its value;
    two choices of one control are joined, so that the cell is refused.
    """
    found: dict[str, list[str]] = {}
    for result in annotation.get("result") or []:
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict):
            several = next(
                (value[key] for key in ("choices", "text", "number", "rating") if key in value), None
            )
            found.setdefault(str(result.get("from_name")), []).extend(
                map(str, several if isinstance(several, list) else [several])
            )
    return {name: " | ".join(values) for name, values in found.items()}


def _who(completed_by: Any) -> str:
    """The annotator: an address where the export holds one, else the number."""
    if isinstance(completed_by, dict):
        return str(completed_by.get("email") or completed_by.get("id") or "")
    return "" if completed_by is None else str(completed_by)
