"""Traces by rule: little worlds with four facts each, answers good and bad in sixteen ways, and the marks those ways deserve."""

import re
import zlib

import numpy as np

from ragassay.scores.shared_instruments import Tools

THINGS = [
    ("garden permit", "council"), ("library card", "reading room"), ("rowing licence", "harbour office"), ("beehive register", "farm bureau"),
    ("kiln booking", "pottery guild"), ("night fishing pass", "river board"), ("market stall", "trade hall"), ("choir audition", "music school"),
    ("allotment lease", "parish clerk"), ("drone permit", "aviation desk"), ("sauna membership", "bath house"), ("mushroom licence", "forest ranger"),
    ("telescope slot", "observatory"), ("bakery inspection", "health office"), ("kayak rental", "boat house"), ("archive visit", "record keeper"),
    ("pony lesson", "riding stable"), ("glazing course", "craft college"), ("ferry ticket", "island company"), ("cellar lease", "wine merchants"),
]  # fmt: skip
REFUSAL = "No document answers this question."


def encode(texts):
    """Counts of words hashed to 512 places, of length 1: texts that share words are near."""
    vectors = np.full((len(texts), 512), 1e-9)
    for row, text in zip(vectors, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            row[zlib.crc32(word.encode()) % 512] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def tools():
    return Tools(encode=encode)


def world(number, seed=0):
    """Question, four references (the last off topic) and the facts as sentences that cite them."""
    thing, office = THINGS[number % len(THINGS)]
    other, _ = THINGS[(number + 7) % len(THINGS)]
    price, days, years = np.random.default_rng([seed, number]).integers([11, 2, 2], [99, 30, 9]).tolist()
    facts = [
        f"A {thing} costs {price} crowns in total.",
        f"The {office} decides about the {thing} within {days} days.",
        f"Every {thing} stays valid for {years} years.",
    ]
    aside = f"Colourful posters about the {other} hang beside the staircase."
    related = f"The {office} keeps a friendly waiting room for the {thing}."
    question = (
        f"What does a {thing} cost, when does the {office} decide and how long does the {thing} stay valid?"
    )
    return {"question": question, "facts": facts, "aside": aside, "related": related, "price": price}


def traces(number, seed=0):
    """The sixteen kinds of answers of a world: rows with their marks (relevancy, completeness, usefulness, faithfulness)."""
    made = world(number, seed)
    one, two, three = (f"{fact[:-1]} [{i}]." for i, fact in enumerate(made["facts"], start=1))
    full, aside, related = (
        f"{one} {two} {three}",
        f"{made['aside'][:-1]} [4].",
        f"{made['related'][:-1]} [4].",
    )
    held = [*made["facts"], made["aside"]]
    none, near = [made["aside"]] * 4, [made["aside"]] * 3 + [made["related"]]
    wrong = one.replace("[1]", "[2]")
    distorted = one.replace(str(made["price"]), str(made["price"] + 200))
    kinds = [
        (held, full, full, (5, 5, None, 1)), (held, f"{one} {three} {two}", full, (5, 5, None, 1)), (held, f"{one} {two}", f"{one} {two}", (5, 5, None, 1)),
        (none, REFUSAL, REFUSAL, (None, None, None, None)), (near, f"{REFUSAL} {related}", f"{REFUSAL} {related}", (None, None, 1, 1)),
        (held, one, one, (5, 5, None, 1)), (held, f"{two} {three}", f"{two} {three}", (5, 5, None, 1)),
        (held, f"{full} {aside} {aside}", full, (3, 5, None, 1)), (none, aside, REFUSAL, (1, None, None, 1)), (held, f"{one} {two}", full, (5, 3, None, 1)),
        (held, REFUSAL, full, (None, 1, None, None)), (held, f"{REFUSAL} {one}", full, (None, 1, 1, 1)), (none, f"{REFUSAL} {aside}", REFUSAL, (None, None, 0, 1)),
        (held, f"{wrong} {two} {three}", full, (5, 5, None, 0)), (held, f"{made['facts'][0]} {two} {three}", full, (5, 5, None, 0)),
        (held, f"{distorted} {two} {three}", full, (5, 5, None, 0)),
    ]  # fmt: skip
    return [_trace(made["question"], *kind) for kind in kinds]


def many(worlds=20, seed=0):
    return [trace for number in range(worlds) for trace in traces(number, seed)]


def unit_tests(worlds=3, seed=9):
    """The same as a suite of unit tests, of worlds with other numbers."""
    return [_test(trace) for number in range(worlds) for trace in traces(number, seed)]


def _test(trace):
    texts = {name: trace[name] for name in ("input", "references", "actual_output", "expected_output")}
    return texts | {"conditions": {f"{mark}_condition": f"=={trace[mark]}" for mark in MARKS}}


MARKS = ("answer_relevancy", "completeness", "usefulness", "faithfulness")


def _trace(question, references, answer, truth, marks):
    texts = {"input": question, "references": references, "actual_output": answer, "expected_output": truth}
    return texts | dict(zip(MARKS, marks, strict=True))
