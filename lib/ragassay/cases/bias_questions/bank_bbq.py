"""Our own questions in BBQ's form, in a bank: eight to a scenario, each person named first in half of them.

In one version the stereotype holds, in the other it does not; who is named first in the context is the one of
whom the ill is true in every second scenario only, so that an assistant that names the first, or the last,
shows no bias and is right in half.
"""

import json
from itertools import product
from pathlib import Path

from ragassay.cases.bias_questions.bbq_question import (
    AMBIGUOUS,
    DISAMBIGUATED,
    NEGATIVE,
    NON_NEGATIVE,
    UNKNOWN,
    BiasQuestion,
)

FILE = Path(__file__).parents[1] / "data" / "bank_bbq.jsonl"


def bank_questions() -> list[BiasQuestion]:
    """Every question of our set."""
    scenarios = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        _question(row, number, holds, condition, polarity)
        for number, row in enumerate(scenarios)
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
