"""No finding restates another: families of one test, rows of one gate, nested cases, metrics of one slice."""

import time

import numpy as np
import pytest

from decision.drafts import check, draft
from ragassay.decision.findings.restated_findings import (
    MOST_CRITERIA,
    MOST_TOLD,
    keys,
    merge_restatements,
    merged,
)
from ragassay.tables import SEVERITIES


def sources(drafts: list[dict]) -> list[set[str]]:
    return [{found["source"], *found["also"]} for found in merge_restatements(drafts)]


def test_families_and_the_pool_of_them_are_one_finding_told_by_the_pool():
    parts = [
        check("misuse", "own account", "misuse_answered_rate", "Medium", ("a", "b")),
        check("misuse", "prohibited: decisions", "misuse_answered_rate", "High", ("c",)),
        check("misuse", "all families", "misuse_answered_rate", "Medium", ("a", "b", "c", "d")),
    ]
    (found,) = merge_restatements(parts)
    assert found["source"] == "check:misuse|all families|misuse_answered_rate" and len(found["also"]) == 2
    assert found["severity"] == "High", "as grave as the gravest that it absorbs"
    assert found["failing"] == ["a", "b", "c", "d"]
    assert "own account" in found["condition"] and "prohibited: decisions" in found["condition"]


def test_two_measures_of_one_test_stay_apart_unless_one_holds_the_cases_of_the_other():
    staff = check("access", "asked for", "staff_only_reach_rate", failing=("a", "b"))
    old = check("access", "asked for", "superseded_cited_rate", failing=("c", "d"))
    assert len(sources([staff, old])) == 2
    link = check("injection", "link", "attack_link_rate", "High", tuple("abcdef"))
    quoted = check(
        "injection", "quoted", "attack_quoted_rate", "Low", tuple("abcdeghijklmn")
    )  # five of the six
    (found,) = merge_restatements([quoted, link])
    assert found["source"].endswith("attack_link_rate") and found["severity"] == "High"
    far = check("privacy", "all", "privacy_leak_rate", failing=tuple("abcdef"))
    assert len(sources([quoted, far])) == 2, "of different tests"


def test_a_gate_by_segment_and_by_origin_is_one_finding_with_the_gate_on_all():
    found = sources(
        [
            draft("gate:retrieval_recall|own"),
            draft("gate:retrieval_recall|generated"),
            draft("gate:retrieval_recall in language=es"),
            draft("weakness:retrieval_recall|language|es"),
        ]
    )
    assert sorted(map(len, found)) == [1, 3]
    assert {"weakness:retrieval_recall|language|es"} in found, "the weak slice has a remedy of its own"


def test_a_gate_on_a_segment_alone_and_the_weak_slice_are_one():
    found = sources(
        [draft("gate:retrieval_recall in language=es"), draft("weakness:retrieval_recall|language|es")]
    )
    assert len(found) == 1


@pytest.mark.parametrize("count", [5, MOST_CRITERIA + 4])
def test_every_criterion_is_named_or_counted(count):
    (found,) = merge_restatements([draft(f"gate:recall|origin{number:02d}") for number in range(count)])
    named = [
        number
        for number in range(count)
        if f"What gate:recall|origin{number:02d} asks." in found["criterion"]
    ]
    assert len(named) == min(count, MOST_CRITERIA)
    assert (f"{count - len(named)} more, of the tests that" in found["criterion"]) == (count > len(named))


def test_weak_metrics_of_one_slice_are_one_finding_and_slices_stay_apart():
    multi = [draft(f"weakness:{metric}|answer_type|multi_step") for metric in ("recall", "relevancy")]
    assert sorted(map(len, sources([*multi, draft("weakness:recall|query_type|open")]))) == [1, 2]


def test_tests_of_one_behaviour_are_one_finding_told_by_what_people_read():
    drafts = [
        check("outside the documents", "near_thing", "false_answer_rate", failing=("n1",)),
        check("passages changed", "evidence dropped", "answers_without_evidence", failing=("x1",)),
        check("passages changed", "planted", "follows_misleading_passage", failing=("y1",)),
        draft("errors:should have declined", failing=("u1", "u2")),
    ]
    found = {one["source"]: one["also"] for one in merge_restatements(drafts)}
    assert len(found["errors:should have declined"]) == 2 and len(found) == 2


def test_nothing_is_lost_and_a_long_list_is_counted():
    parts = [check("misuse", f"family {i}", "rate", failing=(f"c{i}",)) for i in range(12)]
    (found,) = merge_restatements(parts)
    assert len({found["source"], *found["also"]}) == 12
    assert f"{11 - MOST_TOLD} more restate it" in found["condition"]


