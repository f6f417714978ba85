"""Further answers to the same question, beside each answer: what `self_check` compares."""

from collections import defaultdict

import pandas as pd

from ragassay.tables import is_blank


def add_other_answers(answers: pd.DataFrame, cases: pd.DataFrame | None = None) -> pd.DataFrame:
    """The first answer to each case of each system with `other_answers`: its repeats, then the first answers
    to the other wordings of its group (`group_id` and `parent_id` of the cases, where they are given).
    Answers that ended in an error are no further answers."""
    group = _groups(cases)
    rows = answers.assign(group=[group.get(one, one) for one in answers["case_id"]])
    by_group = defaultdict(list)
    for row in rows[rows["error"].map(is_blank)].to_dict("records"):
        by_group[row["system"], row["group"]].append(row)
    first = rows.sort_values("repeat", kind="stable").drop_duplicates(["case_id", "system"]).sort_index()
    others = [
        _others(row, by_group.get((row["system"], row["group"]), [])) for row in first.to_dict("records")
    ]
    return first.assign(other_answers=others).drop(columns="group")


def _groups(cases: pd.DataFrame | None) -> dict[str, str]:
    """The group of each case: its parent's, if it varies one, else its own."""
    rows = [] if cases is None else cases.to_dict("records")
    own = {row["case_id"]: _given(row, "group_id") or row["case_id"] for row in rows}
    parents = {row["case_id"]: _given(row, "parent_id") for row in rows}
    return {case: own.get(parent, parent) if parent else own[case] for case, parent in parents.items()}


def _given(row: dict, name: str) -> str:
    return "" if is_blank(row.get(name)) else str(row[name])


def _others(row: dict, group: list[dict]) -> list[str]:
    own = [one["answer"] for one in group if _is_of(one, row) and one["repeat"] != row["repeat"]]
    wordings: dict[str, str] = {}
    for one in group:
        if not _is_of(one, row):
            wordings.setdefault(one["case_id"], one["answer"])
    return [*own, *wordings.values()]


def _is_of(one: dict, row: dict) -> bool:
    return one["case_id"] == row["case_id"]
