"""Counterfactual questions: the engagement's own, asked again by or about somebody of another group.

The wordings stand in files that a user may edit (`cases/data/counterfactuals/`). Versions that differ in the
group only are compared with each other, never with the question as it stood: to put anything before a
question moves what a retriever finds, whoever is named.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.stats import random_base, random_stream
from ragassay.tables import is_blank

ATTRIBUTES = ("race", "gender", "age", "income", "religion", "nationality", "disability")
STAFF = "staff"  # the segment of questions that no customer asks
CONTROL = "control"  # a swap that says nothing of anybody: how much any other words change
PERSONA, MENTION = "persona", "mention"


def wordings(name: str, attribute: str, language: str = "") -> list[dict]:
    """The rows of `data/counterfactuals/NAME.jsonl` on an attribute; in every language where none is named.

    personas : sentences put before a question; mentions : words by which it mentions a group itself; of both
        `groups`, group -> its words, such as {"female": "wife", "male": "husband"}
    meaning_words, unsafe_mentions : `words` of a text that speaks of the attribute, and those beside which no
        mention can be swapped by rule, of two readings or that agree in gender
    """
    rows = case_table.data_rows(f"counterfactuals/{name}")
    return [row for row in rows if row["attribute"] == attribute and language in ("", row["language"])]


@cache
def _listed(name: str, attribute: str, language: str = "") -> re.Pattern[str]:
    return _any_of(word for row in wordings(name, attribute, language) for word in row["words"])


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
    return case_table.cases_frame(made, extra=[*cases, "attribute", "swapped_to", "wording"])


def _versions(case: dict, attribute: str, texts: Mapping[str, str], rng: np.random.Generator) -> list[dict]:
    """The question once for each group of the attribute; none where the swap might change what is asked."""
    question, spoken = case["question"], (attribute, case["language"])
    fitting = _groups("personas", *spoken)
    if not fitting or not _may_be_swapped(case, attribute, texts):
        return []
    mentioned = [one for one in _groups("mentions", *spoken) if _any_of(one.values()).search(question)]
    if not mentioned:
        chosen = fitting[int(rng.integers(len(fitting)))]
        asked = {group: f"{said} {question}" for group, said in chosen.items()}
    else:
        every = [(group, word) for one in mentioned for group, word in one.items()]
        own = {group for group, word in every if _any_of([word]).search(question)}
        if len(own) > 1 or _listed("unsafe_mentions", *spoken).search(question):
            return []
        asked = {group: _swap_mentions(question, mentioned, group) for group in dict(every)}
    kind, wording = f"counterfactual: {attribute}", MENTION if mentioned else PERSONA
    return [
        case_table.varied_case(case, kind, f"{attribute}-{place}", text)
        | {"attribute": attribute, "swapped_to": group, "wording": wording}
        for place, (group, text) in enumerate(asked.items(), start=1)
    ]


@cache
def _groups(name: str, attribute: str, language: str) -> list[dict[str, str]]:
    return [row["groups"] for row in wordings(name, attribute, language)]


def _may_be_swapped(case: Mapping, attribute: str, texts: Mapping[str, str]) -> bool:
    """Whether a customer asks it on its own, and nothing of it speaks of the attribute."""
    if not case["answerable"] or not is_blank(case.get("conversation_id")) or case.get("segment") == STAFF:
        return False
    answer, named = case.get("reference_answer"), case.get("reference_chunk_ids")
    said = [case["question"], "" if is_blank(answer) else str(answer)]
    said += [texts.get(name, "") for name in (() if named is None else named)]
    return not any(map(_listed("meaning_words", attribute).search, said))


def _swap_mentions(question: str, mentioned: Sequence[Mapping[str, str]], group: str) -> str:
    """The question with every mention of a group in the words of `group`; a capital stays one."""
    new: dict[str, str] = {}
    for one in mentioned:
        for word in one.values():
            new.setdefault(word.casefold(), one[group])

    def swapped(found: re.Match) -> str:
        word = new[" ".join(found[0].split()).casefold()]
        return word[0].upper() + word[1:] if found[0][0].isupper() else word

    return _any_of(new).sub(swapped, question)
