"""The user's own copy of BBQ (nyu-mll/BBQ, CC BY 4.0), read where it lies: its JSON Lines as they are
published, gzipped or not, one file or a folder of them.

Which option a stereotype is about stands in `additional_metadata.stereotyped_groups` beside `answer_info`, or
in `target_loc` of the authors' additional_metadata.csv, where that lies in the folder. Records without either
are read all the same: their accuracy can be measured, their bias cannot.
"""

import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.cases.bias_questions.bbq_question import (
    AMBIGUOUS,
    DISAMBIGUATED,
    NEGATIVE,
    NON_NEGATIVE,
    UNKNOWN,
    BiasQuestion,
)
from ragassay.errors import InputError

ENDINGS = (".jsonl", ".jsonl.gz")
METADATA = "additional_metadata.csv"
CONDITIONS = {"ambig": AMBIGUOUS, "disambig": DISAMBIGUATED}
ANSWERS = ("ans0", "ans1", "ans2")
NEEDED = ("example_id", "category", "question_polarity", "context_condition", "context", "question", "label")
# as the authors list them
UNKNOWNS = (
    "unknown", "cannot be determined", "can't be determined", "not answerable", "not known",
    "not enough info", "not enough information", "cannot answer", "can't answer", "undetermined",
)  # fmt: skip
SAME = {"man": "m", "boy": "m", "men": "m", "woman": "f", "women": "f", "girl": "f", "girls": "f",
        "low ses": "lowses", "high ses": "highses"}  # fmt: skip
Targets = Mapping[tuple[str, str], int]


def bbq_questions(path: str) -> list[BiasQuestion]:
    """Every question of a copy of BBQ.

    The four questions of one context pair belong together, and so do all pairs of one template: by
    `question_index`, or where there is none by the wording of the negative question.

    Raises
    ------
    InputError
        If nothing lies there, a line is no BBQ record, or its label is no place of an answer.
    """
    place = provenance.reads_input(path)
    files = _files(place)
    if not files:
        raise InputError(
            "there are no questions of BBQ",
            where=place,
            expected="a .jsonl or .jsonl.gz, or a folder of them",
            do="correct the path, or leave it empty for the kit's own questions",
        )
    targets = _targets(place)
    rows = [(where, row) for file in files for where, row in _lines(file)]
    templates = _templates([row for _, row in rows])
    return [_question(row, where, templates, targets) for where, row in rows]


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(one for one in place.rglob("*.jsonl*") if one.name.endswith(ENDINGS))
    return [place] if place.is_file() and place.name.endswith(ENDINGS) else []


def _lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    for number, line in enumerate(raw.decode("utf-8").splitlines(), start=1):
        if line.strip():
            where = f"{file.name}, line {number}"
            yield where, _record(line, where)


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as why:
        raise InputError("a line of BBQ is not JSON", where=where, found=f"{why!s:.100}") from why
    lacking = [name for name in (*NEEDED, *ANSWERS) if not isinstance(row, dict) or name not in row]
    if lacking:
        raise InputError("a line is no record of BBQ", where=where, found=f"no {', '.join(lacking)}")
    if row["context_condition"] not in CONDITIONS or row["question_polarity"] not in (NEGATIVE, NON_NEGATIVE):
        found = f"{row['context_condition']}, {row['question_polarity']}"
        raise InputError(
            "a record of BBQ is of no known kind",
            where=where,
            found=found,
            expected="ambig or disambig, neg or nonneg",
        )
    if row["label"] not in (0, 1, 2):
        raise InputError(
            "a record of BBQ has no right answer", where=where, found=row["label"], expected="0, 1 or 2"
        )
    return row


def _templates(rows: list[dict[str, Any]]) -> dict[tuple[str, int], str]:
    """The template of each block of four records, by category and number of the block."""
    return {
        _block(row): str(row.get("question_index") or row["question"])
        for row in sorted(rows, key=lambda row: row["question_polarity"], reverse=True)
    }


def _block(row: Mapping[str, Any]) -> tuple[str, int]:
    return str(row["category"]), int(row["example_id"]) // 4


def _targets(place: Path) -> Targets:
    folder = place if place.is_dir() else place.parent
    found = next(iter(sorted(folder.rglob(METADATA))), None)
    if found is None:
        return {}
    with found.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["category"], row["example_id"]): int(float(row["target_loc"]))
        for row in rows
        if re.fullmatch(r"[012](?:\.0)?", row.get("target_loc") or "")
    }


def _question(
    row: dict[str, Any], where: str, templates: Mapping[tuple[str, int], str], targets: Targets
) -> BiasQuestion:
    texts = [str(row[name]) for name in ANSWERS]
    known = [text for place, text in enumerate(texts) if not _is_unknown(row, place)]
    if len(known) != 2:
        raise InputError("a record of BBQ must have one unknown answer", where=where, found=" | ".join(texts))
    target = _target(row, targets)
    category = str(row["category"])
    return BiasQuestion(
        question_id=f"{category}-{row['example_id']}",
        scenario=f"{category}: {templates[_block(row)]}",
        block=f"{category}: {_block(row)[1]}",
        category=category,
        condition=CONDITIONS[row["context_condition"]],
        polarity=row["question_polarity"],
        context=str(row["context"]),
        question=str(row["question"]),
        options=(known[0], known[1]),
        right=UNKNOWN if _is_unknown(row, row["label"]) else texts[row["label"]],
        target="" if target is None or _is_unknown(row, target) else texts[target],
    )


def _is_unknown(row: Mapping[str, Any], place: int) -> bool:
    info = (row.get("answer_info") or {}).get(ANSWERS[place])
    return info[1] == UNKNOWN if info else str(row[ANSWERS[place]]).casefold().strip(" .") in UNKNOWNS


def _target(row: Mapping[str, Any], targets: Targets) -> int | None:
    """The place of the one answer whose group is stereotyped; None where that is not said of exactly one."""
    stated = targets.get((str(row["category"]), str(row["example_id"])))
    groups = (row.get("additional_metadata") or {}).get("stereotyped_groups") or ()
    named = {_group(one) for one in groups}
    info = row.get("answer_info") or {}
    held = [
        place for place, name in enumerate(ANSWERS) if any(_group(one) in named for one in info.get(name, ()))
    ]
    return stated if stated is not None else held[0] if len(held) == 1 else None


def _group(name: object) -> str:
    plain = re.sub(r"^[MF]-", "", str(name)).casefold()
    return SAME.get(plain, plain)
