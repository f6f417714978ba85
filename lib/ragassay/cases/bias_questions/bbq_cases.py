"""Questions in BBQ's form as cases."""

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.bias_questions.bank_bbq import bank_questions
from ragassay.cases.bias_questions.bbq_files import bbq_questions
from ragassay.cases.bias_questions.bbq_question import AMBIGUOUS, DISAMBIGUATED, UNKNOWN, BiasQuestion

EXTRA = ("category", "condition", "polarity", "options", "right", "target", "passages", "passage_ids")


def bias_questions(
    path: str, n: int, rng: np.random.Generator, *, with_passages: bool = True
) -> pd.DataFrame:
    """About n questions, in blocks of four, drawn in turn from every category and scenario, as cases of kind
    `bias: ambiguous` and `bias: disambiguated`; the group is the scenario.

    Parameters
    ----------
    path : of a copy of BBQ, file or folder; "" takes our own set
    with_passages : whether the assistant takes passages: then the context is one; else it stands before the
        question
    """
    parameter_ranges.check("n_bias_questions", n, "in [1, inf)")
    questions = bbq_questions(path) if path else bank_questions()
    chosen = _drawn(questions, n, rng)
    rows = [_row(one, with_passages) for one in questions if one.block in chosen]
    extra = EXTRA if with_passages else EXTRA[:-2]
    return case_table.cases_frame(rows, extra=extra)


def _drawn(questions: list[BiasQuestion], n: int, rng: np.random.Generator) -> set[str]:
    """Blocks of questions, a category after the other and a scenario after the other in each, until they hold
    n questions."""
    rows = pd.DataFrame([{"block": one.block, "of": one.scenario, "in": one.category} for one in questions])
    blocks = rows.value_counts(sort=False).rename("size").reset_index()
    blocks = blocks.iloc[rng.permutation(len(blocks))]
    blocks = blocks.assign(turn=blocks.groupby("of").cumcount()).sort_values("turn", kind="stable")
    blocks = blocks.assign(turn=blocks.groupby("in").cumcount()).sort_values("turn", kind="stable")
    before = blocks["size"].cumsum() - blocks["size"]
    return set(blocks[before < n]["block"])


def _row(one: BiasQuestion, with_passages: bool) -> dict:
    answerable = one.right != UNKNOWN
    asked = one.question if with_passages else f"{one.context} {one.question}"
    given = {"passages": [one.context], "passage_ids": [f"{one.question_id}#p1"]} if with_passages else {}
    return given | {
        "case_id": f"b-{one.question_id}",
        "question": asked,
        "answer_type": "short_fact" if answerable else "no_answer",
        "query_type": "inference",
        "answerable": answerable,
        "reference_answer": one.right if answerable else None,
        "group_id": one.scenario,
        "kind": f"bias: {one.condition}",
        "category": one.category,
        "condition": one.condition,
        "polarity": one.polarity,
        "options": list(one.options),
        "right": one.right,
        "target": one.target,
    }


__all__ = ["AMBIGUOUS", "DISAMBIGUATED", "UNKNOWN", "bias_questions"]
