"""Support: the model on answers, its evidence, rows of tables, a model named by the user; what one sentence holds that
its passages do not, and the model over it: by hand, the formula, laws, refusals."""

import math

import numpy as np
import pytest
from fake_tools import FakeTools

from ragassay.scores.families import support as support_model
from ragassay.scores.families.support import (
    FEATURES,
    NAMES,
    Model,
    features,
    findings,
    inspect,
    probability,
    source,
    support,
)
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
    premise = " ".join(sentence.text for sentence in one.context_sentences)
    pairs = [(premise, sentence.text) for sentence in one.answer_sentences]
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


def by_words(asked):
    """The share of a text's words that its context holds."""
    return [
        sum(word in " ".join(those) for word in text.split()) / len(text.split()) for those, text in asked
    ]


def test_by_hand():
    """Of "Gold is paid." two words of three stand in the passages, of the other sentence all."""
    value, detail = support(sample("The card fee is 12 euros. Gold is paid"), FakeTools(supported=by_words))
    assert value == pytest.approx(2 / 3) and [round(one["score"], 3) for one in detail] == [1.0, 0.667]
    assert [one["weakest"] for one in detail] == [False, True]
    assert detail[0]["evidence"] == "The card fee is 12 euros." and detail[0]["evidence_id"] == "c0"


BANK = (
    "The Harbour Bank raised its card fee to 12 euros in March.",
    "Customers in Lisbon paid the fee by transfer.",
    "All branches closed on Monday.",
)


def found(sentence, cosines=(0.9, 0.5, 0.1)):
    return findings(sentence, source(BANK, (0, 1, 2), BANK), cosines)


def test_findings_by_hand():
    """12 is 15, March is June, Lisbon is Porto."""
    one = found("The bank lowered its fee to 15 euros in June for all clients in Porto")
    assert one["numbers_missing"] == ["15"]
    assert one["dates_missing"] == ["month 6"]
    assert one["names_missing"] == ["Porto"]
    assert (one["words"], one["words_found"]) == (
        8,
        3,
    )  # bank, fee and euros of bank lowered fee 15 euros june clients porto
    assert (one["pairs"], one["pairs_found"]) == (7, 0)


SURE = [[0.9, 0.05, 0.05]]
KINDS = (*support_model.PER_SENTENCE, "borne_out")
COUNTS = {"words": 6, "words_found": 6, "words_together": 6, "pairs": 5, "pairs_found": 5}
PLAIN = (
    COUNTS
    | {"tokens": 10, "tokens_met": 10, "negation_new": False, "departure": ""}
    | dict.fromkeys(KINDS, ())
)


def test_features_by_hand():
    two = [
        PLAIN,
        PLAIN
        | {
            "words_found": 3,
            "words_together": 2,
            "tokens": 20,
            "tokens_met": 5,
            "numbers_missing": ("7",),
            "borne_out": (0.25, 1.0),
            "negation_new": True,
        },
    ]
    values = features(two, [[0.8, 0.1, 0.1], [0.2, 0.2, 0.6]])
    expected = {
        "words_found": 9 / 12, "words_together": 8 / 12,
        "tokens_met": 15 / 30, "least_met": 5 / 20, "pairs_found": 1.0, "numbers_missing": math.log(1.5), "negations_new": 0.5,
        "numbers_borne_out": math.log(1 + 1.25 / 2), "numbers_doubtful": math.log(1 + 0.75 / 2),
        "entailed": (10 * math.log(4) - 20 * math.log(4)) / 30,
    }  # fmt: skip
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_a_long_answer_is_judged_not_by_single_amounts():
    stating = PLAIN | {"borne_out": (0.5,)}
    values = features([stating] * 3, SURE * 3)
    assert all(values[name] == 0.0 for name in support_model.SHORT)
    assert all(features([stating] * 2, SURE * 2)[name] > 0 for name in support_model.SHORT)
    assert features([stating], SURE, long=True) == values


def test_the_formula_spelled_out():
    fitted = Model(np.full(len(NAMES), 0.5), np.full(len(NAMES), 2.0), np.linspace(-1, 1, len(NAMES)), 0.3)
    values = features([PLAIN], SURE)
    odds = 0.3 + sum(
        (values[name] - 0.5) / 2 * b for name, b in zip(NAMES, np.linspace(-1, 1, len(NAMES)), strict=True)
    )
    assert probability(values, fitted) == pytest.approx(1 / (1 + math.exp(-odds)))


def test_the_shipped_coefficients_have_the_sign_their_meaning_asks_for():
    fitted = support_model.model()
    assert all(b * sign >= 0 for b, sign in zip(fitted.coefficients, FEATURES.values(), strict=True))
    assert (fitted.scales > 0).all()
    assert np.abs(fitted.coefficients).max() > 0.1


def test_a_copy_is_supported_and_a_changed_fact_less():
    fitted = support_model.model()
    copy, changed = (found(BANK[0]), found("The Harbour Bank lowered its card fee to 15 euros in March."))
    assert probability(features([copy], SURE), fitted) > probability(features([changed], SURE), fitted) + 0.1
