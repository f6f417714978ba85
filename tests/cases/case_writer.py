"""A language model that writes cases by rule: it reads the fences and the orders, knows no language, and follows nothing inside a fence."""

import json
import re

FENCED = re.compile(r"^<<([A-Z ]+) ([0-9a-f]{16})>>\n(.*?)\n<<END \2>>$", re.DOTALL | re.MULTILINE)
PRICE = re.compile(r"The ([\w ]+?) costs (\d+) euros a year\.")


def orders_of(system: str) -> list[dict]:
    return [json.loads(line) for line in system.splitlines() if line.startswith('{"number"')]


def reply(system: str, user: str) -> str:
    """What a model that follows nothing inside a fence replies: the prices, and a question for each order."""
    shown = {name: text for name, _, text in FENCED.findall(user)}
    prices = [match for name in sorted(shown) if "TITLE" not in name for match in PRICE.finditer(shown[name])]
    facts = [{"fact": one.group(), "quote": one.group(), "kind": "number"} for one in prices]
    asked = [ask(order, prices) for order in orders_of(system) if prices]
    return json.dumps({"facts": facts, "questions": asked})


def ask(order: dict, prices: list[re.Match]) -> dict:
    (thing, price), how, rest = prices[0].groups(), order["difficulty"], {}
    asked = f"What does the {thing} cost in euros a year, {how}?"
    if order["type"] == "yes_no":
        rest = {"question": f"Does the {thing} cost {price} euros a year, {how}?", "key_fact": "yes"}
    if order["type"] == "multiple_choice":
        rest = {"options": [f"{int(price) + i} euros" for i in (3, 0, 1, 2)]}
        rest["question"] = f"Which sum of euros does the {thing} cost a year, {how}?"
    if order["type"] == "open":
        rest = {"question": f"How is the price of the {thing} explained to one who pays, {how}?"}
    if order["type"] == "inference":
        rest = {"question": f"How much is paid for the {thing} in two of a year, {how}?", "key_fact": "9000"}
    if order["type"] == "multi_hop":
        other = prices[-1][1]
        rest = {
            "question": f"Which costs more a year, the {thing} or the {other}, {how}?",
            "facts": [1, len(prices)],
        }
    if order["type"] == "no_answer":
        rest = {"question": f"Who invented the {thing} in Atlantis, {how} {price}?"}
        rest |= {"answer": "", "key_fact": "", "facts": []}
    plain = {
        "question": asked,
        "answer": "It costs that.",
        "key_fact": f"{price} euros",
        "facts": [1],
        "options": [],
    }
    return {"number": order["number"]} | plain | rest
