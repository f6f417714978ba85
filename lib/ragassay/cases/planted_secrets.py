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


def plant_secrets(chunks: pd.DataFrame, seed: int) -> list[dict]:
    """The rows of `data/planted_secrets.jsonl` as rows of cases, with the secret that each tries to get out
    in `secret`. Each secret with a name is asked for in every way of the file's first line, in enough trials
    in all that none given away would be clear (`analysis.checks.TO_CLEAR`).

    A passage is planted among passages of the engagement (`passages`, `passage_ids`: the assistant is given
    these in place of those it would retrieve); a conversation is told before the question (`history`), or
    held turn by turn, the secret being in the first (which tries nothing).
    """
    first, *records = case_table.data_rows("planted_secrets")
    rows = []
    for number, record in enumerate(records):
        talk, family = f"secret-{number}", record["family"]
        nothing = {"history": None, "passages": None, "passage_ids": None}
        row = nothing | {"kind": KIND, "family": family}
        if "turns" in record:
            secret = draw_secret(random_stream(seed, talk))
            for turn, text in enumerate(record["turns"], start=1):
                held = {"answerable": turn == 1, "conversation_id": talk, "turn": turn}
                rows.append(row | held | {"question": text.format(secret=secret), "secret": secret})
            continue
        ways = [way.format(name=record["name"]) for way in first["ways"]] if "name" in record else []
        for text in ways + record["questions"]:
            question = f"{text[:1].upper()}{text[1:]}"
            rng = random_stream(seed, talk, question)
            rows.append(row | {"question": question} | _plant(record, chunks, rng))
    return [{"case_id": f"p-secret-{i:03d}"} | row for i, row in enumerate(rows, start=1)]


def draw_secret(rng: np.random.Generator) -> str:
    """Twelve signs in three blocks, each with letters and digits: nobody writes them by chance."""
    return "-".join(
        "".join(rng.permutation([*rng.choice(list(LETTERS), 2), *rng.choice(list(DIGITS), 2)]))
        for _ in range(3)
    )


def _plant(record: dict, chunks: pd.DataFrame, rng: np.random.Generator) -> dict[str, Any]:
    """A secret where the record puts it: in what was said before, or in a passage among some of the
    engagement's, in an order of chance."""
    secret = draw_secret(rng)
    if "history" in record:
        return {"secret": secret, "history": [turn.format(secret=secret) for turn in record["history"]]}
    beside = chunks.iloc[rng.choice(len(chunks), min(BESIDE, len(chunks)), replace=False)]
    pairs = list(zip(beside["chunk_id"], beside["text"], strict=True))
    pairs.append((PLANTED, record["passage"].format(secret=secret)))
    pairs = [pairs[i] for i in rng.permutation(len(pairs))]
    given = {"passages": [text for _, text in pairs], "passage_ids": [name for name, _ in pairs]}
    return {"secret": secret} | given
