"""Questions that differ in the customer alone, and questions in the form of BBQ.

Counterfactual ones are the engagement's own, asked again by or about somebody of another group; a user may
edit their wordings (`cases/data/counterfactuals/`). Versions that differ in the group only are compared with
each other, never with the question as it stood: to put anything before a question moves what a retriever
finds, whoever is named.

BBQ (Parrish et al. 2022, ACL Findings): two people, a context that does not say
which of them it was (ambiguous) or says so (disambiguated), a question for the one of whom a stereotype tells
ill (neg) or for the other (nonneg).

Our own set, in a bank (`cases/data/bank_bbq.jsonl`): eight to a scenario. The stereotype holds in half of
them, and who is named first is the one of whom the ill is true in every second scenario only, so that an
assistant that names the first, or the last, shows no bias and is right in half.

Or the user's own copy of BBQ (nyu-mll/BBQ, CC BY 4.0), read where it lies: its JSON Lines as published, a
file or a folder. Which option a stereotype is about stands in `target_loc` of the authors'
additional_metadata.csv; without it in the folder the accuracy can be measured, the bias cannot.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel

from ragassay import parameter_ranges, provenance
from ragassay.cases import case_table
from ragassay.documents.record_files import whole_records
from ragassay.errors import InputError
from ragassay.stats import random_base, random_stream
from ragassay.tables import is_blank

ATTRIBUTES = ("race", "gender", "age", "income", "religion", "nationality", "disability")
STAFF = "staff"  # the segment of questions that no customer asks
CONTROL = "control"  # a swap that says nothing of anybody: how much any other words change
PERSONA, MENTION = "persona", "mention"
AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"
NEGATIVE, NON_NEGATIVE = "neg", "nonneg"
UNKNOWN = "unknown"
UNKNOWNS = (  # as the authors list them
    "unknown", "cannot be determined", "can't be determined", "not answerable", "not known",
    "not enough info", "not enough information", "cannot answer", "can't answer", "undetermined",
)  # fmt: skip
EXTRA = ["category", "condition", "polarity", "options", "right", "target"]


def bias_questions(
    path: str, n: int, rng: np.random.Generator, *, with_passages: bool = True
) -> pd.DataFrame:
    """About n questions, in blocks of four, drawn in turn from every category and scenario, as cases of kind
    `bias: ambiguous` and `bias: disambiguated`; the group is the scenario.

    Parameters
    ----------
    path : of a copy of BBQ, file or folder; "" takes our own set
    n : 1 or more, else ParameterError
    with_passages : whether the assistant takes passages: then the context is one; else it stands before the
        question

    >>> bias_questions("", 8, np.random.default_rng(0))["kind"].value_counts().to_dict()
    {'bias: ambiguous': 4, 'bias: disambiguated': 4}
    """
    parameter_ranges.check("n_bias_questions", n, "in [1, inf)")
    questions = read_bbq(path) if path else bank_questions()
    blocks = questions[["block", "scenario", "category"]].value_counts(sort=False)
    blocks = blocks.rename("size").reset_index().iloc[rng.permutation(len(blocks))]
    for inside in ("scenario", "category"):  # in turn from each category, in it from each scenario
        blocks = blocks.assign(turn=blocks.groupby(inside).cumcount()).sort_values("turn", kind="stable")
    before = blocks["size"].cumsum() - blocks["size"]
    drawn = questions[questions["block"].isin(blocks.loc[before < n, "block"])]
    rows = []
    for one in drawn.to_dict("records"):
        answerable = one["right"] != UNKNOWN
        row = {name: one[name] for name in EXTRA} | {
            "case_id": f"b-{one['question_id']}",
            "question": one["question"] if with_passages else f"{one['context']} {one['question']}",
            "answer_type": "short_fact" if answerable else "no_answer",
            "query_type": "inference",
            "answerable": answerable,
            "reference_answer": one["right"] if answerable else None,
            "group_id": one["scenario"],
            "kind": f"bias: {one['condition']}",
        }
        if with_passages:
            row |= {"passages": [one["context"]], "passage_ids": [f"{one['question_id']}#p1"]}
        rows.append(row)
    return case_table.cases_frame(rows, extra=EXTRA)


def bank_questions() -> pd.DataFrame:
    """Every question of our set: question_id; scenario, what was drawn independently (the questions of one
    template); block, the four of one pair of contexts; category, condition, polarity, context, question;
    options, the two people as the context names them; right, the option that the context gives, or UNKNOWN;
    target, the option that the stereotype is about, "" where the source does not say."""
    rows = []
    for number, row in enumerate(case_table.data_rows("bank_bbq")):
        for holds, condition, polarity in product(
            (True, False), (AMBIGUOUS, DISAMBIGUATED), (NEGATIVE, NON_NEGATIVE)
        ):
            hit, missed = (row["target"], row["other"]) if holds else (row["other"], row["target"])
            first, second = (hit, missed) if number % 2 else (missed, hit)
            named = {"first": first, "second": second, "hit": hit, "missed": missed}
            named |= {name.capitalize(): who[0].upper() + who[1:] for name, who in named.items()}
            text = row["context"] if condition == AMBIGUOUS else f"{row['context']} {row['detail']}"
            known = hit if polarity == NEGATIVE else missed
            rows.append(
                {
                    "question_id": f"{row['scenario']}-{'as' if holds else 'un'}-{condition[:3]}-{polarity}",
                    "scenario": row["scenario"],
                    "block": f"{row['scenario']}-{holds}",
                    "category": row["category"],
                    "condition": condition,
                    "polarity": polarity,
                    "context": text.format_map(named),
                    "question": row[polarity],
                    "options": [first, second],
                    "right": UNKNOWN if condition == AMBIGUOUS else known,
                    "target": row["target"],
                }
            )
    return pd.DataFrame(rows)


class Record(BaseModel):
    """One line of BBQ."""

    example_id: int
    question_index: str | int
    category: str
    question_polarity: Literal["neg", "nonneg"]
    context_condition: Literal["ambig", "disambig"]
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    label: Literal[0, 1, 2]

    @property
    def answers(self) -> list[str]:
        """The three answers; UNKNOWN in place of one that says that it cannot be known."""
        given = (self.ans0, self.ans1, self.ans2)
        return [UNKNOWN if answer.casefold().strip(" .") in UNKNOWNS else answer for answer in given]


def read_bbq(path: str) -> pd.DataFrame:
    """Every question of a copy of BBQ, in the columns of `bank_questions`.

    The four questions of one context pair belong together, and so do all pairs of one template.

    Raises
    ------
    InputError
        If nothing lies there, or a line is no BBQ record; it names file and line.
    """
    place = provenance.reads_input(path)
    folder = place if place.is_dir() else place.parent
    files = [place] if place.is_file() else sorted(place.rglob("*.jsonl"))
    records = []
    for row, where, *_ in (one for file in files for one in whole_records(file)):
        try:
            records.append(Record.model_validate(row))
            if records[-1].answers.count(UNKNOWN) != 1:
                raise ValueError(f"one unknown answer is needed: {' | '.join(records[-1].answers)}")
        except ValueError as why:
            raise InputError("a line is no record of BBQ", where=where, found=f"{why!s:.300}") from None
    if not records:
        raise InputError(
            "there are no questions of BBQ", where=place, do="name a .jsonl, a folder of them, or none"
        )
    table = next(iter(sorted(folder.rglob("additional_metadata.csv"))), None)
    stated = pd.DataFrame() if table is None else pd.read_csv(table).dropna(subset=["target_loc"])
    targets = {(row.category, int(row.example_id)): int(row.target_loc) for row in stated.itertuples()}
    rows = []
    for one in records:
        block, at = one.example_id // 4, targets.get((one.category, one.example_id))
        target = UNKNOWN if at is None else one.answers[at]
        rows.append(
            {
                "question_id": f"{one.category}-{one.example_id}",
                "scenario": f"{one.category}: {one.question_index}",
                "block": f"{one.category}: {block}",
                "category": one.category,
                "condition": AMBIGUOUS if one.context_condition == "ambig" else DISAMBIGUATED,
                "polarity": one.question_polarity,
                "context": one.context,
                "question": one.question,
                "options": [answer for answer in one.answers if answer != UNKNOWN],
                "right": one.answers[one.label],
                "target": "" if target == UNKNOWN else target,
            }
        )
    return pd.DataFrame(rows)


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
    """At most n questions for each attribute, 1 or more, each asked once for every group of it;
    ParameterError for another n or an attribute that is none of ATTRIBUTES.

    Where the question itself mentions a group ("my wife"), the mention is swapped; else a persona is put
    before it, in its language. Left out are questions whose answer the attribute may change (the question,
    its reference answer or a passage that answers it speaks of it), and those without an answer, of staff,
    within a conversation, or in a language without wordings. Those that mention a group come first; they are
    drawn in one order for all attributes, so that mostly the same are asked, and which persona each gets is
    drawn for each attribute anew.

    Example: `swap_groups(run.cases(), run.chunks(), 10, np.random.default_rng(0)).swapped_to`
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
    fitting = [row["groups"] for row in wordings("personas", *spoken)]
    answer, named = case.get("reference_answer"), case.get("reference_chunk_ids")
    said = [question, "" if is_blank(answer) else str(answer)]
    said += [texts.get(name, "") for name in (() if named is None else named)]
    by_a_customer = (
        case["answerable"] and case.get("segment") != STAFF and is_blank(case.get("conversation_id"))
    )
    if not fitting or not by_a_customer or any(map(_listed("meaning_words", attribute).search, said)):
        return []
    rows = wordings("mentions", *spoken)
    mentioned = [row["groups"] for row in rows if _any_of(row["groups"].values()).search(question)]
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


def _swap_mentions(question: str, mentioned: Sequence[Mapping[str, str]], group: str) -> str:
    """The question with every mention of a group in the words of `group`; a capital stays one."""
    new = {word.casefold(): one[group] for one in reversed(mentioned) for word in one.values()}

    def swapped(found: re.Match) -> str:
        word = new[" ".join(found[0].split()).casefold()]
        return word[0].upper() + word[1:] if found[0][0].isupper() else word

    return _any_of(new).sub(swapped, question)
