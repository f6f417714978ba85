"""Support: the model on answers, its evidence, rows of tables, a model named by the user."""

import pytest
from fake_tools import FakeTools

from ragassay.scores.families import inference
from ragassay.scores.families import support as support_model
from ragassay.scores.families.support import inspect, support
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

CONTEXTS = ("The card fee is 12 euros. It is paid by transfer.", "Branches in Port Alder close on Friday.")


def sample(answer="The card fee is 12 euros.", contexts=CONTEXTS):
    return Sample(
        "a", "s", answer=answer, contexts=contexts, context_ids=tuple(f"c{i}" for i, _ in enumerate(contexts))
    )


def test_the_value_is_the_models_on_the_answers_features():
    one, tools = sample("The card fee is 12 euros. Branches close on Sunday."), FakeTools()
    found, chances, cosine = inspect(one, tools)
    assert (len(found), chances.shape, cosine.shape) == (2, (2, 3), (2, 3))
    assert support(one, tools)[0] == pytest.approx(
        support_model.probability(support_model.features(found, chances), support_model.model())
    )
    pairs = inference.premise_pairs(one.answer_sentences, one.context_sentences, tools)
    assert chances == pytest.approx(tools.entail(pairs, "entail_shipped").probabilities)


def test_evidence_names_the_weakest_sentence_and_what_it_lacks():
    _, detail = support(sample("The card fee is 12 euros. The card fee is 19 euros in Lisbon."), FakeTools())
    assert [record["weakest"] for record in detail] == [False, True]
    assert detail[1]["evidence"] == "The card fee is 12 euros." and detail[1]["evidence_id"] == "c0"
    assert detail[1]["numbers_missing"] == ["19"] and detail[1]["names_missing"] == ["Lisbon"]
    assert detail[0]["score"] > detail[1]["score"]


def test_an_invention_lowers_a_long_answer_and_is_named():
    true = "The card fee is 12 euros. It is paid by transfer. Branches in Port Alder close on Friday."
    value, _ = support(sample(true), FakeTools())
    worse, detail = support(sample(f"{true} Gold bars are shipped from Zurich by drone."), FakeTools())
    assert worse < value - 0.05
    assert [record["weakest"] for record in detail] == [False, False, False, True]


def test_a_figure_out_of_a_table_is_supported_more_than_one_of_another_row_period_or_none():
    table = (
        "Revenue, £ million\n| Segment | 2023 | 2022 |\n| Bakery | 412.6 | 388.1 |\n| Deli | 97.3 | 88.9 |"
    )
    value, detail = support(sample("Bakery had 412.6 in 2023.", (table,)), FakeTools())
    for wrong in ("Bakery had 97.3 in 2023.", "Bakery had 412.6 in 2022.", "Bakery had 431.9 in 2023."):
        assert support(sample(wrong, (table,)), FakeTools())[0] < value - 0.05
    assert "412.6" in detail[0]["evidence"]


@pytest.mark.parametrize(
    ("answer", "contexts", "reason"),
    [("...", CONTEXTS, "answer holds"), ("A fee.", ("?!",), "contexts hold")],
)
def test_nothing_to_judge_is_said(answer, contexts, reason):
    with pytest.raises(NotApplicable, match=reason):
        support(sample(answer, contexts), FakeTools())


CONTEXTS_OF_NAMED_SUPPORT = (
    "The card fee is 12 euros. It is paid by transfer.",
    "Branches in Port Alder close on Friday.",
)


def by_words(asked):
    """The share of a text's words that its context holds."""
    return [
        sum(word in " ".join(those) for word in text.split()) / len(text.split()) for those, text in asked
    ]


def sample_named_support(answer, contexts=CONTEXTS_OF_NAMED_SUPPORT):
    return Sample("a", "s", answer=answer, contexts=contexts, context_ids=("c0", "c1")[: len(contexts)])


def test_by_hand():
    """Of "Gold is paid." two words of three stand in the passages, of the other sentence all."""
    value, detail = support(
        sample_named_support("The card fee is 12 euros. Gold is paid"), FakeTools(supported=by_words)
    )
    assert value == pytest.approx(2 / 3) and [round(one["score"], 3) for one in detail] == [1.0, 0.667]
    assert [one["weakest"] for one in detail] == [False, True]
    assert detail[0]["evidence"] == "The card fee is 12 euros." and detail[0]["evidence_id"] == "c0"


ROWS = [("Segment", "2023", "2022"), ("Bakery", "412.6", "388.1"), ("Chilled meals", "297.3", "301.9")]
