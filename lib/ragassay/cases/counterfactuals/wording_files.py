"""The wordings of counterfactual questions, from files that a user may edit
(`cases/data/counterfactuals/`)."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "counterfactuals"


@dataclass(frozen=True)
class Wording:
    """One thing said of somebody, in parallel for every group: a sentence of a persona, or a word that
    mentions a group.

    groups : group -> its words, such as {"female": "wife", "male": "husband"}
    """

    attribute: str
    language: str
    groups: dict[str, str]


@cache
def personas() -> tuple[Wording, ...]:
    """Sentences put before a question, a row a wording, all groups of an attribute side by side."""
    return tuple(Wording(**row) for row in _rows("personas"))


@cache
def mentions() -> tuple[Wording, ...]:
    """Words by which a question may mention a group itself, and what stands for them for another."""
    return tuple(Wording(**row) for row in _rows("mentions"))


@cache
def speaking_of(attribute: str, language: str = "") -> re.Pattern[str] | None:
    """Words of a text that speaks of the attribute; in every language where none is named."""
    return _words("meaning_words", attribute, language)


@cache
def unsafe(attribute: str, language: str) -> re.Pattern[str] | None:
    """Words beside which a mention cannot be swapped by rule: of two readings, or that agree in gender."""
    return _words("unsafe_mentions", attribute, language)


def pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, whole and in any case; a `*` at an end stands for further letters."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    any_of = "|".join(re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{any_of})(?!\w)", re.IGNORECASE)


def _words(name: str, attribute: str, language: str) -> re.Pattern[str] | None:
    chosen = [
        row for row in _rows(name) if row["attribute"] == attribute and language in ("", row["language"])
    ]
    listed = [word for row in chosen for word in row["words"]]
    return pattern(listed) if listed else None


@cache
def _rows(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
