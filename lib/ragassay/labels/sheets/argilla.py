"""Argilla 2: records to load, the dataset's settings, and its JSON export read back.

Source: Argilla 2, `Dataset.records.from_json`, `Settings.from_json`, `Record.to_dict`.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragassay import output_files
from ragassay.labels.dimensions import Dimension, valid_dimension
from ragassay.labels.sheets import csv_sheet
from ragassay.labels.sheets.sheet import Sheet, Task, visible

FIELDS, COMMENT = ("question", "answer", "contexts"), "comment"


def files(path: Path) -> list[Path]:
    """What `write` writes: the records, and the settings beside them."""
    return [path, path.with_suffix(".settings.json")]


def write(sheet: Sheet, path: Path) -> list[Path]:
    """Write the records (for `records.from_json`) and the settings (`.settings.json`, for
    `rg.Settings.from_json`); the paths.
    """
    path, settings = files(path)
    output_files.write_bytes(path, _json([_record(sheet, task) for task in sheet.tasks]))
    output_files.write_bytes(settings, _json(dataset_settings(sheet)))
    return [path, settings]


def dataset_settings(sheet: Sheet) -> dict[str, Any]:
    """The settings of a dataset: three text fields, one question per dimension, a comment;
    the guide as its guidelines.
    """
    fields = [
        {"name": name, "title": name.capitalize(), "required": True, "settings": _plain_text()}
        for name in FIELDS
    ]
    comment = {"name": COMMENT, "title": "Comment", "required": False, "settings": _plain_text()}
    questions = [*(_question(each) for each in sheet.dimensions), comment]
    return {
        "guidelines": "\n".join(sheet.guide),
        "allow_extra_metadata": True,
        "fields": fields,
        "questions": questions,
        "vectors": [],
        "metadata": [],
    }


def is_exported(record: dict) -> bool:
    """Whether it is a record with fields, metadata and responses."""
    return all(isinstance(record.get(name), dict) for name in ("fields", "metadata", "responses"))


def dimensions(records: Sequence[dict]) -> tuple[Dimension, ...]:
    """The dimensions the records were exported with.

    Raises LabelError if a scale cannot be read.
    """
    named: dict[str, str] = {}
    for record in records:
        scales = str(record["metadata"].get("scales") or "")
        named |= dict(each.split(":", 1) for each in scales.split(",") if ":" in each)
    return tuple(valid_dimension(name, scale) for name, scale in named.items())


def entries(records: Sequence[dict], dimensions: Sequence[Dimension]) -> Iterator[dict[str, Any]]:
    """The fields of an entry for every user who answered;
    a record nobody answered is an entry without labels.
    """
    for place, record in enumerate(records, 1):
        given = _by_user(record["responses"])
        for user, answers in given.items() or [("", {})]:
            yield {
                "at": f"record {place}" + (f", user {user}" if user else ""),
                "row": str(record.get("id") or ""),
                "answer_sha256": str(record["metadata"].get("answer_sha256") or ""),
                "rater": user or str(record["metadata"].get("rater") or ""),
                "cells": {each.name: answers.get(each.name) for each in dimensions},
                "comment": str(answers.get(COMMENT) or ""),
            }


def _record(sheet: Sheet, task: Task) -> dict[str, Any]:
    texts = (visible(task.question, 0), visible(task.answer, 0), csv_sheet.passages(task, 0))
    scales = ",".join(f"{each.name}:{each.scale}" for each in sheet.dimensions)
    metadata = {"answer_sha256": task.answer_sha256, "scales": scales, "rater": sheet.rater}
    fields = dict(zip(FIELDS, texts, strict=True))
    return {
        "id": task.row,
        "fields": fields,
        "metadata": metadata,
        "suggestions": {},
        "responses": {},
        "vectors": {},
    }


def _question(each: Dimension) -> dict[str, Any]:
    """Labels to choose from; a text where the scale has no steps, checked when it comes back."""
    options = [{"text": str(step), "value": str(step), "description": None} for step in each.steps or ()]
    chosen = {"type": "label_selection", "options": options, "visible_options": None}
    return {
        "name": each.name,
        "title": each.heading,
        "required": False,
        "settings": chosen if options else _plain_text(),
    }


def _plain_text() -> dict[str, Any]:
    return {"type": "text", "use_markdown": False}


def _by_user(responses: dict) -> dict[str, dict[str, Any]]:
    """User -> question -> value; two values of one user for one question are joined, so that the cell is
    refused.
    """
    found: dict[str, dict[str, Any]] = {}
    for question, several in responses.items():
        for response in several if isinstance(several, list) else [several]:
            if isinstance(response, dict) and response.get("value") is not None:
                user = str(response.get("user_id") or "").replace("None", "")
                held = found.setdefault(user, {})
                held[question] = (
                    f"{held[question]} | {response['value']}" if question in held else response["value"]
                )
    return found


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
