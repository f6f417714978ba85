"""Rows of the cases table: every column filled, in the table's order; where each case comes from."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import output_files
from ragassay.errors import ParameterError
from ragassay.tables import TABLES, is_blank, is_missing

DATA = Path(__file__).parent / "data"
ASKED_WITH = ["turn", "history", "passages", "passage_ids"]  # columns of cases that need a hook alone
OF_SOME = {"why_no_answer", "family", "attack_goal", "attack_text", "attack_host", "canary", "origin"}
COLUMNS = [name for name in TABLES["cases"].columns if name not in OF_SOME and name not in ASKED_WITH]
NOT_ANSWERED = {"answer_type": "no_answer", "query_type": "open", "answerable": False}
DEFAULTS = dict.fromkeys(COLUMNS[4:]) | {"answerable": True, "language": "en"}

ORIGIN = "origin"
OWN, GENERATED, DATABASE, LOG = "own", "generated", "database", "log"
PROBE, OUTSIDE, VARIATION = "probe", "outside", "variation"
OF_USERS = (LOG, OWN)  # asked by users, or written by the validator for them
MADE = (GENERATED, DATABASE)  # made by the kit from the documents, or from a database
OUTSIDE_KINDS = ("out_of_scope", "near_thing", "near_fact", "false_premise", "false_permission")


def cases_frame(rows: Iterable[dict], extra: Iterable[str] | None = ()) -> pd.DataFrame:
    """The rows as a cases table; absent values by default (answerable, English, no variation),
    the group by default the case itself. `extra` : further columns that are kept; None keeps all."""
    filled = [DEFAULTS | {"reference_chunk_ids": [], "group_id": row["case_id"]} | row for row in rows]
    further = [column for column in ASKED_WITH if any(column in row for row in filled)]
    extra = (name for row in filled for name in row) if extra is None else extra
    table = pd.DataFrame(filled, columns=list(dict.fromkeys([*COLUMNS, *further, *map(str, extra)])))
    texts = [column for column in COLUMNS if column not in ("answerable", "reference_chunk_ids", "intensity")]
    return table.astype(dict.fromkeys(texts, object) | {"answerable": bool, "intensity": float})


def varied_case(case: dict, kind: str, mark: str, question: str, intensity: float | None = None) -> dict:
    """The case asked in other words: its own id and kind, the parent named, the group shared; no turn of a
    conversation any more."""
    parent = case["case_id"]
    varied = {"case_id": f"{parent}-{mark}", "question": question, "parent_id": parent, "group_id": parent}
    varied |= {"kind": kind, "intensity": intensity} | ({"turn": None} if "turn" in case else {})
    return case | varied


def retrieved_passages(answer: Mapping) -> list[tuple[str, str]]:
    """Id and text of each passage that an answer came with (contexts, context_ids); numbered where the ids
    do not fit."""
    texts, ids = map(str, answer["contexts"]), answer["context_ids"]
    if is_missing(ids) or len(ids) != len(answer["contexts"]):
        ids = [f"passage#p{number}" for number in range(1, len(answer["contexts"]) + 1)]
    return list(zip(map(str, ids), texts, strict=True))


def fold_text(text: str) -> str:
    """A text without what copying changes: compatible forms of letters, case, runs of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@cache
def data_rows(name: str) -> list[dict]:
    """The rows of `cases/data/NAME.jsonl`: wordings that a user may edit; not to be changed in place."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def check_output_path(path: Path) -> Path:
    """The path of a file of cases; ParameterError if it does not end in .jsonl."""
    if path.suffix != ".jsonl":
        raise ParameterError("cases are written as .jsonl", where=path, found=path.suffix or "no ending")
    return path


def write_cases(cases: pd.DataFrame, path: Path) -> None:
    """Write the cases in one move; equal cases give equal bytes."""
    rows = cases.astype(object).where(cases.notna(), None).to_dict("records")
    lines = [json.dumps(row, ensure_ascii=False, default=lambda value: value.tolist()) for row in rows]
    output_files.write_text(path, "".join(f"{line}\n" for line in lines))


def with_origin(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases with their column `origin`, one of those that the table declares; what stands there is kept.

    own, log : the validator's, or of a log; generated, database : made from the documents, or a database;
    probe : an attack or another question of notebook 03; outside : one of notebook 05 that the documents do
    not answer, made of another case or not; variation : another case in other words
    """
    known = TABLES["cases"].columns[ORIGIN].allowed
    given = cases[ORIGIN] if ORIGIN in cases else pd.Series(None, index=cases.index, dtype=object)
    kind, parent = (cases.reindex(columns=[name])[name].astype(object) for name in ("kind", "parent_id"))
    kind = kind.where(~kind.map(is_blank), "").astype(str)
    derived = {  # the first that holds
        PROBE: kind.str.startswith(("probe: ", "bias: ")),
        OUTSIDE: kind.isin(OUTSIDE_KINDS),
        VARIATION: ~parent.map(is_blank),
        GENERATED: kind == "generated",
        DATABASE: kind == "grounded",
        OWN: kind != "",
    }
    found = np.select([holds.astype(bool) for holds in derived.values()], list(derived), LOG)
    return cases.assign(**{ORIGIN: given.where(given.isin(known), pd.Series(found, index=cases.index))})
