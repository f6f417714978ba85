"""A made-up log of three systems: eight conversations of two questions about a house of rented boats, judged by two raters."""

import numpy as np

NAMES, FEES = "Heron Plover Curlew Dunlin Avocet Knot Ruff Stint".split(), (12, 25, 31, 44, 58, 63, 77, 81)
BOATS = list(zip(NAMES, FEES, range(3, 11), strict=True))  # name, fee, seats
SYSTEMS = ("alpha", "beta", "people")
WRONG = {"alpha": 0, "beta": 7, "people": 0}  # added to every figure


def records() -> list[dict]:
    """One record per question and system, as MTRAG's lines."""
    rng = np.random.default_rng(0)
    return [_record(task, system, rng) for system in SYSTEMS for task in tasks()]


def tasks() -> list[dict]:
    """Two questions to each boat; of the last one, nothing is known."""
    return [task for i, boat in enumerate(BOATS) for task in _talk(i, *boat, known=i < len(BOATS) - 1)]


def _talk(i: int, boat: str, fee: int, seats: int, known: bool) -> list[dict]:
    name = boat.lower()
    passages = {f"{name}-0": _fees(boat, fee), f"{name}-1": _seats(boat, seats)} if known else {}
    cost = _said(f"The {boat} costs {{}} dollars a day.", fee, known)
    room = _said("Up to {} people may board.", seats, known)
    first = [("user", f"What does the {boat} cost for a day?")]
    second = [*first, ("agent", cost["people"]), ("user", "And how many people may board?")]
    base = {"collection": ("harbour", "lake")[i % 2], "passages": passages}
    base["answerability"] = "ANSWERABLE" if known else "UNANSWERABLE"
    return [
        base | {"id": f"{name}conversation<::>1", "turns": first, "types": ["Factoid"], "said": cost},
        base | {"id": f"{name}conversation<::>3", "turns": second, "types": ["Explanation"], "said": room},
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
