"""Counterfactual questions: the engagement's own, asked again by or about somebody of another group.

The wordings (personas, words that mention a group, words a question may not speak of) stand in files that a
user may edit (`cases/data/counterfactuals/`). Every version of a question names it as its parent and shares
its group. Versions that differ in the group only are compared with each other, never with the question as it
stood: to put anything before a question moves what a retriever finds, whoever is named.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.stats.random_streams import random_base, random_stream
from ragassay.tables import is_blank

ATTRIBUTES = ("race", "gender", "age", "income", "religion", "nationality", "disability")
STAFF = "staff"  # the segment of questions that no customer asks
CONTROL = "control"  # a swap that says nothing of anybody: how much any other words change
EXTRA = ("attribute", "swapped_to", "wording")
PERSONA, MENTION = "persona", "mention"


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
    return tuple(Wording(**row) for row in case_table.data_rows("counterfactuals/personas"))


@cache
def mentions() -> tuple[Wording, ...]:
    """Words by which a question may mention a group itself, and what stands for them for another."""
    return tuple(Wording(**row) for row in case_table.data_rows("counterfactuals/mentions"))


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
        row
        for row in case_table.data_rows(f"counterfactuals/{name}")
        if row["attribute"] == attribute and language in ("", row["language"])
    ]
    listed = [word for row in chosen for word in row["words"]]
    return pattern(listed) if listed else None


def swap_groups(
    cases: pd.DataFrame,
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    attributes: Sequence[str] = (*ATTRIBUTES, CONTROL),
) -> pd.DataFrame:
    """At most n questions for each attribute, 1 or more, each asked once for every group of it.

    Where the question itself mentions a group ("my wife"), the mention is swapped; else a persona is put
    before it, in its language. Which questions may be swapped: `why_not`. Those that mention a group
    come first; they are drawn in one order for all attributes, so that mostly the same are asked, and which
    persona each gets is drawn for each attribute anew.
    """
    parameter_ranges.check("n_counterfactual", n, "in [1, inf)")
    for name in {*attributes} - {CONTROL}:
        parameter_ranges.check("attributes", name, f"one of {', '.join(ATTRIBUTES)}")
    base = random_base(rng)
    order = cases.iloc[random_stream(base, "order").permutation(len(cases))].to_dict("records")
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    made: list[dict] = []
    for attribute in attributes:
        found = _swappable(order, attribute, texts, random_stream(base, attribute))
        made += [row for versions in found[:n] for row in versions]
    made.sort(key=lambda row: row["parent_id"])  # like answers side by side: each is judged once
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return case_table.cases_frame(made, extra=[*extra, *EXTRA])


def _swappable(
    cases: Sequence[dict], attribute: str, texts: Mapping[str, str], rng: np.random.Generator
) -> list[list[dict]]:
    """The versions of each question that may be swapped; first those that mention a group themselves."""
    found = [versions for case in cases if (versions := _versions(case, attribute, texts, rng))]
    return sorted(found, key=lambda one: one[0]["wording"] != MENTION)


def _versions(case: dict, attribute: str, texts: Mapping[str, str], rng: np.random.Generator) -> list[dict]:
    """The question once for each group of the attribute; none where the swap might change what is asked."""
    fitting = [one for one in personas() if one.attribute == attribute and one.language == case["language"]]
    if why_not(case, attribute, texts, [case["language"]] if fitting else []):
        return []
    mentioned = _mentioned(case, attribute)
    if not mentioned:
        chosen = fitting[int(rng.integers(len(fitting)))]
        asked = {group: f"{said} {case['question']}" for group, said in chosen.groups.items()}
        return _rows(case, attribute, PERSONA, asked)
    groups = dict.fromkeys(group for one in mentioned for group in one.groups)
    asked = {group: swap_mentions(case["question"], mentioned, group) for group in groups}
    return _rows(case, attribute, MENTION, asked)


def _mentioned(case: Mapping, attribute: str) -> list[Wording]:
    listed = [one for one in mentions() if one.attribute == attribute and one.language == case["language"]]
    return [one for one in listed if pattern(one.groups.values()).search(case["question"])]


def _why_no_swap(case: Mapping, attribute: str, mentioned: Sequence[Wording]) -> str:
    risky = unsafe(attribute, case["language"])
    if risky is not None and risky.search(case["question"]):
        return "it mentions a group in words that no rule can swap"
    groups = {
        group
        for one in mentioned
        for group, word in one.groups.items()
        if pattern([word]).search(case["question"])
    }
    return "it mentions several groups" if len(groups) > 1 else ""


def swap_mentions(question: str, mentioned: Sequence[Wording], group: str) -> str:
    """The question with every mention of a group in the words of `group`; a capital stays one."""
    told: dict[str, str] = {}
    for one in mentioned:
        for word in one.groups.values():
            told.setdefault(word.casefold(), one.groups[group])

    def swapped(found) -> str:
        word = told[" ".join(found[0].split()).casefold()]
        return word[0].upper() + word[1:] if found[0][0].isupper() else word

    return pattern(told).sub(swapped, question)


def _rows(case: dict, attribute: str, wording: str, asked: Mapping[str, str]) -> list[dict]:
    return [
        case_table.varied_case(case, f"counterfactual: {attribute}", f"{attribute}-{place}", text)
        | {"attribute": attribute, "swapped_to": group, "wording": wording}
        for place, (group, text) in enumerate(asked.items(), start=1)
    ]


def why_not(case: Mapping, attribute: str, passages: Mapping[str, str], languages: Sequence[str]) -> str:
    """Why the attribute may not be swapped in this question, in words; "" where it may.

    passages : text by chunk id; languages : those that the attribute has wordings in
    """
    if not case["answerable"]:
        return "the documents do not answer it"
    if not is_blank(case.get("conversation_id")):
        return "it is part of a conversation"
    if case.get("segment") == STAFF:
        return "asked by staff, of whom no persona is told"
    if case["language"] not in languages:
        return "no wordings in its language"
    mentioned = _mentioned(case, attribute)
    return (
        _speaks(case, attribute, passages) or (mentioned and _why_no_swap(case, attribute, mentioned)) or ""
    )


def _speaks(case: Mapping, attribute: str, passages: Mapping[str, str]) -> str:
    spoken = speaking_of(attribute)
    if spoken is None:
        return ""
    if spoken.search(case["question"]):
        return "the question speaks of it"
    answer = case.get("reference_answer")
    if not is_blank(answer) and spoken.search(str(answer)):
        return "its reference answer speaks of it"
    named = case.get("reference_chunk_ids")
    found = [passages.get(one, "") for one in (() if named is None else named)]
    return "a passage that answers it speaks of it" if any(map(spoken.search, found)) else ""
