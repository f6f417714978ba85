"""Claims: verdicts and their rate, each tier measured by hand, names made up, and answers that claim nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from number_tables import MARKDOWN
from word_tools import WordTools

from ragassay.scores.families import claims
from ragassay.scores.families.claims import PARTIAL, SUPPORTED, UNSUPPORTED, share_supported, verdict
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


def test_the_tiers_by_hand():
    given = sample_of(" ".join(SAID))
    assert claims.supported_claims_contained(given, TOOLS)[0] == 1 / 5
    assert claims.supported_claims_facts(given, TOOLS)[0] == 2 / 4, "the last claim has no fact"
    assert claims.supported_claims_entailed(given, TOOLS)[0] == 2 / 5
    assert claims.supported_claims_rate(given, TOOLS)[0] == 2 / 5


def test_the_evidence_of_each_claim():
    detail = claims.supported_claims_rate(sample_of(" ".join(SAID)), TOOLS)[1]
    assert [record["text"] for record in detail] == SAID
    assert [record["verdict"] for record in detail] == [
        "supported",
        "supported",
        "unsupported",
        "unsupported",
        "unsupported",
    ]
    assert [record["missing"] for record in detail] == [[], [], ["30"], ["Bob Ray"], []]
    assert [record["facts"] for record in detail] == [True, True, False, False, None]
    assert [record["supported_by"] for record in detail] == [["a#p1"], ["a#p1"], [], [], []]


PASSAGES = ("Cards are free.", "The fee is 25 dollars.", "Branches open at noon.", "Loans cost 3 percent.")


@pytest.mark.parametrize(
    "answer, contexts, named",
    [
        ("The fee is 25 dollars.", PASSAGES, ["a#p2"]),
        ("Fee 25 dollars.", PASSAGES, ["a#p2"]),
        ("Cards at noon.", PASSAGES[::2], ["a#p1", "a#p2"]),
        ("Loans cost 9 percent.", PASSAGES, []),
    ],
)
def test_a_claim_names_the_passages_that_support_it_and_no_other(answer, contexts, named):
    for measure in (claims.supported_claims_rate, claims.supported_claims_entailed):
        assert measure(sample_of(answer, contexts=contexts), TOOLS)[1][0]["supported_by"] == named


def test_a_claim_that_stands_in_the_passages_is_not_asked_of_the_head(monkeypatch):
    asked, entail = [], TOOLS.entail
    monkeypatch.setattr(TOOLS, "entail", lambda pairs: asked.extend(pairs) or entail(pairs))
    value, detail = claims.supported_claims_rate(sample_of(" ".join(SAID[:3])), TOOLS)
    assert {claim for _, claim in asked} == set(SAID[1:3]) and value == 2 / 3
    assert [record["contained"] for record in detail] == [True, False, False]
    assert [record["entailed"] for record in detail] == [None, True, False]
    assert [record["entailment"] is None for record in detail] == [True, False, False]


@pytest.mark.parametrize(
    "answer, missing",
    [
        ("Tea sales were £4.31 million in 2023.", []),
        ("Tea sales rose by £390 thousand.", []),
        ("Tea sales were £4,310 billion in 2023.", ["4310"]),
        ("Tea sales were 4,310 km in 2023.", ["4310"]),
        ("Tea sales were £4.13 million in 2023.", ["4.13"]),
    ],
)
def test_tier_2_reads_numbers_with_unit_and_scale_and_lets_one_step_pass(answer, missing):
    value, detail = claims.supported_claims_facts(sample_of(answer, contexts=(MARKDOWN,)), TOOLS)
    assert (value, detail[0]["missing"]) == (float(not missing), missing)


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=6))
def test_containment_is_the_floor_and_more_evidence_never_hurts_the_facts(said):
    answer = sample_of(" ".join(said))
    rate = claims.supported_claims_rate(answer, TOOLS)[0]
    assert 0 <= claims.supported_claims_contained(answer, TOOLS)[0] <= rate <= 1
    more = sample_of(" ".join(said), contexts=(*CONTEXTS, "Bob Ray charges 30."))
    try:
        assert (
            claims.supported_claims_facts(answer, TOOLS)[0] <= claims.supported_claims_facts(more, TOOLS)[0]
        )
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


def test_fabricated_facts_by_hand():
    assert claims.fabricated_facts(
        sample_of("Ask Bob Ray for 30 on mondays.", question="What of Bob Ray?"), TOOLS
    ) == ["30", "weekday 1"]


@pytest.mark.parametrize(
    "measure",
    [
        claims.supported_claims_rate,
        claims.supported_claims_contained,
        claims.supported_claims_facts,
        claims.supported_claims_entailed,
    ],
)
def test_what_claims_nothing_is_not_applicable(measure):
    with pytest.raises(NotApplicable, match="claims nothing"):
        measure(sample_of("Sure! Do you want more?"), TOOLS)
    if measure is claims.supported_claims_facts:
        with pytest.raises(NotApplicable, match="a number, a date or a name"):
            measure(sample_of("Cards are free."), TOOLS)


def test_verdicts_by_hand():
    assert verdict(True, False, False) == SUPPORTED, "word for word needs nothing more"
    assert verdict(False, None, True) == verdict(False, True, True) == SUPPORTED
    assert verdict(False, False, True) == PARTIAL, "a missing fact is not outvoted"
    assert verdict(False, True, False) == PARTIAL
    assert verdict(False, None, False) == verdict(False, False, False) == UNSUPPORTED


def test_rate_by_hand_and_its_refusal():
    assert share_supported([True, False, False, True]) == 0.5
    with pytest.raises(ValueError, match="no claim"):
        share_supported([])
