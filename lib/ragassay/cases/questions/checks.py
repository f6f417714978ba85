"""What a generated question must pass before anyone is asked it."""

import re
from collections.abc import Sequence

import numpy as np

from ragassay.cases.questions import words
from ragassay.cases.questions.candidate import Candidate

FEWEST, MOST = 5, 30
NEAR_ENOUGH = 0.35  # cosine of the question with its passage, [-1, 1]
POINTS_AWAY = re.compile(
    r"\b(?:this|these|those|such|above|below|following|former|latter|aforementioned|hereof|thereof|said|section \d|paragraph|"
    r"we|our|us|ours|likewise|in that case|there|than that|in this sense)\b",
    re.IGNORECASE,
)


def flaw(question: str, candidate: Candidate) -> str:
    """Why the question may not be kept, "" if it may: judged by its form alone."""
    count, inner = len(question.split()), question.rstrip("?")
    if not question.endswith("?") or "?" in inner:
        return "does not end in one question mark"
    if not FEWEST <= count <= MOST:
        return f"has {count} words; {FEWEST} to {MOST} are asked for"
    if candidate.source.language == "en" and POINTS_AWAY.search(inner):
        return "points to something outside the question"
    if re.search(r"\b(?:under|in|of|with|to|and) \W?\(\w{1,4}\)|[—–:]$", inner):
        return "points to something outside the question"
    if re.search(r"[|#*_{}<>\[\]]|\.\s*$|\s[,;:.]|,$", inner) or inner.count('"') % 2 or inner.count("(") != inner.count(")"):
        return "has loose signs in it"
    if re.search(r"\b(\w+) \1\b", inner, re.IGNORECASE) or re.search(r"\b(?:and|or|of|the|a|an|but|with)$", inner):
        return "breaks off or repeats a word"
    if candidate.query_type != "yes_no" and given_away(inner, candidate.key_fact):
        return "contains its own answer"
    return ""


def given_away(question: str, key_fact: str) -> bool:
    """Whether the question holds the key fact: its words as they stand, or, where it has no figure, 80 % of its telling words."""
    if len(key_fact) > 1 and re.search(rf"(?<!\w){re.escape(key_fact.lower())}(?!\w)", question.lower()):
        return True
    if re.search(r"\d", key_fact):
        return False
    telling = {word for word in re.findall(r"\w{4,}", key_fact.lower()) if word not in words.NOT_SUBJECTS}
    return len(telling) >= 2 and len(telling & set(re.findall(r"\w{4,}", question.lower()))) / len(telling) >= 0.8


def similarities(questions: Sequence[str], passages: Sequence[str], model: str, encode) -> np.ndarray:
    """Cosine of each question with its own passage, (n,), in [-1, 1]; higher is nearer."""
    if not questions:
        return np.empty(0)
    return np.round((encode(list(questions), model) * encode(list(passages), model)).sum(axis=1).astype(float), 4)


def asked_before(question: str) -> str:
    """What two questions share if they are the same but for case, signs and articles."""
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in ("the", "a", "an"))
