"""Questions in the form of BBQ (Parrish et al. 2022, ACL Findings): two people, a context that does not say
which of them it was (ambiguous) or says so (disambiguated), a question for the one of whom a stereotype tells
ill (neg) or for the other (nonneg).

Our own set, in a bank (`cases/data/bank_bbq.jsonl`): eight to a scenario, each person named first in half of
them. In one version the stereotype holds, in the other it does not; who is named first in the context is the
one of whom the ill is true in every second scenario only, so that an assistant that names the first, or the
last, shows no bias and is right in half.

Or the user's own copy of BBQ (nyu-mll/BBQ, CC BY 4.0), read where it lies: its JSON Lines as published,
gzipped or not, a file or a folder. Which option a stereotype is about stands in
`additional_metadata.stereotyped_groups` beside `answer_info`, or in `target_loc` of the authors'
additional_metadata.csv, where that lies in the folder. Of records without either the accuracy can be
measured, the bias cannot.
"""

import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import parameter_ranges, provenance
from ragassay.cases import case_table
from ragassay.errors import InputError

AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"
NEGATIVE, NON_NEGATIVE = "neg", "nonneg"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class BiasQuestion:
    """A question about two people.

    scenario : what was drawn independently: the questions of one template
    block : the four questions of one pair of contexts, drawn together
    condition : AMBIGUOUS or DISAMBIGUATED; polarity : NEGATIVE or NON_NEGATIVE
    options : the two people, as the context names them
    right : the option that the context gives, or UNKNOWN
    target : the option that the stereotype is about; "" where the source does not say
    """

    question_id: str
    scenario: str
    block: str
    category: str
    condition: str
    polarity: str
    context: str
    question: str
    options: tuple[str, str]
    right: str
    target: str


def bank_questions() -> list[BiasQuestion]:
    """Every question of our set."""
    return [
        _question(row, number, holds, condition, polarity)
        for number, row in enumerate(case_table.data_rows("bank_bbq"))
        for holds, condition, polarity in product(
            (True, False), (AMBIGUOUS, DISAMBIGUATED), (NEGATIVE, NON_NEGATIVE)
        )
    ]


def _question(row: dict[str, str], number: int, holds: bool, condition: str, polarity: str) -> BiasQuestion:
    people = row["target"], row["other"]
    hit, missed = people if holds else people[::-1]
    first, second = (hit, missed) if number % 2 else (missed, hit)
    named = {"first": first, "second": second, "hit": hit, "missed": missed}
    named |= {name.capitalize(): who[0].upper() + who[1:] for name, who in named.items()}
    text = row["context"] if condition == AMBIGUOUS else f"{row['context']} {row['detail']}"
    known = hit if polarity == NEGATIVE else missed
    return BiasQuestion(
        question_id=f"{row['scenario']}-{'as' if holds else 'un'}-{condition[:3]}-{polarity}",
        scenario=row["scenario"],
        block=f"{row['scenario']}-{holds}",
        category=row["category"],
        condition=condition,
        polarity=polarity,
        context=text.format_map(named),
        question=row[polarity],
        options=(first, second),
        right=UNKNOWN if condition == AMBIGUOUS else known,
        target=row["target"],
    )


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
    return [_copied(row, where, templates, targets) for where, row in rows]


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


def _copied(
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


EXTRA = ("category", "condition", "polarity", "options", "right", "target", "passages", "passage_ids")


def bias_questions(
    path: str, n: int, rng: np.random.Generator, *, with_passages: bool = True
) -> pd.DataFrame:
    """About n questions, in blocks of four, drawn in turn from every category and scenario, as cases of kind
    `bias: ambiguous` and `bias: disambiguated`; the group is the scenario.

    Parameters
    ----------
    path : of a copy of BBQ, file or folder; "" takes our own set
    with_passages : whether the assistant takes passages: then the context is one; else it stands before the
        question
    """
    parameter_ranges.check("n_bias_questions", n, "in [1, inf)")
    questions = bbq_questions(path) if path else bank_questions()
    chosen = _drawn(questions, n, rng)
    rows = [_row(one, with_passages) for one in questions if one.block in chosen]
    extra = EXTRA if with_passages else EXTRA[:-2]
    return case_table.cases_frame(rows, extra=extra)


def _drawn(questions: list[BiasQuestion], n: int, rng: np.random.Generator) -> set[str]:
    """Blocks of questions, a category after the other and a scenario after the other in each, until they hold
    n questions."""
    rows = pd.DataFrame([{"block": one.block, "of": one.scenario, "in": one.category} for one in questions])
    blocks = rows.value_counts(sort=False).rename("size").reset_index()
    blocks = blocks.iloc[rng.permutation(len(blocks))]
    blocks = blocks.assign(turn=blocks.groupby("of").cumcount()).sort_values("turn", kind="stable")
    blocks = blocks.assign(turn=blocks.groupby("in").cumcount()).sort_values("turn", kind="stable")
    before = blocks["size"].cumsum() - blocks["size"]
    return set(blocks[before < n]["block"])


def _row(one: BiasQuestion, with_passages: bool) -> dict:
    answerable = one.right != UNKNOWN
    asked = one.question if with_passages else f"{one.context} {one.question}"
    given = {"passages": [one.context], "passage_ids": [f"{one.question_id}#p1"]} if with_passages else {}
    return given | {
        "case_id": f"b-{one.question_id}",
        "question": asked,
        "answer_type": "short_fact" if answerable else "no_answer",
        "query_type": "inference",
        "answerable": answerable,
        "reference_answer": one.right if answerable else None,
        "group_id": one.scenario,
        "kind": f"bias: {one.condition}",
        "category": one.category,
        "condition": one.condition,
        "polarity": one.polarity,
        "options": list(one.options),
        "right": one.right,
        "target": one.target,
    }
