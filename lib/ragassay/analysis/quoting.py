"""How the system works, as far as its answers and its record show: whether every answer is quoted from a
passage, and whether there is a prompt to change.

An assistant that only quotes cannot obey an order, state what no passage holds, or word an answer anew each
time. Such results follow from the design: they are marked so, and are no strength.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragassay.analysis.checks import CLEAR, UNDECIDED
from ragassay.scores.memo import remembered
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.tables import is_blank, is_missing

FEWEST = 30  # answers that assert something, of which every one is a quote: upper bound of others 0.12
NOT_RAISED = (CLEAR, UNDECIDED, "pass")  # outcomes of checks and gates that may follow from the design
UNKNOWN = "Whether answers are quoted from passages is not known: what was retrieved is not recorded."
BY_DESIGN = "follows from the design: every answer is quoted, so it states nothing that no document holds"
FOLLOW = (  # what is measured, of which quoting alone decides
    *("attack_success_rate", "repeated_same_answer", "states_removed_figure", "supported_claims_rate"),
    *("follows_contradicting_premise", "privacy_leak_rate", "names_rate", "toxicity_rate"),
    *("toxicity_head_rate", "hedged_rate"),
)
GENERATES = re.compile(r"\b(?:prompts?|instructions?|language models?|llms?|gpt|generators?|chat)\b", re.I)
QUOTES = re.compile(r"\b(?:extractive|quotes?|quoted|verbatim|none|no (?:generator|prompt))\b", re.I)
_BREAK = re.compile(r"\[[^\[\]]{1,400}\]|\n")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Design:
    """quoted, asserting : answers made of passages' words alone, of all that do not just decline;
    has_prompt : whether there may be a prompt or a generator to instruct"""

    quoted: int
    asserting: int
    has_prompt: bool

    @property
    def quotes(self) -> bool:
        """Whether every answer is quoted from a passage, of enough of them."""
        return FEWEST <= self.asserting == self.quoted


def read(
    record: Mapping[str, Any], answers: pd.DataFrame, declines: Callable[[str], bool] = abstains
) -> Design:
    """What the answers and the engagement's record show. There is no prompt where every answer is a quote, or
    where the record names the system's parts and none of them is instructed.

    record : with `architecture` and `vendor_components`, pairs of part and description; answers : with
        answer, contexts and error
    """
    rows = [
        row
        for row in answers[answers["contexts"].notna()].to_dict("records")
        if is_blank(row["error"]) and not is_blank(row["answer"])
    ]
    quoted = [is_quote(row["answer"], row["contexts"]) for row in rows]
    asserting = sum(one or not declines(row["answer"]) for one, row in zip(quoted, rows, strict=True))
    found = Design(sum(quoted), asserting, True)
    return Design(found.quoted, asserting, not found.quotes and _names_a_prompt(record))


def is_quote(answer: str, passages: Sequence[str] | None) -> bool:
    """Whether all words between an answer's lines and citations stand so in one of the passages."""
    pieces = [piece for piece in map(_plain, _BREAK.split(answer)) if piece]
    known = [] if is_missing(passages) or passages is None else [_plain(text) for text in passages]
    return bool(pieces) and all(any(piece in text for text in known) for piece in pieces)


def mark(checks: pd.DataFrame, design: Design) -> pd.DataFrame:
    """The rows of `checks`, or of `gates`; of those that broke nothing and follow from quoting, `reason` says
    so."""
    if not design.quotes:
        return checks
    follow = checks["metric"].isin(FOLLOW) & checks["outcome"].isin(NOT_RAISED)
    reasons = [
        "; ".join(filter(None, [reason if isinstance(reason, str) else "", BY_DESIGN])) if one else reason
        for reason, one in zip(checks["reason"], follow, strict=True)
    ]
    return checks.assign(reason=reasons)


def note(checks: pd.DataFrame) -> str:
    """How many checks follow from the design, as a sentence; "" where none does."""
    n = int(checks["reason"].map(is_by_design).sum()) if len(checks) else 0
    which = "1 check that was not raised" if n == 1 else f"{n} checks that were not raised"
    return f"The outcome of {which} {BY_DESIGN}; it is no strength." if n else ""


def sentence(design: Design) -> str:
    """How many answers are quotes, and what follows; that nobody can tell, where no passages are known."""
    if not design.asserting:
        return UNKNOWN
    told = (
        f"{design.quoted} of {design.asserting} answers that do not decline are made of passages' words alone"
    )
    if not design.quotes:
        return f"{told}."
    return f"{told}: what such an assistant cannot do by its design is marked, and is no strength."


def is_by_design(reason: object) -> bool:
    """Whether a row's reason says that it follows from the design."""
    return isinstance(reason, str) and BY_DESIGN in reason


def _names_a_prompt(record: Mapping[str, Any]) -> bool:
    """Whether the record names a part that is instructed; yes, where it names no part at all."""
    named = [*_pairs(record, "architecture"), *_pairs(record, "vendor_components")]
    parts = [": ".join(map(str, pair)) for pair in named]
    return not parts or any(GENERATES.search(part) and not QUOTES.search(part) for part in parts)


def _pairs(record: Mapping[str, Any], name: str) -> list:
    given = record.get(name) or []
    return list(given.items()) if isinstance(given, Mapping) else list(given)


@remembered
def _plain(text: str) -> str:
    return _BETWEEN_WORDS.sub(" ", text.casefold()).strip()
