"""Which case of one run is the same case in the other: the same question, with the same history and passages.

A case keeps its id from run to run where its question is the user's; generated questions may be other ones
under an id of before. So the texts decide: two cases are paired if what is asked is the same, letter for
letter but for spaces at the ends. Where a text stands several times, those of one id are paired, and the rest
is left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ragassay.diff.run_side import Side

QUESTIONS = "questions"  # the part of the table `cases` that is no part
NEEDS = ("case_id", "question")


@dataclass(frozen=True)
class Pairs:
    """cases : part, case_a, case_b, question; "" on the side that did not ask it
    cases_a, cases_b : every case of either run, with `part`, `shared` (whether it is paired) and `pair`, the
        case of B
    """

    cases: pd.DataFrame
    cases_a: pd.DataFrame
    cases_b: pd.DataFrame

    def both(self) -> pd.DataFrame:
        """The cases that both runs asked."""
        return self.cases[(self.cases["case_a"] != "") & (self.cases["case_b"] != "")]

    def counts(self) -> pd.DataFrame:
        """part, both, only_a, only_b: how many cases."""
        of = self.cases.assign(
            both=(self.cases["case_a"] != "") & (self.cases["case_b"] != ""),
            only_a=self.cases["case_b"] == "",
            only_b=self.cases["case_a"] == "",
        )
        return of.groupby("part", sort=False)[["both", "only_a", "only_b"]].sum().astype(int).reset_index()


def pair_cases(a: Side, b: Side) -> Pairs:
    """Every case of two runs, paired where both asked the same; part by part of the table `cases`."""
    of_a, of_b = _cases(a), _cases(b)
    parts = list(dict.fromkeys([*of_a["part"], *of_b["part"]]))
    rows = [
        pair
        for part in parts
        for pair in _paired(part, of_a[of_a["part"] == part], of_b[of_b["part"] == part])
    ]
    cases = pd.DataFrame(rows, columns=["part", "case_a", "case_b", "question"])
    both = cases[(cases["case_a"] != "") & (cases["case_b"] != "")]
    pair_of_a = of_a["case_id"].map(dict(zip(both["case_a"], both["case_b"], strict=True)))
    is_b = of_b["case_id"].isin(both["case_b"])
    return Pairs(
        cases,
        of_a.assign(pair=pair_of_a.fillna(""), shared=pair_of_a.notna()),
        of_b.assign(pair=of_b["case_id"].where(is_b, ""), shared=is_b),
    )


def _cases(side: Side) -> pd.DataFrame:
    tables = [
        side.read_rows("cases", part, needs=NEEDS).assign(part=part or QUESTIONS)
        for part in side.parts("cases")
        if part != "rejected_variants"
    ]
    found = [table for table in tables if len(table)]
    every = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=[*NEEDS, "part"])
    every = every.drop_duplicates("case_id", ignore_index=True)
    rows = every.to_dict("records")  # what the assistant was given: question, history, passages
    given = [(str(r["question"]).strip(), _texts(r.get("history")), _texts(r.get("passages"))) for r in rows]
    return every.assign(text=given)


def _texts(value: object) -> str:
    is_list = isinstance(value, list | tuple | np.ndarray)
    return "\n".join(map(str, value)) if is_list else ""  # type: ignore[call-overload]


def _paired(part: str, a: pd.DataFrame, b: pd.DataFrame) -> Iterable[tuple[str, str, str, str]]:
    """Rows of the pairs of one part: those of one id and text, those of one text, and what is left."""
    texts_a, texts_b = (
        dict(zip(a["case_id"], a["text"], strict=True)),
        dict(zip(b["case_id"], b["text"], strict=True)),
    )
    found = {case: case for case, text in texts_a.items() if texts_b.get(case) == text}
    alone_a, alone_b = _alone(texts_a, found.keys()), _alone(texts_b, found.values())
    found |= {alone_a[text]: alone_b[text] for text in alone_a.keys() & alone_b.keys()}
    taken = set(found.values())
    for case, text in texts_a.items():
        yield part, case, found.get(case, ""), text[0]
    for case, text in texts_b.items():
        if case not in taken:
            yield part, "", case, text[0]


def _alone(texts: dict[str, tuple], taken: Iterable[str]) -> dict[tuple, str]:
    """Text -> case, of the cases not taken yet, where the text stands once."""
    left = [(text, case) for case, text in texts.items() if case not in set(taken)]
    times = pd.Series([text for text, _ in left], dtype=object).value_counts()
    return {text: case for text, case in left if times[text] == 1}
