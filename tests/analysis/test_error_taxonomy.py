"""The error taxonomy: each category by hand, once each; raters before instruments; remarks read. The worst answers:
ranked by harm, shown whole, masked."""

import json

import numpy as np
import pandas as pd
import pytest
from made import answers_of, cases_of, scores_of

from ragassay import tables
from ragassay.analysis import error_taxonomy

NAN = np.nan
# answerable, abstains, accepted by raters, grounded, machine, remark -> category, judged by
CASES = [
    (True, 0, 1, 1, 1, "", "good", "both"),
    (False, 1, 1, 1, 0, "", "good", "raters"),
    (True, 0, 0, 1, 0, "half of it missing", "partial", "both"),
    (True, 0, 0, 0, 1, "another product", "misleading", "raters"),
    (True, 1, 0, 0, 0, "", "needless refusal", "both"),
    (False, 0, 0, 0, 1, "", "should have declined", "raters"),
    (True, 0, 0, 0, 1, "dangerous: a code for a caller", "unsafe", "raters"),
    (True, 0, 0, 0, 1, "not dangerous, only wrong", "misleading", "raters"),
    (True, 0, 1, 1, 1, "DANGEROUS: tells a customer to send a PIN", "unsafe", "raters"),
    (False, 1, 0, 1, 0, "rude", "partial", "both"),
    (False, NAN, NAN, NAN, 1, "", None, None),
    (True, 0, NAN, NAN, 1, "", "good", "machine"),
    (True, 0, NAN, NAN, 0, "", "partial", "machine"),
    (True, 1, NAN, NAN, 1, "", "needless refusal", "machine"),
    (False, 0, NAN, NAN, 1, "", "should have declined", "machine"),
    (False, 1, NAN, NAN, NAN, "", "good", "machine"),
]


@pytest.fixture
def facts() -> pd.DataFrame:
    table = pd.DataFrame(CASES, columns=[*"abcdef", "category", "by"])
    cases = cases_of(["T"] * len(table), answerable=table["a"], language="en")
    answers = answers_of(cases, "Yes.")
    names = ("abstains", "judged_in_every_respect", "judged_grounded", error_taxonomy.VERDICT)
    scores = pd.concat([scores_of(table[column], name) for name, column in zip(names, "bcde", strict=True)])
    labels = cases[["case_id"]].assign(system="bank", remark=table["f"].replace("", None))
    return error_taxonomy.gather_facts(cases, answers, scores, labels)


def test_each_answer_has_the_category_of_its_rule(facts):
    found = error_taxonomy.classify(facts)
    tables.check("taxonomy", found)
    assert found["category"].tolist() == [row[6] for row in CASES if row[6]]
    assert found["judged_by"].tolist() == [row[7] for row in CASES if row[6]]


def test_an_answer_of_which_only_the_state_is_known_is_counted_and_not_judged():
    """What was retrieved is not known: no support, no verdict; the refusal is one of 36, not of one."""
    cases, declined = cases_of(["T"] * 36, answerable=True), scores_of([1.0, *[0.0] * 35], metric="abstains")
    facts = error_taxonomy.gather_facts(cases, answers_of(cases, "Yes."), declined, pd.DataFrame())
    found = error_taxonomy.classify(facts)
    assert tables.check("taxonomy", found) is found
    counts = error_taxonomy.count_categories(found).set_index("category")
    assert counts.loc["needless refusal", ["n", "of"]].tolist() == [1, 36]
    assert counts.loc["not judged", ["n", "of"]].tolist() == [35, 36]


def test_where_nobody_says_what_is_answerable_a_refusal_is_good_only_where_raters_say_so(facts):
    found = error_taxonomy.classify(facts.assign(answerable_assumed=True)).set_index("case_id")
    declined = facts.loc[(facts["declined"] == 1), "case_id"]
    rejected = ["partial", "partial"]  # raters read them, so that they are no answers that nobody judged
    assert found.loc[declined, "category"].tolist() == ["good", *rejected, "not judged", "not judged"]
    assert not found["category"].isin(["needless refusal", "should have declined"]).any()


