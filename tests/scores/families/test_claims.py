"""Claims and their numbers, citations, and what support loses without the reference passages: by hand, spelled out,
laws, refusals."""

import json

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from hypothesis import given
from hypothesis import strategies as st
from number_tables import LAYOUTS, MARKDOWN
from word_tools import WordTools

from ragassay.scores import METRICS, score
from ragassay.scores.families import claims
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

TOOLS = WordTools()
CONTEXTS = ("The wire fee is 25 dollars. It is waived by Ann Lee in March.", "Cards are free.")
SAID = [
    "The wire fee is 25 dollars.",
    "The fee is 25 dollars.",
    "The fee is 30 dollars.",
    "The fee is waived by Bob Ray.",
    "Cards are sold.",
]


def sample_of(answer: str, contexts=CONTEXTS, **more) -> Sample:
    return Sample(
        "c1",
        "s",
        answer=answer,
        contexts=contexts,
        context_ids=tuple(f"a#p{i}" for i, _ in enumerate(contexts, 1)),
        **more,
    )


def rate(sample: Sample, option: str = "") -> float:
    return claims.supported_claims_rate(sample, TOOLS, option)[0]


def test_the_tiers_by_hand():
    given = sample_of(" ".join(SAID))
    assert rate(given, "contained") == 1 / 5
    assert rate(given, "facts") == 2 / 4, "the last claim has no fact"
    assert rate(given, "entailed") == 2 / 5
    assert rate(given) == 2 / 5


STEPS = "Steps:\n1. Open the app.\n2. Choose the card.\n3. {}."
PRICES = "| Plan | Price |\n| --- | --- |\n| Basic | ${} |\n| Pro | ${} |"


@pytest.mark.parametrize(
    ("right", "wrong", "passage"),
    [
        (STEPS.format("Press Freeze"), STEPS.format("Call the branch"), "Open the app, choose the card and press Freeze."),
        (PRICES.format(10, 40), PRICES.format(40, 10), "The Basic plan costs $10. The Pro plan costs $40."),
    ],
)  # fmt: skip
def test_a_wrong_step_of_a_list_and_swapped_prices_hold_less_than_the_right_ones(right, wrong, passage):
    assert rate(sample_of(wrong, (passage,))) < rate(sample_of(right, (passage,)))


PLANS = "| Plan | Cover |\n| --- | --- |\n| Gold | theft abroad |\n| Silver | {} |"


@pytest.mark.parametrize("layout", ["prose", "table"])
def test_of_a_table_of_words_each_row_is_a_claim_and_a_cell_of_another_row_is_none_that_holds(layout):
    right = PLANS.format("fire")
    swapped = right.replace("theft abroad", "?").replace("fire", "theft abroad").replace("?", "fire")
    passages = {"prose": "The Gold plan has cover of theft abroad. The Silver plan has cover of fire."}
    contexts = (passages.get(layout, right),)
    told = {answer: claims.judge_claims(sample_of(answer, contexts), TOOLS) for answer in (right, swapped)}
    assert [len(records) for records in told.values()] == [2, 2]
    assert [one["departure"] for one in told[right]] == ["", ""] and rate(sample_of(swapped, contexts)) == 0
    assert all(one["departure"] for one in told[swapped])
    value, wrong = (METRICS["support"].measure(sample_of(one, contexts), TOOLS)[0] for one in told)
    assert wrong < value


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=6))
def test_containment_is_the_floor_and_more_evidence_never_hurts_the_facts(said):
    answer = sample_of(" ".join(said))
    assert 0 <= rate(answer, "contained") <= rate(answer) <= 1
    more = sample_of(" ".join(said), contexts=(*CONTEXTS, "Bob Ray charges 30."))
    try:
        assert rate(answer, "facts") <= rate(more, "facts")
    except NotApplicable:
        assert set(said) == {SAID[-1]}


def test_names_made_up_by_hand():
    value, detail = claims.no_hallucinated_entities(
        sample_of("It is waived by Ann Lee, not by Bob Ray.", question="And Cy Orr?"), TOOLS
    )
    assert value == 0.0 and [(record["text"], record["score"]) for record in detail] == [
        ("Ann Lee", 1.0),
        ("Bob Ray", 0.0),
    ]
    assert (
        claims.no_hallucinated_entities(sample_of("Ask for Cy Orr.", question="Who is Cy Orr?"), TOOLS)[0]
        == 1.0
    ), "the question may name it"
    assert claims.no_hallucinated_entities(sample_of("It is free."), TOOLS) == (1.0, [])


@pytest.mark.parametrize("option", ["", "contained", "facts", "entailed"])
def test_what_claims_nothing_is_not_applicable(option):
    with pytest.raises(NotApplicable, match="claims nothing"):
        rate(sample_of("Sure! Do you want more?"), option)
    if option == "facts":
        with pytest.raises(NotApplicable, match="a number, a date or a name"):
            rate(sample_of("Cards are free."), option)


