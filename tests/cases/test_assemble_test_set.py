"""The test set: where its questions come from, in which order, what it does not cover; nothing to ask is an error."""

import json

import pandas as pd
import pytest

from ragassay import tables
from ragassay.cases import assemble_test_set, case_table
from ragassay.cases.assemble_test_set import Collection, collect
from ragassay.errors import InputError

TEXTS = [
    ("cards", "T01", "A replacement card costs $7.00, unless the old card was stolen."),
    ("cards", "T01", "A lost card must be reported within 2 business days of noticing the loss."),
    ("loans", "T02", "The home loan was launched on 3 May 2021."),
    ("loans", "T02", "An offer is valid for 45 days."),
]
CHUNKS = pd.DataFrame(
    [
        {
            "chunk_id": f"{doc}#p{i}",
            "doc_id": doc,
            "text": text,
            "language": "en",
            "topic": topic,
            "heading": doc,
        }
        for i, (doc, topic, text) in enumerate(TEXTS, start=1)
    ]
)


@pytest.fixture
def gather(encode):
    def run(*, logged=None, own="", n=0) -> Collection:
        return collect(
            CHUNKS,
            logged=logged,
            own_questions=str(own),
            n_generated=n,
            allocation="proportional",
            seed=0,
            encode=encode,
        )

    return run


