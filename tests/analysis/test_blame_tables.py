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


def test_ordinary_questions_are_told_from_further_wordings():
    judged = judged_wordings(3, (1, 0))
    found = blame_tables.diagnose_wordings(judged, rng=rng())
    said = blame_tables.wordings_in_words(found, judged)
    assert said.startswith("Of these 6 questions 3 are ordinary ones, 3 further wordings of them. Intervals")
    twice = pd.concat([judged, judged.tail(1).assign(case_id="again")], ignore_index=True)
    found = blame_tables.diagnose_wordings(twice, rng=rng())
    said = blame_tables.wordings_in_words(found, twice)
    assert "3 further wordings of them. Of 4 wordings drawn 1 are left out" in said
    assert (
        blame_tables.wordings_in_words(blame_tables.diagnose_wordings(judged.head(0), rng=rng()), judged)
        == ""
    )


def test_a_module_at_fault_is_named():
    found = blame_tables.diagnose_wordings(judged_wordings(40, (1, 0, 0, 1)), rng=rng())
    assert (
        found.defect.module == "generator" and found.kinds["non_robust"] == 32 and found.kinds["robust"] == 8
    )
    card = blame_tables.summarize_wordings(found).set_index("metric")["value"]
    assert card["wordings_robustness_retrieval"] == 1 and card["wordings_gap_share"] == 0


@pytest.mark.parametrize(
    "made",
    [judged_wordings(3, (1,)), judged_wordings(3, (1, 1), error="not asked"), judged_wordings(3, (1, 1), correct=np.nan)],
    ids=["one wording", "not asked", "not judged"],
)  # fmt: skip
def test_where_nothing_was_asked_in_several_wordings(made):
    found = blame_tables.diagnose_wordings(made, rng=rng())
    assert blame_tables.summarize_wordings(found)["value"].isna().all()


def laid(*names: str) -> pd.DataFrame:
    ids = [f"c{i}" for i in range(len(names))]
    return pd.DataFrame({"case_id": ids, "blamed": list(names), "gold_retrieved": "part", "parent_id": None})


def test_shares_of_blame():
    found = blame_tables.summarize_blame(laid(*["retriever"] * 6, *["generator"] * 2), rng=rng()).set_index(
        "blamed"
    )
    assert found["cases"].sum() == 8 and found.loc["retriever", "share"] == 0.75
    assert found.loc["faulty question", "high"] == pytest.approx(0.369, abs=0.001)
    assert found.loc["retriever", ["all", "part", "none", "not known"]].tolist() == [0, 6, 0, 0]
    shown = blame_tables.blame_display_table(found.reset_index())
    assert shown["blamed"].tolist() == ["retriever", "generator"] and shown["passages: part"].tolist() == [
        6,
        2,
    ]


def test_the_note_counts_questions_and_says_who_judged():
    failed = laid("generator", "declining", "retriever").assign(
        judged_by=["raters", "machine", "raters"], declined=None
    )
    told = blame_tables.note(failed, judged_wordings(5, (1, 0)))
    assert told.startswith(
        "3 of 5 answers failed, other wordings of their questions left out: 2 as raters say, 1"
    )


def test_refusals_that_the_row_declining_does_not_hold_are_counted():
    """The gate on the choice to decline counts them, whatever part of the evidence was missed."""
    failed = laid("declining", "retriever", "retriever and answer", "generator").assign(
        judged_by="raters", declined=[True, True, True, False], gold_retrieved=["all", "none", "part", "part"]
    )
    told = blame_tables.note(failed, judged_wordings(5, (1, 0)))
    assert "hold none. 2 refusals after missed evidence stand in other rows. Generator:" in told


def test_the_table_is_of_the_questions_and_not_of_their_wordings():
    rows = laid("generator", "retriever").assign(parent_id=[None, "c0"])
    assert blame_tables.of_questions(rows)["blamed"].tolist() == ["generator"]


def test_of_a_run_without_failures():
    assert blame_tables.summarize_blame(laid(), rng=rng())["cases"].sum() == 0
    made = judged_wordings(3, (1, 1), correct=1.0, contexts=None, reference_answer=None, answer="a")
    known = failing_answer_facts.gather_evidence(
        made, pd.DataFrame({"chunk_id": ["d#p0"], "text": ["a fact"]})
    )
    assert (
        blame.blame(known).empty
        and failing_answer_facts.cases_with_evidence(known, known.assign(chunk_id="", text="")).empty
    )


def test_evaluators_without_scores_are_left_out():
    made = judged_wordings(8, (1, 0))
    scored = pd.DataFrame(
        {"case_id": [f"c{g}" for g in range(8)], "metric": "self_check", "value": [1.0, 0.0] * 4}
    )
    found = blame_tables.compare_evaluators(made, scored, {"self_check": 1, "absent": 1}, rng=rng())
    assert set(found["evaluator"]) == {"self_check"} and (found["n"] > 0).all()


def test_limits_say_who_judged_and_what_is_open():
    judged = judged_wordings(2, (1, 0), judged_by=["raters", "as its original", "machine", "machine"])
    told = blame_tables.limits(judged, laid("undetermined", "retriever"))
    assert told[0] == (
        "Of 4 answers, to 2 questions of the test set and to other wordings of some, raters read 1; 1 wordings "
        "got the answer of their original and have its verdict; on 2 it is the instruments' alone."
    )
    assert told[1].startswith("What 1 of the 2 failing answers among these")


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
