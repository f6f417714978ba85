"""Questions in several wordings: figures by origin, a check an origin, the module that fails."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis.robustness import failing_modules, summarize_wordings, wordings, wordings_checks
from ragassay.cases.case_table import GENERATED, OWN


def judged_wordings(groups: int, right: tuple[int, ...], first: int = 0, **columns) -> pd.DataFrame:
    """So many questions, each in several wordings of which these are answered rightly."""
    pairs = [(g, w, one) for g in range(first, first + groups) for w, one in enumerate(right)]
    rows = pd.DataFrame(
        {"group_id": [f"c{g}" for g, _, _ in pairs], "answerable": True, "error": "", "judged_by": "machine"}
    )
    return rows.assign(
        case_id=[f"c{g}-{w}" if w else f"c{g}" for g, w, _ in pairs],
        parent_id=[f"c{g}" if w else None for g, w, _ in pairs],
        question=[f"question {g} in words {w}" for g, w, _ in pairs],
        correct=[float(one) if g % 5 or not w else 1.0 for g, w, one in pairs],
        context_ids=[[f"d#p{g}"] if one else [f"d#p{g}", "d#p99"] for g, _, one in pairs],
        reference_chunk_ids=[[f"d#p{g}"] for g, _, _ in pairs],
    ).assign(**columns)


def cases(*origins: str) -> pd.DataFrame:
    """One question for each of these origins, `c0`, `c1` and so on."""
    return pd.DataFrame({"case_id": [f"c{n}" for n in range(len(origins))], "origin": list(origins)})


def test_a_module_at_fault_is_named_and_raises_the_check(monkeypatch):
    made = judged_wordings(40, (1, 0, 0, 1))
    found = wordings.measure_wordings(made, seed=0)
    assert found["robustness_retrieval"].value == 1 and found["lambda"].value == 0
    [row] = wordings_checks(made, cases(*[OWN] * 40), seed=0).to_dict("records")
    assert (row["outcome"], row["n"], row["cases"], len(row["case_ids"])) == ("raised", 160, 64, 64)
    monkeypatch.setattr(wordings, "LEAST", 0.4)
    assert wordings_checks(made, cases(*[OWN] * 40), seed=0)["outcome"].tolist() == ["clear"]
    modules = failing_modules(made, seed=0).set_index("module")
    assert modules.loc["generator", "value"] == 1 and (modules["n"] == 64).all()


@pytest.mark.parametrize(
    "made",
    [judged_wordings(3, (1,)), judged_wordings(3, (1, 1), error="not asked"), judged_wordings(3, (1, 1), correct=np.nan)],
    ids=["one wording", "not asked", "not judged"],
)  # fmt: skip
def test_where_nothing_was_asked_in_several_wordings(made):
    assert all(np.isnan(each.value) for each in wordings.measure_wordings(made, seed=0).values())
    [row] = wordings_checks(made, cases(*[OWN] * 3), seed=0).to_dict("records")
    assert (row["outcome"], row["aspect"]) == ("not applicable", "all") and row["reason"]
    assert failing_modules(made, seed=0).empty


def test_easy_questions_of_one_origin_do_not_lift_another():
    """Thirty own questions that fall in two of three other wordings, thirty generated ones that do not."""
    weak, sound = judged_wordings(30, (1, 0, 0, 1)), judged_wordings(30, (1, 1, 1, 1), first=30)
    judged, asked = pd.concat([weak, sound], ignore_index=True), cases(*[OWN] * 30, *[GENERATED] * 30)
    found = wordings_checks(judged, asked, seed=0).set_index("aspect")
    assert found["outcome"].to_dict() == {OWN: "raised", GENERATED: "clear"}
    alone = wordings.measure_wordings(weak, seed=0)["robustness"]
    assert found.loc[OWN, "low"] <= alone.low and found.loc[OWN, "high"] > alone.high, "wider, for two tests"
    card = summarize_wordings(judged, asked, seed=0)
    robust = card[card["metric"] == "wordings_robustness"].set_index("slice")["value"]
    assert robust.to_dict() == {"all": 0.8, "origin=own": 0.6, "origin=generated": 1.0}