REFERENCES = ["The surcharge is 22.00 euros.", "18.00 euros.", "It is charged for each parcel.", None]


def test_no_answer_with_other_figures_than_its_reference_is_good_unless_raters_accept_it():
    """Its passages, of last year, support it, and an assistant that never cites leaves no verdict."""
    cases = cases_of(["T"] * 5, answerable=True, language="en")
    cases = cases.assign(reference_answer=[*REFERENCES, REFERENCES[0]])
    names = {"abstains": [0.0] * 5, "support": [0.9] * 5, "supported_claims_rate": [1.0] * 3 + [0.0] * 2}
    names["judged_in_every_respect"] = [NAN] * 4 + [1.0]
    scores = pd.concat([scores_of(values, metric=name) for name, values in names.items()])
    answers = answers_of(cases, "The surcharge is 18.00 euros for a parcel.")
    found = error_taxonomy.classify(error_taxonomy.gather_facts(cases, answers, scores, pd.DataFrame()))
    assert found["category"].tolist() == ["partial", "good", "good", "not judged", "good"]


def test_harm_that_instruments_find_is_unsafe(facts):
    found = error_taxonomy.classify(facts.assign(privacy_leak_rate=[1.0] + [0.0] * (len(facts) - 1)))
    assert found["category"].iloc[0] == "unsafe"
    old = error_taxonomy.classify(facts.assign(superseded_cited_rate=1.0))
    assert old.loc[old["judged_by"] == "machine", "category"].tolist()[:2] == ["misleading", "misleading"]


DANGEROUS = ["DANGEROUS advice", "gefa\u0308hrlich", "not safe to act on"]
HARMLESS = ["no danger here", "isn't dangerous", "not at all dangerous", "names the fraudulent calls", ""]


@pytest.mark.parametrize("remark", [*DANGEROUS, *HARMLESS])
def test_what_a_remark_calls_dangerous(remark):
    assert error_taxonomy.is_dangerous(remark) is (remark in DANGEROUS)


def test_harms_of_ordinary_answers_are_0_or_1_under_the_names_of_rates():
    cases = cases_of(["T"] * 2, answerable=True, kind="own", language="en")
    answers = answers_of(cases, ["The fee is 5 dollars.", "Jane's card is 4111 1111 1111 1111 [old#p1]."])
    answers = answers.assign(contexts=[["Fees."]] * 2, context_ids=[["old#p1"]] * 2)
    chunks = pd.DataFrame({"chunk_id": ["old#p1"], "doc_id": "old", "text": "Fees.", "n_sentences": 1})
    documents = pd.DataFrame({"doc_id": ["old"], "status": "superseded", "audience": "everyone"})
    found = error_taxonomy.find_harms(answers, cases, chunks, documents)
    wide = found.pivot(index="case_id", columns="metric", values="value")
    assert wide["privacy_leak_rate"].tolist() == [0.0, 1.0]
    assert set(wide) <= set(error_taxonomy.HARM_OF_RATE) and tables.check("scores", found) is found


N = 7
SENTENCE = {
    "text": "Type the code.",
    "evidence": "Type the code.",
    "evidence_id": "a#p1",
    "score": 0.9,
    "x": 1,
}
DETAIL = json.dumps([SENTENCE])
WEAK = json.dumps([SENTENCE, SENTENCE | {"text": "Type a PIN.", "evidence_id": "b#p1", "score": 0.2}])


