"""Blame by its evidence: each rule by hand, their order, what decides nothing; and planted faults, with a fake of
the scores that finds texts word for word."""

import json

import numpy as np
import pandas as pd
import pytest

from ragassay import tables
from ragassay.analysis import blame
from ragassay.scores.prepared_answer import NONE_RESTRICTED, read_restricted
from ragassay.tables import BLAMED

ALL, PART, NO = ({"gold_known": True, "gold_retrieved": which} for which in ("all", "part", "none"))
RULES = {
    "no answer": ({"error": "timed out", "gold_retrieved": "all"}, "undetermined"),
    "answers what is not there": ({"answerable": False}, "declining"),
    "declines badly": ({"answerable": False, "declined": True}, "generator"),
    "the passages are gone": ({"gold_known": False}, "documents lack it"),
    "a reference that follows from nothing": ({"gold_known": True, "gold": "lack"}, "faulty question"),
    "retrieved": ({**ALL, "gold": "hold"}, "generator"),
    "retrieved, and declined": ({**ALL, "gold": "hold", "declined": True}, "declining"),
    "not retrieved": ({**NO, "gold": "hold"}, "retriever"),
    "given it, it fails": ({**NO, "given_gold": False}, "retriever and answer"),
    "given it, it answers": ({**NO, "given_gold": True}, "retriever"),
    "part of it": ({**PART, "gold": "hold"}, "undetermined"),
    "part of it, without the answer": ({**PART, "retrieved": "lack"}, "retriever"),
    "part of it, with the answer, and declined": ({**PART, "retrieved": "hold", "declined": True}, "declining"),
    "right where the oracle is not": ({**NO, "gold": "lack", "given_gold": True}, "retriever"),
    "served another wording": ({**NO, "beside": "Fee?"}, "generator"),
    "served another wording, and declined": ({**NO, "beside": "Fee?", "declined": True}, "declining"),
    "others hold it": ({**NO, "retrieved": "hold"}, "generator"),
    "foreign ids, given it, it fails": ({"gold_known": True, "given_gold": False}, "generator"),
    "foreign ids, given it, it declined": ({"gold_known": True, "given_gold": False, "declined": True}, "declining"),
    "no gold, found elsewhere": ({"retrieved": "lack", "documents": "hold"}, "retriever"),
    "no gold, found nowhere": ({"retrieved": "lack", "documents": "lack"}, "documents lack it"),
    "no gold, retrieved": ({"retrieved": "hold"}, "generator"),
    "nothing known": ({}, "undetermined"),
    "a fault seen": ({"fault": "a negation turned"}, "generator"),
    "foreign ids": ({"gold_known": True, "gold": "hold"}, "undetermined"),
}  # fmt: skip


@pytest.mark.parametrize("known, blamed", RULES.values(), ids=RULES.keys())
def test_each_rule(known, blamed):
    assert blame.blame(pd.DataFrame([known]))["blamed"].tolist() == [blamed] and blamed in BLAMED


