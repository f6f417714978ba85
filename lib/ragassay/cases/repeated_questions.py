"""The same questions once more, and as the second turn of a conversation.

A repeat is the question itself, asked again later and among others in another order: an assistant that
samples, or keeps state between questions, answers it differently. A follow-up leaves out the
subject that the question names; the turn before names it.
"""

import re

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table

REPEAT, FOLLOW_UP, OPENING = "repeat", "follow_up", "conversation_opening"
LEAST_WORDS = 4  # of a follow-up
_NAME = (
    r"[A-Z][\w'’-]{1,30}(?: (?:and |of |for )?[A-Z][\w'’-]{0,30}){0,5}(?: (?:card|account|loan|plan|policy))?"
)
_FIRST = re.compile(
    rf"(?:For|Under|On|With|According to|When using) (?P<subject>(?:(?:the|a|an|my|our) )?“?{_NAME}”?),\s+"
)
_LAST = re.compile(rf" (?:for|of|on|with|under|from|to) (?P<subject>(?:the|a|an|my|our) {_NAME})\?$")
_OTHER = re.compile(r"\b(?:the|a|an|my|our|for|under|to) “?[A-Z]|“")
_DAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")


def repeat_questions(cases: pd.DataFrame, rounds: int, rng: np.random.Generator) -> pd.DataFrame:
    """Every question `rounds` times more, 1 or more, each round in an order of its own; kind `repeat`."""
    parameter_ranges.check("rounds", rounds, "in [1, inf)")
    records = cases.to_dict("records")
    rows = [
        case_table.varied_case(records[place], REPEAT, f"r{number}", records[place]["question"])
        for number in range(1, rounds + 1)
        for place in rng.permutation(len(records))
    ]
    return case_table.cases_frame(rows, extra=_further(cases))


def follow_ups(cases: pd.DataFrame, n: int) -> pd.DataFrame:
    """Conversations of two turns for at most n of the English questions that name their subject first or
    last ("For the Harbour Saver, what is ...?", "... of the Harbour Saver?"): the opening names it, the
    follow-up (kind `follow_up`, its parent named) asks the rest. Columns conversation_id and turn order them.
    """
    parameter_ranges.check("n_follow_ups", n, "in [0, inf)")
    english = [case for case in cases.to_dict("records") if case["language"] == "en"]
    found = [(case, without_subject(case["question"])) for case in english]
    kept = [(case, parts) for case, parts in found if parts][:n]
    rows = [row for case, (subject, rest) in kept for row in _conversation(case, subject, rest)]
    return case_table.cases_frame(rows, extra=[*_further(cases), "turn"])


def without_subject(question: str) -> tuple[str, str] | None:
    """The subject that an English question names in its first or last words, and the question without them;
    None if it names none there, or too little is left to ask."""
    first, last = _FIRST.match(question), _LAST.search(question)
    if first:
        rest = question[first.end() :]
        return _asked(first["subject"], rest[:1].upper() + rest[1:])
    return _asked(last["subject"], question[: last.start()] + "?") if last else None


def _asked(subject: str, rest: str) -> tuple[str, str] | None:
    """Both, unless the rest is too short, or names a second subject that would stand for the first."""
    fits = len(rest.split()) >= LEAST_WORDS and not _OTHER.search(rest) and not _DAY.search(subject)
    return (subject, rest) if fits else None


def _conversation(case: dict, subject: str, rest: str) -> list[dict]:
    talk = {"conversation_id": f"{case['case_id']}-talk"}
    opening = case_table.varied_case(case, OPENING, "t1", f"I have a question about {subject}.")
    asked = case_table.varied_case(case, FOLLOW_UP, "t2", rest)
    return [opening | talk | {"turn": 1.0}, asked | talk | {"turn": 2.0}]


def _further(cases: pd.DataFrame) -> list[str]:
    return [str(column) for column in cases if column not in case_table.COLUMNS and column != "turn"]
