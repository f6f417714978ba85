"""A made-up log of three systems: eight conversations of two questions about a house of rented boats, judged by two raters."""

import numpy as np

BOATS = [
    ("Heron", 12, 3),
    ("Plover", 25, 4),
    ("Curlew", 31, 5),
    ("Dunlin", 44, 6),
    ("Avocet", 58, 7),
    ("Knot", 63, 8),
    ("Ruff", 77, 9),
    ("Stint", 81, 10),
]
SYSTEMS = ("alpha", "beta", "people")
WRONG = {"alpha": 0, "beta": 7, "people": 0}  # added to every figure


def records() -> list[dict]:
    """One record per question and system, as MTRAG's lines."""
    rng = np.random.default_rng(0)
    return [_record(task, system, rng) for system in SYSTEMS for task in tasks()]


def tasks() -> list[dict]:
    """Two questions to each boat; of the last one, nothing is known."""
    return [
        task
        for i, (boat, fee, seats) in enumerate(BOATS)
        for task in _talk(i, boat, fee, seats, known=i < len(BOATS) - 1)
    ]


def _talk(i: int, boat: str, fee: int, seats: int, known: bool) -> list[dict]:
    passages = (
        {f"{boat.lower()}-0": _fees(boat, fee), f"{boat.lower()}-1": _seats(boat, seats)} if known else {}
    )
    first, second = f"What does the {boat} cost for a day?", "And how many people may board?"
    answers = [
        _said(f"The {boat} costs {{}} dollars a day.", fee, known),
        _said("Up to {} people may board.", seats, known),
    ]
    base = {
        "collection": ("harbour", "lake")[i % 2],
        "answerability": "ANSWERABLE" if known else "UNANSWERABLE",
    }
    return [
        base
        | {
            "id": f"{boat.lower()}conversation<::>1",
            "turns": [("user", first)],
            "types": ["Factoid"],
            "said": answers[0],
            "passages": passages,
        },
        base
        | {
            "id": f"{boat.lower()}conversation<::>3",
            "turns": [("user", first), ("agent", answers[0]["people"]), ("user", second)],
            "types": ["Explanation"],
            "said": answers[1],
            "passages": passages,
        },
    ]


def _fees(boat: str, fee: int) -> str:
    return f"Renting the {boat}\nThe {boat} costs {fee} dollars a day. The fee is paid before the boat leaves the quay. Fuel is included."


def _seats(boat: str, seats: int) -> str:
    return f"Boarding the {boat}\nUp to {seats} people may board the {boat}. Children count as people. Dogs are welcome at no charge."


def _said(sentence: str, figure: int, known: bool) -> dict[str, str]:
    refusal = "The documents do not say this; I cannot answer."
    return {
        system: sentence.format(figure + WRONG[system]) if known or WRONG[system] else refusal
        for system in SYSTEMS
    }


def _record(task: dict, system: str, rng: np.random.Generator) -> dict:
    return {
        "id": f"{task['id']}|{system}",
        "collection": task["collection"],
        "turns": [{"speaker": speaker, "text": text} for speaker, text in task["turns"]],
        "query": task["turns"][-1][1],
        "context_ids": list(task["passages"]),
        "contexts": list(task["passages"].values()),
        "answer": task["said"][system],
        "reference": task["said"]["people"],
        "system": system,
        "answerability": task["answerability"],
        "question_type": task["types"],
        "human": _marks(system, rng),
    }


def _marks(system: str, rng: np.random.Generator) -> dict[str, dict[str, str]]:
    """Two raters on two dimensions, 1 to 4: low where figures are wrong, with a little chance."""
    least = 1 if WRONG[system] else 3
    return {
        dimension: {rater: str(least + int(rng.integers(0, 2))) for rater in ("r1", "r2")}
        for dimension in ("faithfulness", "completeness")
    }
