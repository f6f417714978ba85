"""SelfCheck: does the assistant say the same each time? (GRAMMAR 4.1, after Manakul et al. 2023)

What is made up comes out differently each time; what is known, alike. It needs no reference and no passage:
only further answers to the same question, sampled again or asked for in other words.
"""

import pandas as pd

from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.same_answer import compare
from ragassay.scores.shared_instruments import Tools
from ragassay.tables import is_blank


def self_check(sample: Sample, tools: Tools, verdict: str = "all") -> Result:
    """1 if every further answer says the same, else 0, or the share of those that do, in [0, 1]; higher is
    better; one record per further answer.

    Source: GRAMMAR 4.1: "correct if it aligns consistently across all stochastic samples".
    """
    others = sample.other_answers or ()
    if not others:
        raise NotApplicable("there is no further answer to the question")
    found = [compare(sample.answer or "", other, sample.language, tools) for other in others]
    detail = [
        {"text": other, "score": float(one.same), "why": one.why}
        for other, one in zip(others, found, strict=True)
    ]
    same = [one.same for one in found]
    return sum(same) / len(same) if verdict == "share" else float(all(same)), detail


def add_other_answers(answers: pd.DataFrame, cases: pd.DataFrame | None = None) -> pd.DataFrame:
    """The first answer to each case of each system with `other_answers`: its repeats, then the first answers
    to the other wordings of its group (`group_id` and `parent_id` of the cases, where they are given).
    Answers that ended in an error are no further answers."""
    groups = _groups(cases)
    rows = answers.assign(group=[groups.get(one, one) for one in answers["case_id"]])
    answered = rows[rows["error"].map(is_blank)]
    beside = dict(list(answered.groupby(["system", "group"], sort=False)))
    first = rows.sort_values("repeat", kind="stable").drop_duplicates(["case_id", "system"]).sort_index()
    others = []
    for row in first.to_dict("records"):
        group = beside.get((row["system"], row["group"]), answered[:0])
        own = group["case_id"] == row["case_id"]
        repeats, wordings = group[own & (group["repeat"] != row["repeat"])], group[~own]
        others.append([*repeats["answer"], *wordings.drop_duplicates("case_id")["answer"]])
    return first.assign(other_answers=others).drop(columns="group")


def _groups(cases: pd.DataFrame | None) -> dict[str, str]:
    """The group of each case: its parent's, if it varies one, else its own."""
    rows = [] if cases is None else cases.to_dict("records")
    own = {row["case_id"]: _given(row, "group_id") or row["case_id"] for row in rows}
    parents = {row["case_id"]: _given(row, "parent_id") for row in rows}
    return {case: own.get(parent, parent) if parent else own[case] for case, parent in parents.items()}


def _given(row: dict, name: str) -> str:
    return "" if is_blank(row.get(name)) else str(row[name])