@pytest.fixture
def own(tmp_path):
    lost = {
        "question": "May a loan be moved?",
        "evidence": [{"doc_id": "loans", "quote": "never written anywhere at all"}],
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(
        "\n".join(map(json.dumps, [{"question": "What does a new card cost?"}, lost])), encoding="utf-8"
    )
    return path


def test_own_questions_come_first(gather, own):
    found = gather(own=own, n=4)
    kinds = found.cases["kind"].tolist()
    assert (
        kinds[:2] == ["own", "own"] and set(kinds[2:]) == {"generated"} and found.cases["case_id"].is_unique
    )
    assert len(found.unresolved) == 1 and found.cases.index.tolist() == list(range(len(kinds)))
    tables.check("cases", found.cases)


def test_either_source_alone_is_enough(gather, own):
    assert gather(own=own).cases["kind"].eq("own").all() and gather(own=own).rejected.empty
    assert gather(n=3).cases["kind"].eq("generated").all() and gather(n=3).unresolved.empty


def test_a_log_brings_its_own_questions_and_nothing_is_added(gather, own):
    logged = pd.DataFrame(
        [
            {
                "case_id": "l-1",
                "question": "When was the home loan launched?",
                "answer_type": "short_fact",
                "query_type": "open",
                "channel": "web",
            }
        ]
    )
    found = gather(logged=logged, own=own, n=5)
    row = found.cases.iloc[0]
    assert len(found.cases) == 1 and (row["case_id"], row["topic"], row["channel"], row["language"]) == (
        "l-1",
        "T02",
        "web",
        "en",
    )
    assert found.rejected.empty and found.unresolved.empty


def test_the_same_twice(gather, own):
    pd.testing.assert_frame_equal(gather(own=own, n=4).cases, gather(own=own, n=4).cases)


def test_nothing_to_ask_is_told(gather):
    with pytest.raises(InputError, match=r"(?s)no questions to ask.*n_generated above 0"):
        gather()


def test_composition_by_hand():
    cases = pd.DataFrame(
        {
            "kind": ["own", "own", "generated", None],
            "query_type": ["factual", "open", "factual", "open"],
            "answerable": [True, False, True, True],
        }
    )
    assert assemble_test_set.composition(cases).to_dict("records") == [
        {"kind": "generated", "factual": 1, "open": 0, "unanswerable": 0, "all": 1},
        {"kind": "logged", "factual": 0, "open": 1, "unanswerable": 0, "all": 1},
        {"kind": "own", "factual": 1, "open": 0, "unanswerable": 1, "all": 2},
    ]


def test_rejections_are_counted_the_most_frequent_first():
    rejected = pd.DataFrame({"reason": ["vague", "far", "too long", "far", "vague"]})
    counted = assemble_test_set.rejections(Collection(pd.DataFrame(), rejected, pd.DataFrame()))
    assert counted.to_dict("list") == {"reason": ["far", "vague", "too long"], "n": [2, 2, 1]}
    assert list(assemble_test_set.rejections(Collection(pd.DataFrame(), pd.DataFrame(), pd.DataFrame()))) == [
        "reason",
        "n",
    ]


def test_what_is_not_covered_is_said():
    coverage = pd.DataFrame({"topic": ["T01", "T02", "T03"], "uncovered": [False, True, True]})
    found = Collection(
        pd.DataFrame({"query_type": ["factual", "open", "yes_no"]}),
        pd.DataFrame(),
        pd.DataFrame({"where": ["x", "y"]}),
    )
    sentences = assemble_test_set.coverage_limits(coverage, found)
    assert sentences[:3] == [
        "No answerable case in topic T02, T03.",
        "No case of the kind multi-hop, inference, multiple-choice.",
        "The evidence of 2 own questions was not found in the documents.",
    ]
    whole = Collection(pd.DataFrame({"query_type": tables.QUERY_TYPES}), pd.DataFrame(), pd.DataFrame())
    assert assemble_test_set.coverage_limits(coverage.assign(uncovered=False), whole) == sentences[3:]


CASES = case_table.cases_frame(
    [
        {
            "case_id": f"c{i}",
            "question": f"What is {i}?",
            "answer_type": "short_fact",
            "query_type": "factual",
            "kind": kind,
        }
        for i, kind in enumerate(["own", "own", "generated"])
    ]
)


def test_a_plan_by_hand():
    made = assemble_test_set.plan(CASES, {"seed": 0})
    assert (made["n_cases"], made["kinds"], made["settings"]) == (3, {"generated": 1, "own": 2}, {"seed": 0})
    assert assemble_test_set.plan_deviation(json.loads(json.dumps(made)), CASES) == ""


def test_order_and_later_columns_do_not_count():
    assert assemble_test_set.cases_sha256(CASES.iloc[::-1].assign(x=1.0)) == assemble_test_set.cases_sha256(
        CASES
    )


@pytest.mark.parametrize(("change", "said"), [
    ({"question": "What else?"}, "not the same"), ({"reference_answer": "7"}, "not the same"), ({"answerable": False}, "not the same"),
])  # fmt: skip
def test_a_changed_case_is_noticed(change, said):
    assert said in assemble_test_set.plan_deviation(assemble_test_set.plan(CASES, {}), CASES.assign(**change))


def test_a_case_more_or_less_is_noticed():
    assert (
        assemble_test_set.plan_deviation(assemble_test_set.plan(CASES, {}), CASES.head(2))
        == "2 cases; 3 were planned"
    )


def test_an_edited_plan_is_noticed():
    made = assemble_test_set.plan(CASES, {"seed": 0})
    assert "the plan itself" in assemble_test_set.plan_deviation(made | {"settings": {"seed": 1}}, CASES)
    assert assemble_test_set.plan(CASES, {"seed": 1})["plan_sha256"] != made["plan_sha256"]


def test_every_case_says_where_it_comes_from(gather, own):
    assert gather(own=own).cases["origin"].tolist() == ["own", "own"]
    both = gather(own=own, n=2).cases
    assert both["origin"].tolist()[:2] == ["own", "own"] and set(both["origin"][2:]) == {"generated"}
    logged = pd.DataFrame(
        [
            {
                "case_id": "a",
                "question": "Lost card?",
                "origin": "web",
                "answer_type": "short_fact",
                "query_type": "factual",
            }
        ]
    )
    found = gather(logged=logged).cases
    assert found["origin"].tolist() == ["log"] and found["origin_given"].tolist() == ["web"]
