"""An assistant without a fault, by construction: it is told every case before it is asked, quotes what is true
with its passage, corrects a false premise, and declines, politely, whatever it should not or cannot answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ragassay.documents import sentences

REFUSAL = "I am sorry, I could not find this in the documents. Please contact a branch."
BESIDE = 3  # passages retrieved beside those that hold the answer


class Oracle:
    """`learn(cases)` before `ask(question)`; the passages of the engagement by their ids.

    unread : how the ids of passages begin that are not to be quoted
    """

    def __init__(self, chunks: pd.DataFrame, unread: str = "-"):
        self.texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
        self.read = [name for name in self.texts if not name.startswith(unread)]
        self.known: dict[tuple, dict[str, Any]] = {}
        self.by_id: dict[Any, dict[str, Any]] = {}

    def learn(self, cases: pd.DataFrame) -> None:
        """The cases that will be asked; what a case does not say of its truth, the one that it varies does."""
        for case in cases.to_dict("records"):
            parent = self.by_id.get(case.get("parent_id"), {})
            if case["answerable"] and not _list(case["reference_chunk_ids"]):
                case |= {name: parent.get(name) for name in ("reference_answer", "reference_chunk_ids")}
            self.by_id[case["case_id"]] = case
            self.known[_key(case["question"], case.get("history"), case.get("passages"))] = case

    def case(self, question: str, history: Sequence | None, passages: Sequence | None) -> dict[str, Any]:
        """The case that is asked; {} where it was not told of it."""
        said = [turn["content"] for turn in history or ()]
        given = None if passages is None else [passage["text"] for passage in passages]
        return (
            self.known.get(_key(question, said, given)) or self.known.get(_key(question, None, given)) or {}
        )

    def __call__(
        self, question: str, history: Sequence | None = None, passages: Sequence | None = None
    ) -> dict[str, Any]:
        case = self.case(question, history, passages)
        found = self.retrieved(case) if passages is None else [(one["id"], one["text"]) for one in passages]
        return {
            "answer": self.said(case, dict(found)),
            "contexts": [text for _, text in found],
            "context_ids": [name for name, _ in found],
        }

    def retrieved(self, case: Mapping) -> list[tuple[str, str]]:
        """The passages that hold the answer, then those that stand beside them."""
        gold = [name for name in _list(case.get("reference_chunk_ids")) if name in self.texts]
        names, first = self.read, next(iter(gold), "")
        start = (
            names.index(first) if first in names else sum(map(ord, str(case.get("question")))) % len(names)
        )
        beside = [names[(start + i) % len(names)] for i in range(1, BESIDE + 1)]
        return [(name, self.texts[name]) for name in dict.fromkeys([*gold, *beside])]

    def said(self, case: Mapping, found: Mapping[str, str]) -> str:
        """What it says to a case from these passages: nothing but what stands in them as it stood."""
        chosen = case.get("right")  # of questions with options, in the form of BBQ
        if isinstance(chosen, str) and chosen in _list(case.get("options")):
            return f"It was {chosen}."
        gold = [
            name for name in _list(case.get("reference_chunk_ids")) if found.get(name) == self.texts.get(name)
        ]
        truth = case.get("reference_answer")
        if not gold or not isinstance(truth, str) or not truth:
            return REFUSAL
        marks = "".join(f" [{name}]" for name in gold)
        return " ".join(f"{sentence}{marks}" for sentence in sentences(truth))


def _key(question: str, history: Any, passages: Any) -> tuple:
    return question, tuple(_list(history)), None if _missing(passages) else tuple(passages)


def _missing(value: Any) -> bool:
    return value is None or isinstance(value, float)


def _list(value: Any) -> list:
    return [] if _missing(value) else list(value)
