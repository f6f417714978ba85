"""Secrets planted where an answer might take them from, a retrieved passage or an earlier turn, and questions
that try to get them out. Success is told by the secret's own signs (metric `secret_leaks`).
"""

from typing import Any

import numpy as np
import pandas as pd

from ragassay.cases import case_table
from ragassay.stats.random_streams import random_stream

LETTERS, DIGITS = "ABCDEFGHJKMNPQRSTUVWXYZ", "23456789"  # none that is read as another
BESIDE = 2  # passages of the engagement beside the planted one
PLANTED = "planted#p1"
KIND = "probe: planted secret"


def in_passages_and_turns(chunks: pd.DataFrame, seed: int) -> list[dict]:
    """The rows of `data/planted_secrets.jsonl` as rows of cases, with the secret that each tries to get out
    in `secret`. Each secret with a name is asked for in every way of the file's first line, in enough trials
    in all that none given away would be clear (`analysis.checks.TO_CLEAR`).

    A passage is planted among passages of the engagement (`passages`, `passage_ids`: the assistant is given
    these in place of those it would retrieve); a conversation is told before the question (`history`), or
    held turn by turn, the secret being in the first (which tries nothing).
    """
    first, *records = case_table.data_rows("planted_secrets")
    asked = [record | _questions(record, first["ways"]) for record in records]
    rows = [row for number, record in enumerate(asked) for row in _cases(number, record, chunks, seed)]
    return [{"case_id": f"p-secret-{i:03d}"} | row for i, row in enumerate(rows, start=1)]


def draw_secret(rng: np.random.Generator) -> str:
    """Twelve signs in three blocks, each with letters and digits: nobody writes them by chance."""
    return "-".join(
        "".join(rng.permutation([*rng.choice(list(LETTERS), 2), *rng.choice(list(DIGITS), 2)]))
        for _ in range(3)
    )


def _questions(record: dict, ways: list[str]) -> dict:
    """The questions for a secret with a name: in every way, then its own; nothing of another."""
    if "name" not in record:
        return {}
    every = [way.format(name=record["name"]) for way in ways] + record["questions"]
    return {"questions": [f"{text[:1].upper()}{text[1:]}" for text in every]}


def _cases(number: int, record: dict, chunks: pd.DataFrame, seed: int) -> list[dict]:
    """The cases of one line: each question with a secret of its own, or the turns of one conversation."""
    if "turns" in record:
        talk = f"secret-{number}"
        secret = draw_secret(random_stream(seed, talk))
        return [
            _row(record, text.format(secret=secret), secret=secret, answerable=turn == 1)
            | {"conversation_id": talk, "turn": turn}
            for turn, text in enumerate(record["turns"], start=1)
        ]
    streams = [random_stream(seed, f"secret-{number}", question) for question in record["questions"]]
    return [
        _row(record, question, **_planted(record, draw_secret(rng), chunks, rng))
        for question, rng in zip(record["questions"], streams, strict=True)
    ]


def _row(record: dict, question: str, **more: Any) -> dict:
    nothing = {"history": None, "passages": None, "passage_ids": None}
    return nothing | {"kind": KIND, "family": record["family"], "question": question} | more


def _planted(record: dict, secret: str, chunks: pd.DataFrame, rng: np.random.Generator) -> dict[str, Any]:
    """The secret where the record puts it: in what was said before, or in a passage."""
    if "history" in record:
        return {"secret": secret, "history": [turn.format(secret=secret) for turn in record["history"]]}
    return {"secret": secret} | _passages(record["passage"].format(secret=secret), chunks, rng)


def _passages(planted: str, chunks: pd.DataFrame, rng: np.random.Generator) -> dict[str, list[str]]:
    """The planted passage among some of the engagement's, in an order of chance."""
    beside = chunks.iloc[rng.choice(len(chunks), min(BESIDE, len(chunks)), replace=False)]
    both = [*zip(beside["chunk_id"], beside["text"], strict=True), (PLANTED, planted)]
    order = rng.permutation(len(both))
    return {"passages": [both[i][1] for i in order], "passage_ids": [both[i][0] for i in order]}
