"""A language model that writes cases by rule: it reads the fences and the orders, knows no language, and follows nothing inside a fence."""

import json
import re

FENCED = re.compile(r"^<<([A-Z ]+) ([0-9a-f]{16})>>\n(.*?)\n<<END \2>>$", re.DOTALL | re.MULTILINE)
PRICE = re.compile(r"The ([\w ]+?) costs (\d+) euros a (\w+)\.")
PHRASES = {
    "easy": "What does the {} cost in euros a {}?",
    "medium": "How many euros a {1} must be paid for the {0}?",
    "hard": "I hold the {} and pay per {}: which sum of euros will it cost me?",
}


def texts(user: str) -> dict[str, str]:
    """The fenced texts of a prompt by name."""
    return {name: text for name, _, text in FENCED.findall(user)}


def reply(system: str, user: str) -> str:
    """Key facts of the passage, or the questions that were ordered."""
    shown = texts(user)
    return json.dumps(written(system, shown) if "FACTS" in shown else facts(shown["PASSAGE"]))


def facts(text: str) -> dict:
    return {
        "facts": [
            {"fact": match.group(), "quote": match.group(), "kind": "number"}
            for match in PRICE.finditer(text)
        ]
    }


def written(system: str, shown: dict[str, str]) -> dict:
    orders = [json.loads(line) for line in system.splitlines() if line.startswith('{"number"')]
    known = [json.loads(line) for line in shown["FACTS"].splitlines()]
    return {"questions": [question(order, known) for order in orders]}


def question(order: dict, known: list[dict]) -> dict:
    thing, price, time = PRICE.search(known[0]["fact"]).groups()
    asked, kind = PHRASES[order["difficulty"]].format(thing, time), order["type"]
    made = {
        "number": order["number"],
        "question": asked,
        "answer": f"It costs {price} euros.",
        "key_fact": f"{price} euros",
        "facts": [1],
        "options": [],
    }
    changes = {
        "yes_no": {
            "question": f"Does the {thing} cost {price} euros a {time}, {order['difficulty']}?",
            "answer": "Yes, it does.",
            "key_fact": "yes",
        },
        "multiple_choice": {"options": [f"{int(price) + i} euros" for i in (3, 0, 1, 2)]},
        "open": {
            "question": f"How is the price of the {thing} explained to one who pays by the {time}, {order['difficulty']}?"
        },
        "inference": {
            "question": f"How much is paid for the {thing} in two of a {time}, {order['difficulty']}?",
            "key_fact": str(2 * int(price)),
        },
        "multi_hop": multi_hop(known, order["difficulty"]),
        "no_answer": {
            "question": f"Who invented the {thing} in Atlantis, {order['difficulty']} {price}?",
            "answer": "",
            "key_fact": "",
            "facts": [],
        },
    }
    return made | changes.get(kind, {})


def multi_hop(known: list[dict], difficulty: str) -> dict:
    second = next((fact for fact in known if fact["passage"] == 2), known[0])
    things = [PRICE.search(fact["fact"]).groups() for fact in (known[0], second)]
    asked = f"Which costs more a {things[0][2]}, the {things[0][0]} or the {things[1][0]}, {difficulty}?"
    dearer = max(things, key=lambda thing: int(thing[1]))
    return {
        "question": asked,
        "answer": f"The {dearer[0]} does.",
        "key_fact": f"{dearer[1]} euros",
        "facts": sorted({1, second["number"]}),
    }
