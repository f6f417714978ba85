"""Rows for a file of each role: a log, cases, scores, labels, templates, a suite; sound ones, and ones with hostile cells."""

from random import Random
from typing import Any

from hostile.payloads import CELLS, TEXTS

Rows = list[dict[str, Any]]
FACT = "The overdraft fee of the Tide account is $18.00 a month."


def log(n: int = 6) -> Rows:
    said = [{"question": f"What is fee {i}?", "answer": f"Fee {i} is $18.00."} for i in range(n)]
    return [{"case_id": f"c{i}", **each, "contexts": [FACT]} for i, each in enumerate(said)]


def cases(n: int = 6) -> Rows:
    return [{"case_id": f"c{i}", "reference_answer": "It is $18.00.", "answerable": True} for i in range(n)]


def scores(n: int = 60) -> Rows:
    draw, shared = Random(0), {"system": "s", "repeat": 0, "metric": "m"}
    return [{"case_id": f"c{i}", **shared, "value": draw.gauss(0, 1)} for i in range(n)]


def labels(n: int = 60) -> Rows:
    draw, shared = Random(1), {"dimension": "d", "rater": "ann", "scale": "0-1"}
    given = [(row["case_id"], int(row["value"] + draw.gauss(0, 0.5) > 0)) for row in scores(n)]
    return [{"case_id": case, "label": label, **shared} for case, label in given]


def templates() -> Rows:
    wordings = {"short": ["Rate of the account [accounts.name]?"]}
    return [{"sql": "SELECT rate FROM accounts WHERE name = '[accounts.name]'", "texts": wordings}]


def suite() -> Rows:
    test = {
        "input": "What does it cost?",
        "actual_output": "It costs $18 [1].",
        "expected_output": "$18 [1].",
    }
    test |= {"context": [FACT], "metadata": {"test_type": 1}}
    return [test | {"conditions": {"answer_relevancy_condition": "==5"}}]


def results(n: int = 24) -> Rows:
    asked = [{"query": f"Fee {i}?", "group": f"g{i % 8}", "correct": i % 3 > 0} for i in range(n)]
    found = [{"retrieved": [f"d{i % 5}"], "gold": ["d1"], "style": "ab"[i % 2]} for i in range(n)]
    return [one | other for one, other in zip(asked, found, strict=True)]


ROLES = {each.__name__: each for each in (log, results, cases, scores, labels, templates, suite)}


def hostile(rows: Rows, random: Random) -> Rows:
    """The rows with a few cells, names or whole rows replaced; as many rows as before."""
    found = [dict(row) for row in rows]
    for _ in range(random.randrange(1, 6)):
        row = random.choice(found)
        name = random.choice(
            [*row, *row, *row, "language", "latency_s", "schema", "error", "repeat", "system"]
        )
        row[name] = random.choice((*TEXTS, *CELLS))
    if random.random() < 0.3:
        old, new = random.choice(list(found[0])), random.choice(TEXTS[:16])
        for row in found:
            row[new] = row.pop(old, None)
    return found
