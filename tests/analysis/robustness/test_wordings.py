"""Whether it depends on its wording if a question is answered rightly: a check an origin."""

import numpy as np
import pandas as pd
import pytest

from analysis.test_blame_tables import judged_wordings, rng
from ragassay.analysis import blame_tables
from ragassay.analysis.robustness import wordings
from ragassay.cases.case_origins import GENERATED, OWN


def cases(*origins: str) -> pd.DataFrame:
    """One question for each of these origins, `c0`, `c1` and so on."""
    ids = [f"c{n}" for n in range(len(origins))]
    return pd.DataFrame({"case_id": ids, "origin": list(origins)})


def two_origins() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Thirty own questions that fall in two of three other wordings, thirty generated ones that do not."""
    weak, sound = judged_wordings(30, (1, 0, 0, 1)), judged_wordings(30, (1, 1, 1, 1))
    for name in ("case_id", "parent_id", "group_id"):
        sound[name] = sound[name].str.replace(r"c(\d+)", lambda found: f"c{int(found[1]) + 30}", regex=True)
    sound["question"] += " again"
    return pd.concat([weak, sound], ignore_index=True), cases(*[OWN] * 30, *[GENERATED] * 30)


def test_a_module_at_fault_is_a_finding():
    found = blame_tables.diagnose_wordings(judged_wordings(40, (1, 0, 0, 1)), rng=rng())
    row = wordings.check_wordings(found, 0.8)
    assert (row["outcome"], row["n"], row["cases"]) == ("raised", 160, 64)
    assert len(row["case_ids"]) == 64
    assert wordings.check_wordings(found, 0.4)["outcome"] == "clear"


@pytest.mark.parametrize(
    "made", [judged_wordings(3, (1,)), judged_wordings(3, (1, 1), correct=np.nan)], ids=["one wording", "not judged"]
)  # fmt: skip
def test_where_nothing_was_asked_in_several_wordings(made):
    [row] = wordings.wordings_checks(made, cases(*[OWN] * 3), 0.8, seed=0).to_dict("records")
    assert row["outcome"] == "not applicable" and row["reason"] == blame_tables.NO_GROUP
    assert row["aspect"] == "all"


def test_easy_questions_of_one_origin_do_not_lift_another():
    """Formerly one test of the pool: a weak origin among sound ones was no finding."""
    judged, asked = two_origins()
    found = wordings.wordings_checks(judged, asked, 0.75, seed=0).set_index("aspect")
    assert found["outcome"].to_dict() == {OWN: "raised", GENERATED: "clear"}
    pool = blame_tables.diagnose_wordings(judged, rng=rng())
    assert wordings.check_wordings(pool, 0.75)["outcome"] != "raised"
    alone = blame_tables.diagnose_wordings(judged.head(120), rng=rng()).figures["robustness"]
    assert found.loc[OWN, "low"] <= alone.low and found.loc[OWN, "high"] > alone.high, "wider, for two tests"


def test_the_module_that_fails_in_wordings_of_questions_that_another_wording_answers():
    found = wordings.failing_modules(judged_wordings(40, (1, 0, 0, 1)), seed=0)
    assert found["value"].sum() == pytest.approx(1) and (found["n"] == 64).all()
    assert wordings.failing_modules(judged_wordings(3, (1, 1)), seed=0).empty