def word_for_word(rows: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """A fake of `scores.score`: an answer is supported if its contexts hold it word for word."""
    held = [row.answer in " ".join(row.contexts) for row in rows.itertuples()]
    states = ["not_applicable" if answer == "Yes." else "scored" for answer in rows["answer"]]
    return rows[["case_id"]].assign(metric=metrics[0], value=np.array(held, dtype=float), state=states)


@pytest.mark.parametrize(
    "answer, correct, blamed_now",
    [("something else", 0.0, "retriever and answer"), ("red apple", 0.0, "retriever"), ("something else", 1.0, "retriever")],
)  # fmt: skip
def test_right_with_the_evidence_given(answer, correct, blamed_now):
    """As the reference answer or the machine says; what is given decides between retriever and generator."""
    row = {"parent_id": "retriever", "reference_answer": "red apple", "answer": answer, "correct": correct}
    given = pd.DataFrame([row | {"error": ""}])
    assert blamed(judged(), given=given).loc["retriever", "blamed"] == blamed_now


def refuses(answer: str) -> bool:
    return answer == "not found"


FACTS = ["red apple", "old brick", "cold river", "tall tower", "quiet street", "green meadow"]
CHUNKS = pd.DataFrame({"chunk_id": [f"d#p{i}" for i in range(len(FACTS))], "text": FACTS})
FAULTS = {
    "retriever": {"contexts": ["green meadow"], "context_ids": ["d#p5"]},
    "generator": {},
    "documents lack it": {"reference_chunk_ids": [], "reference_answer": "silver coin", "contexts": ["green meadow"], "context_ids": ["d#p5"]},
    "faulty question": {"reference_answer": "quiet street"},
    "declining": {"answer": "not found"},
}  # fmt: skip


def judged(**changes) -> pd.DataFrame:
    """One failing case for each fault, and a right one."""
    rows = []
    for i, (name, change) in enumerate({**FAULTS, "right": {}}.items()):
        row = {
            "case_id": name, "question": f"which is {FACTS[i]}?", "parent_id": None, "group_id": name, "answerable": True,
            "reference_answer": FACTS[i], "reference_chunk_ids": [f"d#p{i}"], "contexts": [FACTS[i]],
            "context_ids": [f"d#p{i}"], "answer": "something else", "error": "", "correct": float(name == "right"), "judged_by": "machine",
        }  # fmt: skip
        rows.append(row | change | changes)
    return pd.DataFrame(rows)


def blamed(rows, **options):
    found = blame.gather_evidence(rows, CHUNKS, score=word_for_word, declines=refuses, **options)
    return blame.blame(found).set_index("case_id")


def test_planted_faults_are_laid_where_they_were_planted():
    found = blamed(judged())
    given = blame.cases_with_evidence(judged().query("correct == 0"), CHUNKS)
    assert given["parent_id"].tolist() == ["retriever"] and given["passages"].tolist() == [["red apple"]]
    assert found["blamed"].to_dict() == {name: name for name in FAULTS}
    assert found.loc["faulty question", "documents"] == "hold"
    assert found.loc["retriever", ["gold", "retrieved"]].tolist() == ["hold", "lack"]


def test_a_reference_without_a_word_of_its_own_decides_nothing():
    assert blame.consult([("No.", ["red apple"])], score=word_for_word) == ["unclear"]


HELD = {"text": "The Classic fee is 25 dollars.", "evidence_id": "classic-card#p1", "score": 0.9}
OLD = "The fee of the Classic card is 30 dollars."
PLANTED = {
    "superseded text": ({"text": OLD}, OLD, None),
    "a figure in no passage": ({"numbers_missing": ["30"]}, "What is the fee?", None),
    "a negation turned": ({"negation_new": True}, "What is the fee?", None),
    "another product's sentence": ({}, "What does the Rewards card cost?", None),
    "an exception left out": ({}, "What is the fee?", "25 dollars, unless the balance is 500."),
    "a sentence without support": ({"score": 0.2}, "What is the fee?", None),
    "": ({}, "What does the Classic card cost at Christmas?", "25 dollars."),
}


@pytest.mark.parametrize("fault, planted", PLANTED.items())
def test_the_sentence_evidence_says_what_is_wrong_with_an_answer(fault, planted):
    changed, question, reference = planted
    row = {"question": question, "reference_answer": reference, "answer": (HELD | changed)["text"]}
    passages = ["classic-card#p1", "rewards-card#p2", "fees#p1"]
    old = read_restricted(
        pd.DataFrame([{"chunk_id": "o#p1", "text": OLD, "status": "superseded", "audience": ""}])
    )
    assert blame.sentence_fault(row, [HELD | changed], passages, old["superseded"]) == fault
    assert blame.sentence_fault(row, [], passages, NONE_RESTRICTED) == ""


def test_a_cause_does_not_contradict_the_scores():
    """Of an answer that was made of passages, and of no other."""
    detail = json.dumps([HELD | {"numbers_missing": ["30"]}])
    support = pd.DataFrame({"case_id": ["generator", "retriever"], "detail": detail})
    found = blamed(judged(), support=support)["fault"]
    assert found["generator"] == "a figure in no passage"
    assert set(found.drop("generator")) == {""}


def test_the_machine_s_verdict_stands_beside_the_raters_where_there_are_some(tmp_path):
    """Whatever verdict notebook 04 corrects."""
    key = pd.DataFrame({"case_id": ["a", "b"], "system": "s"})
    tables.write(
        tmp_path,
        "scores",
        key.assign(metric="end_to_end_success", value=[1.0, np.nan], state=["scored", "error"]),
    )
    tables.write(tmp_path, "success", key.assign(verdict="abstains", machine=0.0, human=[1.0, 0.0]))
    found = blame.read_verdicts(tmp_path, "s")
    assert found["machine"].tolist()[0] == 1 and found["human"].tolist() == [1, 0]


def test_who_judged_each_answer():
    answered = ["answer", "contexts", "context_ids", "error"]
    cases = judged().drop(columns=[*answered, "correct", "judged_by"])
    typo = "typo " + cases["question"]
    again = cases.assign(case_id=cases["case_id"] + "-t", parent_id=cases["case_id"], question=typo)
    answers = judged()[["case_id", *answered]].assign(system="s", repeat=0)
    other = answers.assign(case_id=answers["case_id"] + "-t")
    other.loc[1, "answer"] = "old brick"
    human = [1.0, *[np.nan] * 4]
    success = pd.DataFrame({"case_id": list(FAULTS), "machine": 0.0, "human": human, "verdict": "v"})
    both = [pd.concat(parts, ignore_index=True) for parts in ((cases, again), (answers, other))]
    found = blame.judge_answers(*both, success, word_for_word).set_index("case_id")
    told = found[["correct", "judged_by"]].apply(tuple, axis=1)
    assert told["retriever"] == (1, "raters") and told["retriever-t"] == (1, "as its original")
    assert told["generator"] == (0, "machine") and told["generator-t"] == (1, "machine")
    groups = blame.groups_of(found.reset_index())
    assert groups["group"].value_counts().to_dict() == dict.fromkeys([*FAULTS, "right"], 2)
    assert groups.set_index("case_id").loc["generator-t", "gold"] == ["d#p1"]


def test_shares_of_blame():
    """Of eight questions and another wording, which does not count: exact intervals."""
    names = [*["generator"] * 2, *["retriever"] * 7]
    rows = pd.DataFrame(
        {"case_id": list("abcdefghi"), "blamed": names, "gold_retrieved": "part", "fault": ""}
    )
    found = blame.count_causes(rows, rows[["case_id"]].head(8))
    assert found["blamed"].tolist() == ["retriever", "generator"] and found["cases"].tolist() == [6, 2]
    assert found.loc[0, ["share", "low", "high"]].tolist() == pytest.approx([0.75, 0.349, 0.968], abs=0.001)
    assert found.loc[0, ["all", "part", "none", "not known"]].tolist() == [0, 6, 0, 0]
    assert blame.count_causes(rows.head(0), rows[["case_id"]]).empty


NAN = float("nan")
SAID = ["It is red.", "It is blue.", "I cannot say.", "It is old."]


def scores_of(rows: pd.DataFrame, metrics: list[str], cited: float = 0.0) -> pd.DataFrame:
    """A fake of `scores.score`: no answer cites but the last, so much; one declines; a verdict accepts none."""
    declines = rows["answer"] == "I cannot say."
    cites = pd.Series(np.where(rows["answer"] == "It is old.", cited, 0.0), index=rows.index).mask(declines)
    values = {"citations_present": cites, "abstains": declines.astype(float)}
    parts = [rows[["case_id"]].assign(metric=name, value=values.get(name, cites * 0)) for name in metrics]
    return pd.concat(parts, ignore_index=True)


def rejected(human: float = NAN, cited: float = 0.0) -> pd.DataFrame:
    """Four answers that the machine rejects, each asked in a second wording; raters judged the first, if any."""
    names = [f"c{i}" for i in range(4)]
    cases = pd.DataFrame({"case_id": names, "parent_id": None, "group_id": names, "question": SAID})
    cases = cases.assign(reference_chunk_ids=[["d#p1"]] * 4, answerable=True)
    again = cases.assign(case_id=cases["case_id"] + "-w", parent_id=names, question=cases["question"] + "!")
    every = pd.concat([cases, again], ignore_index=True)
    answers = pd.DataFrame({"case_id": every["case_id"], "system": "s", "answer": SAID * 2, "error": ""})
    answers = answers.assign(repeat=0, contexts=[["x"]] * 8, context_ids=[["d#p1"]] * 8)
    success = pd.DataFrame({"case_id": names, "machine": 0.0, "verdict": "v", "human": [human, *[NAN] * 3]})
    return blame.judge_answers(every, answers, success, lambda rows, metrics: scores_of(rows, metrics, cited))


def test_a_log_without_citations_fails_by_what_it_declines_and_by_raters_alone():
    """Verdicts that reject every answer for a lack of citations tell nothing of them."""
    found = rejected(human=0.0).set_index("case_id")
    untold = blame.UNTOLD
    machine = ["raters", untold, "machine", untold, "as its original", untold, "as its original", untold]
    assert found["judged_by"].tolist() == machine
    assert found.index[found["correct"] == 0].tolist() == ["c0", "c2", "c0-w", "c2-w"]


def test_what_fails_is_what_findings_count_and_what_nobody_judged_does_not_fail():
    """c1 is misleading by its support, where the verdict tells nothing; c2 declines, and nobody says whether it
    may."""
    kinds = {"c0": "good", "c1": "misleading", "c2": "not judged", "c3": "partial"}
    taxonomy = pd.DataFrame(kinds.items(), columns=["case_id", "category"])
    taxonomy["judged_by"] = ["raters", "machine", "machine", "both"]
    found = blame.fail_by_category(rejected(human=1.0), taxonomy).set_index("case_id")
    assert found.index[found["correct"] == 0].tolist() == ["c1", "c3"]
    assert found.loc[["c0", "c1", "c3"], "judged_by"].tolist() == ["raters", "machine", "raters"]


def test_wordings_are_not_counted_by_refusals_alone():
    """One answer that cites is enough for the verdict to tell."""
    assert blame.groups_of(rejected()).empty
    assert blame.groups_of(rejected(human=0.0))["case_id"].tolist() == ["c0", "c0-w"]
    cited = rejected(cited=0.5)
    assert (cited["correct"] == 0).all() and len(blame.groups_of(cited)) == 8
