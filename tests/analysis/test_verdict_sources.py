"""Verdicts that reject every answer for a lack of citations tell nothing of them."""

import numpy as np
import pandas as pd

from ragassay.analysis import failing_answer_facts, verdict_sources
from ragassay.analysis.verdict_sources import MACHINE, ORIGINAL, RATERS, UNTOLD

NAN = float("nan")
SAID = ["It is red.", "It is blue.", "I cannot say.", "It is old."]


def scores_of(rows: pd.DataFrame, metrics: list[str], cited: float = 0.0) -> pd.DataFrame:
    """A fake of `scores.score`: no answer cites but the last, so much; one declines; a verdict accepts none."""
    declines = rows["answer"] == "I cannot say."
    cites = pd.Series(np.where(rows["answer"] == "It is old.", cited, 0.0), index=rows.index).mask(declines)
    values = {"citations_present": cites, "abstains": declines.astype(float)}
    parts = [
        pd.DataFrame({"case_id": rows["case_id"], "metric": name, "value": values.get(name, cites * 0)})
        for name in metrics
    ]
    return pd.concat(parts, ignore_index=True)


def judged(human: float = NAN, cited: float = 0.0, machine: float = 0.0) -> pd.DataFrame:
    """Four answers that the machine rejects, each asked in a second wording; raters judged the first, if any."""
    names = [f"c{i}" for i in range(4)]
    cases = pd.DataFrame(
        {"case_id": names, "parent_id": None, "group_id": names, "question": SAID, "answerable": True}
    ).assign(reference_chunk_ids=[["d#p1"]] * 4)
    again = cases.assign(case_id=cases["case_id"] + "-w", parent_id=names, question=cases["question"] + "!")
    every = pd.concat([cases, again], ignore_index=True)
    answers = pd.DataFrame({"case_id": every["case_id"], "system": "s", "answer": SAID * 2, "error": ""})
    answers = answers.assign(repeat=0, contexts=[["x"]] * 8, context_ids=[["d#p1"]] * 8)
    success = pd.DataFrame({"case_id": names, "machine": [0.0, 0.0, 0.0, machine], "verdict": "v"})
    return failing_answer_facts.judge_answers(
        every,
        answers,
        success.assign(human=[human, NAN, NAN, NAN]),
        lambda rows, metrics: scores_of(rows, metrics, cited),
    )


def test_a_log_without_citations_fails_by_what_it_declines_and_by_raters_alone():
    found = judged(human=0.0).set_index("case_id")
    assert found["judged_by"].tolist() == [
        RATERS,
        UNTOLD,
        MACHINE,
        UNTOLD,
        ORIGINAL,
        UNTOLD,
        ORIGINAL,
        UNTOLD,
    ]
    assert (found.loc[found["judged_by"] == UNTOLD, "correct"]).isna().all()
    assert found.index[found["correct"] == 0].tolist() == ["c0", "c2", "c0-w", "c2-w"]


def test_one_answer_that_cites_is_enough_for_the_verdict_to_tell():
    found = judged(cited=0.5)
    assert set(found["judged_by"]) == {MACHINE, ORIGINAL} and (found["correct"] == 0).all()
    assert verdict_sources.countable_rows(found).equals(found)


def test_wordings_are_not_counted_by_refusals_alone():
    assert failing_answer_facts.groups_of(judged()).empty
    assert failing_answer_facts.groups_of(judged(human=0.0))["case_id"].tolist() == ["c0", "c0-w"]
    assert len(failing_answer_facts.groups_of(judged(cited=0.5))) == 8
