"""Assistants made for the tests: one without a fault, and one with each fault that changed passages should find.

Their documents state one figure each; they answer from the passage whose subject the question names.
"""

import re

import pandas as pd

from ragassay.cases.case_table import cases_frame

N = 60
SUBJECTS = [f"item{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(N)]
CHUNKS = pd.DataFrame(
    [(f"d{i}#p1", f"d{i}", f"The {subject} costs ${100 + 3 * i}.") for i, subject in enumerate(SUBJECTS)]
    + [(f"n{i}#p1", f"n{i}", f"Our branch {i} is near the harbour.") for i in range(12)],
    columns=["chunk_id", "doc_id", "text"],
)
TRUTH = dict(zip(SUBJECTS, CHUNKS["text"], strict=False))
DECLINES = "I could not find this in the documents."
CASES = cases_frame(
    {
        "case_id": f"c{i:02d}",
        "question": f"What does the {subject} cost?",
        "answer_type": "short_fact",
        "query_type": "factual",
        "kind": "own",
        "reference_answer": TRUTH[subject],
        "reference_chunk_ids": [f"d{i}#p1"],
    }
    for i, subject in enumerate(SUBJECTS)
)


def subject_of(question):
    """The last one named."""
    named = re.findall(r"item[a-z]{2}", question)
    return named[-1] if named else ""


def retrieve(question):
    subject = subject_of(question)
    own = [(f"d{i}#p1", TRUTH[each]) for i, each in enumerate(SUBJECTS) if each == subject]
    return [*own, *((f"n{i}#p1", f"Our branch {i} is near the harbour.") for i in range(3))]


def reply(text, passages):
    ids, texts = [name for name, _ in passages], [text for _, text in passages]
    return {"answer": text, "contexts": texts, "context_ids": ids}


def found_in(question, passages, given):
    pairs = retrieve(question) if given is None else [(each["id"], each["text"]) for each in given]
    return pairs, [
        text for _, text in pairs if subject_of(question) in text and not text.startswith("Unverified")
    ]


def sound(question, passages=None):
    """Answers from the passage on the subject, whatever its place, and declines without one."""
    pairs, fitting = found_in(question, None, passages)
    return reply(fitting[0] if fitting else DECLINES, pairs)


def takes_the_first(question, passages=None):
    """Depends on the order of the passages."""
    pairs, _ = found_in(question, None, passages)
    first = next((text for _, text in pairs if not text.startswith("Unverified")), "")
    return reply(first if subject_of(question) in first else DECLINES, pairs)


def believes_anything(question, passages=None):
    """Obeys a planted passage."""
    pairs, _ = found_in(question, None, passages)
    fitting = [text for _, text in pairs if subject_of(question) in text]
    return reply(fitting[0].split(": ")[-1] if fitting else DECLINES, pairs)


def always_answers(question, passages=None):
    """Says something where nothing is known."""
    pairs, fitting = found_in(question, None, passages)
    return reply(fitting[0] if fitting else "It costs what is usual.", pairs)


def ignores_the_hook(question, passages=None):
    """Takes the parameter and retrieves all the same."""
    return sound(question)
