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
def _mentions() -> tuple[Wording, ...]:
    """Words by which a question may mention a group itself, and what stands for them for another."""
    return tuple(Wording(**row) for row in case_table.data_rows("counterfactuals/mentions"))


@cache
def _listed(name: str, attribute: str, language: str = "") -> re.Pattern[str]:
    """The words of a file on the attribute; of every language where none is named. `meaning_words`: of a text
    that speaks of it; `unsafe_mentions`: beside which no mention can be swapped by rule, of two readings or
    that agree in gender."""
    rows = [row for row in case_table.data_rows(f"counterfactuals/{name}") if row["attribute"] == attribute]
    return _any_of(word for row in rows if language in ("", row["language"]) for word in row["words"])


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, whole and in any case; a `*` at an end stands for further letters."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    any_of = "|".join(re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{any_of})(?!\w)" if any_of else r"(?!)", re.IGNORECASE)


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
    before it, in its language. Left out are questions whose answer the attribute may change (the question,
    its reference answer or a passage that answers it speaks of it), and those without an answer, of staff,
    within a conversation, or in a language without wordings. Those that mention a group come first; they are
    drawn in one order for all attributes, so that mostly the same are asked, and which persona each gets is
    drawn for each attribute anew.
    """
    parameter_ranges.check("n_counterfactual", n, "in [1, inf)")
    for name in {*attributes} - {CONTROL}:
        parameter_ranges.check("attributes", name, f"one of {', '.join(ATTRIBUTES)}")
    base = random_base(rng)
    order = cases.iloc[random_stream(base, "order").permutation(len(cases))].to_dict("records")
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    made: list[dict] = []
    for attribute in attributes:
        stream = random_stream(base, attribute)
        found = [versions for case in order if (versions := _versions(case, attribute, texts, stream))]
        found.sort(key=lambda versions: versions[0]["wording"] != MENTION)
        made += [row for versions in found[:n] for row in versions]
    made.sort(key=lambda row: row["parent_id"])  # like answers side by side: each is judged once
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return case_table.cases_frame(made, extra=[*extra, *EXTRA])


def _versions(case: dict, attribute: str, texts: Mapping[str, str], rng: np.random.Generator) -> list[dict]:
    """The question once for each group of the attribute; none where the swap might change what is asked."""
    question, spoken = case["question"], (attribute, case["language"])
    fitting = [one for one in personas() if (one.attribute, one.language) == spoken]
    if not fitting or not _may_be_swapped(case, attribute, texts):
        return []
    listed = [one for one in _mentions() if (one.attribute, one.language) == spoken]
    mentioned = [one for one in listed if _any_of(one.groups.values()).search(question)]
    if not mentioned:
        chosen = fitting[int(rng.integers(len(fitting)))]
        asked = {group: f"{said} {question}" for group, said in chosen.groups.items()}
    else:
        own = {
            group
            for one in mentioned
            for group, word in one.groups.items()
            if _any_of([word]).search(question)
        }
        if len(own) > 1 or _listed("unsafe_mentions", *spoken).search(question):
            return []
        groups = dict.fromkeys(group for one in mentioned for group in one.groups)
        asked = {group: _swap_mentions(question, mentioned, group) for group in groups}
    kind, wording = f"counterfactual: {attribute}", MENTION if mentioned else PERSONA
    return [
        case_table.varied_case(case, kind, f"{attribute}-{place}", text)
        | {"attribute": attribute, "swapped_to": group, "wording": wording}
        for place, (group, text) in enumerate(asked.items(), start=1)
    ]


def _may_be_swapped(case: Mapping, attribute: str, texts: Mapping[str, str]) -> bool:
    """Whether a customer asks it on its own, and nothing of it speaks of the attribute."""
    if not case["answerable"] or not is_blank(case.get("conversation_id")) or case.get("segment") == STAFF:
        return False
    answer, named = case.get("reference_answer"), case.get("reference_chunk_ids")
    said = [case["question"], "" if is_blank(answer) else str(answer)]
    said += [texts.get(name, "") for name in (() if named is None else named)]
    return not any(map(_listed("meaning_words", attribute).search, said))


def _swap_mentions(question: str, mentioned: Sequence[Wording], group: str) -> str:
    """The question with every mention of a group in the words of `group`; a capital stays one."""
    told: dict[str, str] = {}
    for one in mentioned:
        for word in one.groups.values():
            told.setdefault(word.casefold(), one.groups[group])

    def swapped(found: re.Match) -> str:
        word = told[" ".join(found[0].split()).casefold()]
        return word[0].upper() + word[1:] if found[0][0].isupper() else word

    return _any_of(told).sub(swapped, question)
