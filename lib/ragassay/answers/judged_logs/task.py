"""One question with its conversation, and one answer to it with what people said of it."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ragassay.answers.log_files import Flaw, Record
from ragassay.errors import InputError

SEPARATOR = "<::>"  # between the conversation and the turn in MTRAG's ids
SHORT = 8
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPES = (
    ("composite", "multi_hop"),
    ("comparative", "multi_hop"),
    ("explanation", "inference"),
    ("factoid", "factual"),
)


def record_of_error(problem: InputError) -> Record:
    """A record of which nothing could be read, for the reason that the error gives."""
    found = problem.what if problem.found is None else f"{problem.what}: {problem.found}"
    expected = str(problem.expected or "a judged answer")
    flaw = Flaw(str(problem.where), "", found, expected, problem.do or "correct the entry")
    return Record({}, flaw.where, (flaw,), broken=True)


@dataclass(frozen=True)
class Task:
    """A question: the conversation's turns (speaker, text; the question is the last), the passages given,
    what is known of it."""

    task_id: str
    turns: tuple[tuple[str, str], ...]
    contexts: tuple[str, ...] = ()
    context_ids: tuple[str, ...] = ()
    reference: str = ""
    collection: str = ""
    answerability: str = ""
    kinds: tuple[str, ...] = ()
    conversation: str = ""

    def values(self) -> dict[str, Any]:
        """The columns of a log: question, contexts, context_ids, and those of the cases table."""
        known: dict[str, Any] = (
            {} if not self.answerability else {"answerable": self.answerability.upper() != "UNANSWERABLE"}
        )
        return known | {
            "question": self.turns[-1][1],
            "contexts": list(self.contexts),
            "context_ids": list(self.context_ids),
            "reference_answer": self.reference,
            "answer_type": "no_answer"
            if known.get("answerable") is False
            else "instruction"
            if "how-to" in self._kinds()
            else "short_fact",
            "query_type": next((ours for theirs, ours in QUERY_TYPES if theirs in self._kinds()), "open"),
            "topic": short_collection(self.collection),
            "conversation_id": self.conversation or self.task_id.split(SEPARATOR)[0],
            "answerability": self.answerability,
            "question_type": ", ".join(self.kinds),
            "task_id": self.task_id,
            "turns": json.dumps(
                [{"speaker": speaker, "text": text} for speaker, text in self.turns], ensure_ascii=False
            ),
        }

    def _kinds(self) -> set[str]:
        return {kind.lower() for kind in self.kinds}


@dataclass(frozen=True)
class Judged:
    """An answer of one system, where it stands in its file, and its judgements: dimension -> rater -> value,
    dimension -> scale."""

    task: Task
    system: str
    answer: str
    where: str
    human: dict[str, dict[str, Any]] = field(default_factory=dict)
    scales: dict[str, str] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """The columns of a log, without case_id."""
        return {"system": self.system, "answer": self.answer, **self.task.values()}

    def labels(self) -> Iterator[dict[str, str]]:
        """Rows of a labels file, without case_id; comparisons between systems, and judgements without a scale
        of numbers, are left out."""
        digest = hashlib.sha256(self.answer.encode("utf-8", "surrogatepass")).hexdigest()
        for dimension, given in self.human.items():
            for rater, value in given.items():
                if dimension.lower() not in COMPARISONS and self.scales[dimension]:
                    yield {
                        "system": self.system,
                        "dimension": dimension,
                        "rater": rater,
                        "label": str(value),
                        "scale": self.scales[dimension],
                        "answer_sha256": digest,
                        "where": f"{self.where}, {dimension} by {rater}",
                    }


def ids_of(task_ids: Iterable[str]) -> dict[str, str]:
    """Task id -> case id: `f0d2873b-3` where that tells all tasks apart, else the task id itself."""
    whole = list(dict.fromkeys(task_ids))
    short = [_short_id(one) for one in whole]
    return dict(zip(whole, short if len(set(short)) == len(whole) else whole, strict=True))


def short_collection(name: str) -> str:
    """`mt-rag-govt-elser-512-100-20240611` as `govt`: the part of MTRAG's index names that names the domain;
    another name as it is."""
    found = re.fullmatch(r"mt-rag-([a-z]+)-.*", name)
    return found[1] if found else name


def _short_id(task_id: str) -> str:
    conversation, _, turn = task_id.partition(SEPARATOR)
    return f"{conversation[:SHORT]}-{turn}" if turn else task_id
