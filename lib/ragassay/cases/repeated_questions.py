"""The same questions once more, and as the second turn of a conversation.

A repeat is the question itself, asked again later and among others in another order: an assistant that
samples, or keeps state between questions, answers it differently. A follow-up leaves out the
subject that the question names; the turn before names it.
"""

import re

import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.perturbations import sample_parents

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


def ask_again(asked: pd.DataFrame, n: int, *, seed: int) -> pd.DataFrame:
    """At most n answerable questions once more, in another order (kind `repeat`), and of a third as many a
    conversation (`follow_ups`).

    Example: `run.ask(cases.ask_again(run.cases(), 40, seed=0), "repeats")`
    """
    parameter_ranges.check("n_repeated", n, "in [1, inf)")
    chosen = sample_parents(asked, n, seed).sample(frac=1, random_state=seed)
    rows = [case_table.varied_case(row, REPEAT, "r1", row["question"]) for row in chosen.to_dict("records")]
    repeats = case_table.cases_frame(rows, extra=None)
    return pd.concat([repeats, follow_ups(asked[asked["answerable"]], n // 3)], ignore_index=True)


def follow_ups(cases: pd.DataFrame, n: int) -> pd.DataFrame:
    """Conversations of two turns for at most n of the English questions that name their subject first or
    last ("For the Harbour Saver, what is ...?", "... of the Harbour Saver?"): the opening names it, the
    follow-up (kind `follow_up`, its parent named) asks the rest. Columns conversation_id and turn order them.
    """
    rows: list[dict] = []
    for case in cases[cases["language"] == "en"].to_dict("records"):
        parts = without_subject(case["question"])
        if parts and len(rows) < 2 * n:
            opening = case_table.varied_case(case, OPENING, "t1", f"I have a question about {parts[0]}.")
            asked = case_table.varied_case(case, FOLLOW_UP, "t2", parts[1])
            talk = {"conversation_id": f"{case['case_id']}-talk"}
            rows += [opening | talk | {"turn": 1.0}, asked | talk | {"turn": 2.0}]
    return case_table.cases_frame(rows, extra=None)


def without_subject(question: str) -> tuple[str, str] | None:
    """The subject that an English question names in its first or last words, and the question without them;
    None if it names none there, too little is left to ask, or a second subject would stand for the first."""
    first, last = _FIRST.match(question), _LAST.search(question)
    if first:
        subject, rest = first["subject"], question[first.end() :]
    elif last:
        subject, rest = last["subject"], question[: last.start()] + "?"
    else:
        return None
    rest = rest[:1].upper() + rest[1:]
    fits = len(rest.split()) >= LEAST_WORDS and not _OTHER.search(rest) and not _DAY.search(subject)
    return (subject, rest) if fits else None
