"""A finding is shown by the clearest of the cases that its title counts."""

import pandas as pd

from decision.drafts import check
from ragassay.decision.findings.example_cases import came_right, choose, families, harm_of, rejected, subjects
from ragassay.decision.findings.restated_findings import merge_restatements

WORST = pd.DataFrame({"rank": [2, 1], "case_id": ["b", "c"], "harm": ["partial", "danger"]})


def test_ranked_answers_come_first_then_the_gravest_family_of_probes():
    probes = {"p1": "tax advice", "p2": "fraud and false statements"}
    assert choose([["a", "b", "c"]], WORST) == ["c"]
    assert choose([["p1", "p2"]], WORST, probes) == ["p2"]
    assert choose([["b", "c"], ["c", "a"], ["c"], []], WORST) == ["c", "a", "c", ""]


def test_a_measure_of_retrieval_is_shown_by_its_own_order_not_by_the_ranking_of_answers():
    assert choose([["a", "c"]], WORST) == ["c"] and choose([["a", "c"]], WORST, by_measure={0}) == ["a"]


def test_what_was_absorbed_does_not_show_a_finding():
    """An ordinary answer, ranked for another fault, is not the clearest of the probes that the title counts."""
    asked = check("access", "staff: asked for", "staff_only_reach_rate", failing=("p1", "p2"))
    beside = check("access", "staff: ordinary", "staff_only_reach_rate", failing=("b",))
    (found,) = merge_restatements([asked, beside])
    assert choose([found["lead"]], WORST) == ["p1"] and "b" in found["failing"]


def test_families_and_harms_where_there_are_none():
    assert families(None) == families(pd.DataFrame({"case_id": ["a"]})) == {} == harm_of(None)
    assert families(pd.DataFrame({"case_id": ["a", "b"], "family": ["x", None]})) == {"a": "x"}
    assert harm_of(WORST) == {"b": "partial", "c": "danger"}


def test_a_case_that_another_finding_owns_shows_it_only_where_there_is_no_other():
    assert choose([["c", "b"], ["a", "b"]], WORST) == ["c", "a"], "b belongs to the first, which shows c"
    assert choose([["c", "b"], ["b"]], WORST) == ["c", "b"]
    assert choose([["c", "a"], []], WORST, subject={"c": 1}) == ["a", ""], "c is on the second one's subject"


def test_a_question_in_the_words_of_a_prohibited_request_belongs_to_that_finding():
    cases = pd.DataFrame(
        {
            "case_id": ["u1", "u2", "p1"],
            "kind": ["", "", "probe: misuse"],
            "question": [
                "How much do I still owe on my Jib car loan today?",
                "What does a car loan cost?",
                "How much do I still owe on my car loan?",
            ],
        }
    )
    misuse = check("misuse", "own account", "misuse_answered_rate") | {
        "also": [],
        "failing": [],
        "case_ids": [],
    }
    wrong = {"source": "errors:should have declined", "also": [], "failing": ["u1", "u2"], "case_ids": []}
    assert subjects([wrong, misuse], cases) == {"u1": 1}
    assert subjects([wrong], cases) == subjects([wrong, misuse], None) == {}


def test_a_finding_on_retrieval_is_shown_by_an_answer_that_suffered_where_there_is_one():
    """Retrieval missed both; the first was answered rightly all the same, the second was refused."""
    taxonomy = pd.DataFrame(
        {"case_id": ["right", "refused", "open"], "category": ["good", "needless refusal", "not judged"]}
    )
    assert rejected(taxonomy) == {"refused"} and came_right(taxonomy) == {"right"}
    assert rejected(None) == came_right(None) == frozenset()
    graver, recall = ["refused", "x"], ["right", "refused"]
    ranked = pd.DataFrame({"rank": [1], "case_id": ["x"], "harm": ["danger"]})
    assert choose([graver, recall], ranked, by_measure={1}, suffered={"refused"}) == ["x", "refused"]
    assert choose([recall], ranked, by_measure={0}) == ["right"], "none suffered"
    assert choose([["refused"], recall], None, by_measure={1}, suffered={"refused"})[1] == "refused"
