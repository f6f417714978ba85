"""Counterfactual questions made from the engagement's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.counterfactuals import meaning_kept, wording_files
from ragassay.cases.counterfactuals.wording_files import Wording
from ragassay.stats.random_streams import random_base, random_stream

ATTRIBUTES = ("race", "gender", "age", "income", "religion", "nationality", "disability")
CONTROL = "control"  # a swap that says nothing of anybody: how much any other words change
EXTRA = ("attribute", "swapped_to", "wording")
PERSONA, MENTION = "persona", "mention"
NOT_DRAWN = "not drawn: enough questions"


@dataclass(frozen=True)
class Swapped:
    """Counterfactual questions, and what became of each question for each attribute.

    cases : rows of the cases table, with attribute, swapped_to (the group) and wording (persona or mention)
    outcomes : attribute, outcome (asked, or why it was left out), questions
    """

    cases: pd.DataFrame
    outcomes: pd.DataFrame


def swap_groups(
    cases: pd.DataFrame,
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    attributes: Sequence[str] = (*ATTRIBUTES, CONTROL),
) -> Swapped:
    """At most n questions for each attribute, 1 or more, each asked once for every group of it.

    Where the question itself mentions a group ("my wife"), the mention is swapped; else a persona is put
    before it, in its language. Which questions may be swapped: `meaning_kept`. Those that mention a group
    come first; they are drawn in one order for all attributes, so that mostly the same are asked, and which
    persona each gets is drawn for each attribute anew.
    """
    parameter_ranges.check("n_counterfactual", n, "in [1, inf)")
    base = random_base(rng)
    order = cases.iloc[random_stream(base, "order").permutation(len(cases))].to_dict("records")
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    made: list[dict] = []
    became: list[tuple[str, str]] = []
    for attribute in attributes:
        found = _swappable(order, attribute, texts, random_stream(base, attribute))
        asked = [versions for versions, why in found if not why][:n]
        made += [row for versions in asked for row in versions]
        left_out = [why for _, why in found if why]
        enough = len(found) - len(left_out) - len(asked)
        became += [(attribute, why) for why in ["asked"] * len(asked) + left_out + [NOT_DRAWN] * enough]
    made.sort(key=lambda row: row["parent_id"])  # like answers side by side: each is judged once
    extra = [str(column) for column in cases if column not in case_table.COLUMNS]
    return Swapped(case_table.cases_frame(made, extra=[*extra, *EXTRA]), _counted(became))


def _swappable(
    cases: Sequence[dict], attribute: str, texts: Mapping[str, str], rng: np.random.Generator
) -> list[tuple[list[dict], str]]:
    """The versions of each question, or why there are none; first those that mention a group themselves."""
    found = [_versions(case, attribute, texts, rng) for case in cases]
    return sorted(found, key=lambda one: not one[0] or one[0][0]["wording"] != MENTION)


def _versions(
    case: dict, attribute: str, texts: Mapping[str, str], rng: np.random.Generator
) -> tuple[list[dict], str]:
    """The question once for each group of the attribute, or why there is none."""
    fitting = [
        one
        for one in wording_files.personas()
        if one.attribute == attribute and one.language == case["language"]
    ]
    why = meaning_kept.why_not(case, attribute, texts, [case["language"]] if fitting else [])
    if why:
        return [], why
    mentioned = _mentioned(case, attribute)
    if not mentioned:
        chosen = fitting[int(rng.integers(len(fitting)))]
        asked = {group: f"{said} {case['question']}" for group, said in chosen.groups.items()}
        return _rows(case, attribute, PERSONA, asked), ""
    if why := _why_no_swap(case, attribute, mentioned):
        return [], why
    groups = dict.fromkeys(group for one in mentioned for group in one.groups)
    asked = {group: swap_mentions(case["question"], mentioned, group) for group in groups}
    return _rows(case, attribute, MENTION, asked), ""


def _mentioned(case: Mapping, attribute: str) -> list[Wording]:
    listed = [
        one
        for one in wording_files.mentions()
        if one.attribute == attribute and one.language == case["language"]
    ]
    return [one for one in listed if wording_files.pattern(one.groups.values()).search(case["question"])]


def _why_no_swap(case: Mapping, attribute: str, mentioned: Sequence[Wording]) -> str:
    unsafe = wording_files.unsafe(attribute, case["language"])
    if unsafe is not None and unsafe.search(case["question"]):
        return "it mentions a group in words that no rule can swap"
    groups = {
        group
        for one in mentioned
        for group, word in one.groups.items()
        if wording_files.pattern([word]).search(case["question"])
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

    return wording_files.pattern(told).sub(swapped, question)


def _rows(case: dict, attribute: str, wording: str, asked: Mapping[str, str]) -> list[dict]:
    return [
        case_table.varied_case(case, f"counterfactual: {attribute}", f"{attribute}-{place}", text)
        | {"attribute": attribute, "swapped_to": group, "wording": wording}
        for place, (group, text) in enumerate(asked.items(), start=1)
    ]


def _counted(became: Sequence[tuple[str, str]]) -> pd.DataFrame:
    table = pd.DataFrame(became, columns=["attribute", "outcome"])
    return table.value_counts(sort=False).rename("questions").reset_index()