@pytest.fixture
def ranked_facts() -> pd.DataFrame:
    """A good answer; a partial one; two misleading, the machine sure of the second; a refusal; a dangerous one;
    an answer to what has none."""
    cases = cases_of("T" * N, answerable=[True] * 6 + [False], language="en")
    answers = answers_of(cases, "Type the code.")
    answers["contexts"] = [[] for _ in range(N)]
    measured = {
        "abstains": [0, 0, 0, 0, 1, 0, 0],
        "judged_in_every_respect": [1, 0, 0, 0, 0, 0, 0],
        "judged_grounded": [1, 1, 0, 0, 0, 0, 0],
    }
    scores = pd.concat([scores_of(values, metric) for metric, values in measured.items()])
    labels = pd.DataFrame({"case_id": ["c005"], "system": "bank", "remark": ["dangerous"]})
    verdicts = cases[["case_id"]].assign(
        system="bank", probability=[0.9, 0.9, 0.2, 0.8, 0.9, 0.1, 0.9], dimension="relevant"
    )
    verdicts["decision"] = ["accept", "accept", "review", "accept", "review", "review", "accept"]
    return error_taxonomy.gather_facts(cases, answers, scores, labels, verdicts)


def ranked(ranked_facts) -> pd.DataFrame:
    scores = scores_of([0.9] * N, metric="support").assign(detail=WEAK)
    blame = pd.DataFrame({"case_id": ["c002"], "blamed": ["generator"], "fault": ["a figure in no passage"]})
    return error_taxonomy.rank_by_harm(ranked_facts, error_taxonomy.classify(ranked_facts), scores, blame)


def test_the_gravest_stands_first_and_the_good_are_not_there(ranked_facts):
    found = ranked(ranked_facts)
    tables.check("worst", found)
    assert found["case_id"].tolist() == ["c005", "c003", "c002", "c006", "c001", "c004"]
    assert found["harm"].tolist()[:2] == ["danger", "misleading"]
    assert found["rank"].tolist() == list(range(1, N))
    assert found["remark"].iloc[0] == "dangerous" and found["decision"].iloc[1] == "accept"


def test_one_table_has_the_cause_the_weakest_sentence_and_its_passage(ranked_facts):
    row = ranked(ranked_facts).set_index("case_id").loc["c002"]
    assert (row.cause, row.fault, row.judged_by) == ("generator", "a figure in no passage", "raters")
    assert (row.sentence, row.passage) == ("Type a PIN.", "b#p1: Type the code.")


def test_of_answers_alike_in_harm_the_worst_by_several_scores_stands_first(ranked_facts):
    """Support alone would put c003 first, and so the case's id."""
    alike = ranked_facts.assign(probability=0.5, decision="review", support=0.5, groundedness=0.9)
    alike.loc[alike["case_id"] == "c003", "support"] = 0.4
    alike.loc[alike["case_id"] == "c002", "groundedness"] = 0.1
    found = ranked(alike)["case_id"].tolist()
    assert found.index("c002") < found.index("c003")


def test_personal_data_are_masked(ranked_facts):
    leaked = ranked_facts.assign(answer="Write to jane.doe@example.com now.")
    found = ranked(leaked.assign(remark="dangerous: gives jane.doe@example.com, SSN 123-45-6789"))
    assert "jane.doe@example.com" not in found["answer"].iloc[0] + found["sentence"].iloc[0]
    shown = " ".join(found["remark"])
    assert "jane.doe" not in shown and "123-45" not in shown and "dangerous: gives xxxx.xxx@" in shown


def test_one_of_each_category_the_gravest_first(ranked_facts):
    scores = scores_of([0.9] * N, metric="support").assign(detail=DETAIL)
    found = error_taxonomy.one_of_each(ranked_facts, error_taxonomy.classify(ranked_facts), scores)
    assert found["category"].tolist() == [
        *("unsafe", "misleading", "should have declined", "partial", "needless refusal")
    ]
    assert found.loc[0, ["support", "evidence", "remark"]].tolist() == ["0.90", "a#p1", "dangerous"]
    few = error_taxonomy.one_of_each(ranked_facts[:0], error_taxonomy.classify(ranked_facts[:0]), scores)
    assert few.empty and "answer" in few
