"""What section 5.6 keeps: figures of wordings, shares of blame, rows of checks; of a run in which nothing failed, of
one that could not be asked, and of one with a module at fault."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import blame, blame_tables, failing_answer_facts


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def judged_wordings(groups: int, right: tuple[int, ...], **columns) -> pd.DataFrame:
    """So many questions, each in several wordings of which these are answered rightly."""
    rows = [
        {
            "case_id": f"c{g}-{w}" if w else f"c{g}",
            "parent_id": f"c{g}" if w else None,
            "group_id": f"c{g}",
            "question": f"question {g} in words {w}",
            "answerable": True,
            "correct": float(one) if g % 5 or not w else 1.0,
            "context_ids": [f"d#p{g}"] if one else [f"d#p{g}", "d#p99"],
            "reference_chunk_ids": [f"d#p{g}"],
            "error": "",
            "judged_by": "machine",
        }
        for g in range(groups)
        for w, one in enumerate(right)
    ]
    return pd.DataFrame(rows).assign(**columns)


def test_a_module_at_fault_is_named():
    found = blame_tables.diagnose_wordings(judged_wordings(40, (1, 0, 0, 1)), rng=rng())
    assert (
        found.defect.module == "generator" and found.kinds["non_robust"] == 32 and found.kinds["robust"] == 8
    )
    assert found.figures["robustness_retrieval"].value == 1 and found.figures["lambda"].value == 0


@pytest.mark.parametrize(
    "made",
    [judged_wordings(3, (1,)), judged_wordings(3, (1, 1), error="not asked"), judged_wordings(3, (1, 1), correct=np.nan)],
    ids=["one wording", "not asked", "not judged"],
)  # fmt: skip
def test_where_nothing_was_asked_in_several_wordings(made):
    found = blame_tables.diagnose_wordings(made, rng=rng())
    assert all(np.isnan(each.value) for each in found.figures.values())


def laid(*names: str) -> pd.DataFrame:
    ids = [f"c{i}" for i in range(len(names))]
    return pd.DataFrame({"case_id": ids, "blamed": list(names), "gold_retrieved": "part", "parent_id": None})


def test_shares_of_blame():
    """Of eight questions and another wording, which does not count: exact intervals."""
    rows = laid(*["generator"] * 2, *["retriever"] * 7)
    found = blame_tables.causes(rows, rows[["case_id"]].head(8))
    assert found["blamed"].tolist() == ["retriever", "generator"] and found["cases"].tolist() == [6, 2]
    assert found.loc[0, ["share", "low", "high"]].tolist() == pytest.approx([0.75, 0.349, 0.968], abs=0.001)
    assert found.loc[0, ["all", "part", "none", "not known"]].tolist() == [0, 6, 0, 0]


def test_questions_of_one_conversation_count_once():
    rows = laid(*["retriever"] * 45, *["generator"] * 45)
    apart = blame_tables.causes(rows, rows[["case_id"]])
    talked = blame_tables.causes(rows, rows[["case_id"]].assign(conversation_id=[i // 3 for i in range(90)]))
    assert (talked["high"] - talked["low"] > apart["high"] - apart["low"]).all()


def test_of_a_run_without_failures():
    assert blame_tables.causes(laid(), pd.DataFrame({"case_id": ["c0"]})).empty
    made = judged_wordings(3, (1, 1), correct=1.0, contexts=None, reference_answer=None, answer="a")
    known = failing_answer_facts.gather_evidence(
        made, pd.DataFrame({"chunk_id": ["d#p0"], "text": ["a fact"]})
    )
    assert (
        blame.blame(known).empty
        and failing_answer_facts.cases_with_evidence(known, known.assign(chunk_id="", text="")).empty
    )


def test_wordings_hide_no_failing_origin():
    """Nine of twelve own questions fail in half of their wordings, generated ones in none."""
    own, made = judged_wordings(12, (1, 0)), judged_wordings(12, (1, 1))
    for column in ("case_id", "parent_id", "group_id"):
        made[column] = made[column].where(made[column].isna(), "g" + made[column].astype(str))
    judged = pd.concat([own, made.assign(question="made " + made["question"])], ignore_index=True)
    first = judged[judged["parent_id"].isna() | (judged["parent_id"] == "")]
    cases = pd.DataFrame({"case_id": first["case_id"], "origin": ["own"] * 12 + ["generated"] * 12})
    card = blame_tables.summarize_by_origin(judged, cases, seed=0)
    robust = card[card["metric"] == "wordings_robustness"].set_index("slice")["value"]
    assert robust.to_dict() == {"all": 0.8125, "origin=own": 0.625, "origin=generated": 1.0}