STATED = [
    "Tea sales were £4.31 million in 2023.",
    "Coffee sales were £1.48 million in 2023.",
    "Tea sales rose by £390 thousand.",
    "Fern employs 77 people.",
]


def measured(name: str, answer: str, contexts=(MARKDOWN,), **more):
    sample = Sample("c1", "s", answer=answer, contexts=contexts, context_ids=("fern#p1",), **more)
    return METRICS[name].measure(sample, TOOLS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_by_hand(layout):
    """Stated word for word; of the year before (0.25 of the item's agreement); one step away; nowhere."""
    values = [measured("numeric_groundedness", said, (LAYOUTS[layout],))[0] for said in STATED]
    assert values == pytest.approx([1.0, 0.25, 0.75, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    "answer", ["No number.", "It was in 2023, on 12 March 2024.", "For 77 cups it is free."]
)
def test_refuses_an_answer_without_numbers_of_its_own(answer):
    with pytest.raises(NotApplicable, match="no number"):
        measured("numeric_groundedness", answer, question="What do 77 cups cost?")


FEE, CARD = "The wire fee is 25 dollars.", "Cards bloom by night."
ROW = {
    "case_id": "c",
    "system": "s",
    "question": "How much is the wire fee?",
    "answer": "The wire fee is 25 dollars [a#p1].",
    "contexts": [FEE, CARD],
    "context_ids": ["a#p1", "a#p2"],
    "reference_chunk_ids": ["a#p1"],
}
DROPS = ["groundedness_drop", "groundedness_drop:claims"]


def scored(metrics=DROPS, **changed):
    return score(pd.DataFrame([ROW | changed]), metrics=metrics, instruments=INSTRUMENTS).set_index("metric")


def test_the_drop_by_hand():
    """The one claim is supported by the reference passage alone: 1 with it, 0 without."""
    found = scored()
    assert found.value["groundedness_drop:claims"] == 1.0
    detail = json.loads(found.detail["groundedness_drop:claims"])
    assert detail == [{"with": 1.0, "without": 0.0, "taken": ["a#p1"]}]


@pytest.mark.parametrize(
    "changed, state, reason",
    [
        ({"reference_chunk_ids": ["a#p9"]}, "not_applicable", "no reference passage was retrieved"),
        ({"reference_chunk_ids": ["a#p1", "a#p2"]}, "not_applicable", "only reference passages"),
        ({"reference_chunk_ids": None}, "not_measured", "reference_chunk_ids not given"),
        ({"context_ids": ["a#p1"]}, "error", "context_ids has 1 entries for 2 contexts"),
    ],
)
def test_the_drop_refuses(changed, state, reason):
    found = scored(**changed)
    assert set(found.state) == {state} and all(why.startswith(reason) for why in found.reason)


@pytest.mark.parametrize(
    "answer, correct, valid, supported",
    [
        ("Cards cost 70 dollars [a#p1][a#p2]. Wires [x#p9].", 2 / 3, 0.0, 0.0),
        ("Cards cost 70 dollars [a#p1].", 1.0, 1.0, 0.0),
        ("Cards are free [a#p2]. The wire fee is 25 dollars [a#p1, x#p9].", 2 / 3, 0.0, 1.0),
        ("Cards are free.", 0.0, 0.0, 0.0),
    ],
)
def test_citation_correctness_is_the_lesson_s_share_and_whether_a_passage_supports_has_another_name(
    answer, correct, valid, supported
):
    """By hand: ids that were retrieved of the ids cited (4.1), all of them (3.1), sentences supported of those citing."""
    sample = sample_of(answer)
    assert claims.citation_correctness(sample, TOOLS)[0] == pytest.approx(correct)
    assert claims.citation_correctness(sample, TOOLS, "valid")[0] == valid
    assert claims.citations_present(sample, TOOLS)[0] == float("[" in answer)
    assert claims.citations_supported(sample, TOOLS)[0] == supported


def test_citing_sentences_are_held_against_what_they_cite():
    cited = sample_of("Cards are free [a#p2]. The fee is 25 dollars [a#p2]. Wires [x#p9]. Yes.")
    value, detail = claims.citations_supported(cited, TOOLS, "entailed")
    assert value == pytest.approx(1 / 3) and [record["score"] for record in detail] == [1.0, 0.0, 0.0]
    assert [record["evidence"] for record in detail] == ["Cards are free.", "Cards are free.", None]
    assert claims.citations_supported(sample_of("Cards are free."), TOOLS, "entailed") == (0.0, [])


def test_what_the_reply_names_beside_its_text_is_cited_by_each_sentence_unless_the_text_cites():
    silent = sample_of("Cards are free. The wire fee is 25 dollars.", citations=("a#p2",))
    assert claims.citations_present(silent, TOOLS)[0] == 1.0
    assert claims.citations_supported(silent, TOOLS)[0] == 0.5
    assert sample_of("Free [x#p9].", citations=("a#p2",)).cited == [("Free.", ("x#p9",))]
