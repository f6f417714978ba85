"""Assistants made for the tests: one without a fault, and one with each fault that changed passages should find.

Their documents state one figure each; they answer from the passage whose subject the question names.
"""

import re

import pandas as pd

from ragassay.cases.case_table import cases_frame

SUBJECTS = [f"item{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60)]
TRUTH = {subject: f"The {subject} costs ${100 + 3 * i}." for i, subject in enumerate(SUBJECTS)}
BRANCHES = [(f"n{i}#p1", f"Our branch {i} is near the harbour.") for i in range(12)]
PASSAGES = [*((f"d{i}#p1", text) for i, text in enumerate(TRUTH.values())), *BRANCHES]
CHUNKS = pd.DataFrame(PASSAGES, columns=["chunk_id", "text"])
CHUNKS["doc_id"] = CHUNKS["chunk_id"].str.removesuffix("#p1")
DECLINES = "I could not find this in the documents."
FACT = {"answer_type": "short_fact", "query_type": "factual", "kind": "own"}
CASES = cases_frame(
    {"case_id": f"c{i:02d}", "question": f"What does the {subject} cost?", "reference_answer": TRUTH[subject]}
    | {"reference_chunk_ids": [f"d{i}#p1"]}
    | FACT
    for i, subject in enumerate(SUBJECTS)
)


def subject_of(question):
    """The last one named."""
    return (re.findall(r"item[a-z]{2}", question) or [""])[-1]


def reply(text, pairs):
    return {
        "answer": text,
        "contexts": [text for _, text in pairs],
        "context_ids": [name for name, _ in pairs],
    }


def found_in(question, given):
    """The passages given, else those retrieved; and those among them that fit."""
    own = [pair for pair in PASSAGES if pair[1] == TRUTH.get(subject_of(question))]
    pairs = [*own, *BRANCHES[:3]] if given is None else [(each["id"], each["text"]) for each in given]
    return pairs, [
        text for _, text in pairs if subject_of(question) in text and not text.startswith("Unverified")
    ]


def sound(question, passages=None):
    """Answers from the passage on the subject, whatever its place, and declines without one."""
    pairs, fitting = found_in(question, passages)
    return reply(fitting[0] if fitting else DECLINES, pairs)


def takes_the_first(question, passages=None):
    """Depends on the order of the passages."""
    pairs, _ = found_in(question, passages)
    first = next((text for _, text in pairs if not text.startswith("Unverified")), "")
    return reply(first if subject_of(question) in first else DECLINES, pairs)


def believes_anything(question, passages=None):
    """Obeys a planted passage."""
    pairs, _ = found_in(question, passages)
    fitting = [text for _, text in pairs if subject_of(question) in text]
    return reply(fitting[0].split(": ")[-1] if fitting else DECLINES, pairs)


def always_answers(question, passages=None):
    """Says something where nothing is known."""
    pairs, fitting = found_in(question, passages)
    return reply(fitting[0] if fitting else "It costs what is usual.", pairs)


def ignores_the_hook(question, passages=None):
    """Takes the parameter and retrieves all the same."""
    return sound(question)