def test_five_thousand_drafts_take_seconds():
    drafts = [
        check(f"test {i % 700}", f"aspect {i}", f"metric {i % 900}", failing=(f"c{i}", f"c{i + 1}"))
        for i in range(5000)
    ]
    start = time.process_time()
    merge_restatements(drafts)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("seed", range(30))
def test_every_source_is_held_and_no_two_findings_are_about_the_same(seed):
    rng = np.random.default_rng(seed)
    metrics = ["judged_grounded", "judged_relevant", "abstention_correct", "retrieval_recall"]
    names = [
        *(f"gate:{metric}|{origin}" for metric in metrics for origin in ("own", "generated")),
        *(f"gate:{metric} in language=es|own" for metric in metrics),
        *(f"weakness:{metric}|language|{level}" for metric in metrics for level in ("es", "pt")),
        *(f"check:misuse|family {i}|misuse_answered_rate" for i in range(4)),
        *(f"check:outside the documents|kind {i}|false_answer_rate" for i in range(2)),
        *(f"errors:{kind}" for kind in ("unsafe", "should have declined", "needless refusal")),
    ]
    chosen = [str(name) for name in rng.permutation(names)[: int(rng.integers(2, len(names)))]]
    drafts = [
        draft(name, SEVERITIES[rng.integers(4)], [f"c{i}" for i in rng.integers(0, 40, rng.integers(0, 9))])
        for name in chosen
    ]
    found = merge_restatements(drafts)
    assert {source for one in found for source in (one["source"], *one["also"])} == set(chosen)
    overall = {name.partition(":")[2].partition("|")[0] for name in chosen if name.startswith("gate:")}
    about = [key for one in found for key in set(keys(one, overall))]
    assert len(about) == len(set(about))
    gravest = min((one["severity"] for one in drafts), key=SEVERITIES.index)
    assert min((one["severity"] for one in found), key=SEVERITIES.index) == gravest


def test_each_aspect_raised_on_cases_of_its_own_stands_in_the_title():
    mixed = check(
        "perturbation", "mixed", "right", failing=("a", "b", "c"), title="Mixed questions: fall by 26"
    )
    misread = check("perturbation", "misread", "right", failing=("d",), title="Misread questions: fall by 23")
    (found,) = merge_restatements([mixed, misread])
    assert found["title"] == "Mixed questions: fall by 26; also raised: misread questions"
    asked = check("access", "asked", "right", failing=("a",), title="Staff-only documents, asked for: 8 of 9")
    other = check("access", "other", "right", failing=("d",), title="Staff-only documents, elsewhere: 1 of 9")
    (found,) = merge_restatements([asked, other])
    assert found["title"] == "Staff-only documents, asked for: 8 of 9; also raised: elsewhere"
    whole = check("perturbation", "all", "right", failing=("a", "b", "c", "d"), title="All: fall by 24")
    assert merge_restatements([whole, mixed, misread])[0]["title"] == "All: fall by 24"


def slice_of(metric: str, failing: tuple, **change) -> dict:
    source = f"weakness:{metric}|language|es"
    return draft(source, "High", failing, where="Spanish: 14 %", condition="Spanish: 14 %, n = 7.", **change)


def test_a_weak_slice_whose_cases_are_the_gates_is_a_line_of_its_finding():
    gate = draft("gate:recall|own", "Medium", tuple("abcdefgh"), title="Recall: 76 %")
    (found,) = merge_restatements([slice_of("recall", tuple("abcd")), gate])
    assert found["source"] == "gate:recall|own" and found["also"] == ["weakness:recall|language|es"]
    assert found["title"] == "Recall: 76 %; weakest for Spanish: 14 %"
    assert "Weakest: Spanish: 14 %, n = 7." in found["condition"] and found["severity"] == "High"


@pytest.mark.parametrize(
    "other",
    [
        slice_of("recall", tuple("abcd"), confirmed=True),
        slice_of("recall", tuple("abxyz")),
        slice_of("precision", tuple("abcd")),
        slice_of("recall", ()),
    ],
)
def test_a_slice_confirmed_or_of_other_cases_or_of_another_metric_stays_a_finding(other):
    gate = draft("gate:recall|own", "Medium", tuple("abcdefgh"))
    assert len(merge_restatements([gate, other])) == 2


def test_several_criteria_are_numbered_once_however_often_they_are_merged():
    """Formerly they stood in one line, and a reader could not tell one from the next."""
    one, two, three = (draft(f"gate:recall|{name}", criterion=f"What {name} asks.") for name in "abc")
    both = merged([one, two])
    assert both["criterion"] == "(1) What a asks. (2) What b asks."
    assert merged([both, three])["criterion"] == "(1) What a asks. (2) What b asks. (3) What c asks."
    assert merged([one])["criterion"] == "What a asks."
