"""Abstention: whether the assistant declines, and whether it should."""

import numpy as np
import pandas as pd
import pytest
from fake_tools import INSTRUMENTS
from word_tools import WordTools

from ragassay.analysis.scorecard import summarize_scores
from ragassay.api.summary import summarise
from ragassay.decision import gate_grammar, gates
from ragassay.scores import score
from ragassay.scores.families.refusals import abstains, abstention_correct, hedged_rate, should_have_abstained
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.stats import clopper_pearson

TOOLS, FAKES = WordTools(), Tools(**INSTRUMENTS)
REFUSAL, ANSWER = "I could not find this.", "The fee is 5."


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_declining_is_seen_and_named():
    declined = {"state": "declined", "rule": "en: I could not find"}
    assert abstains(sample_of(REFUSAL), TOOLS) == (1.0, [declined])
    assert abstains(sample_of(ANSWER), TOOLS) == (0.0, [{"state": "answered", "rule": None}])


def test_a_hedged_answer_is_no_abstention_and_right_only_where_it_is_grounded():
    """Decision 20: an invention after a refusal is a false answer, related information that is held is none."""
    held, invented = (f"{REFUSAL} The fee is {fee} dollars a month." for fee in (5, 70))
    rows = [
        sample_of(text, answerable=False, contexts=("The fee is 5 dollars a month.",))
        for text in (held, invented)
    ]
    assert [abstains(row, FAKES)[0] for row in rows] == [0.0, 0.0]
    assert [hedged_rate(row, FAKES)[0] for row in rows] == [1.0, 1.0]
    assert [abstention_correct(row, FAKES)[0] for row in rows] == [1.0, 0.0]
    assert [should_have_abstained(row, FAKES)[0] for row in rows] == [0.0, 1.0]
    assert abstention_correct(sample_of(invented, answerable=True), FAKES)[0] == 1.0


@pytest.mark.parametrize(
    "answer, answerable, right",
    [(REFUSAL, True, 0.0), (REFUSAL, False, 1.0), (ANSWER, True, 1.0), (ANSWER, False, 0.0)],
)
def test_the_decision(answer, answerable, right):
    assert abstention_correct(sample_of(answer, answerable=answerable), TOOLS)[0] == right


def test_five_wrong_of_fifty_is_a_rate_of_a_tenth_whatever_else_is_in_the_table():
    """214 answerable cases beside them, some declined: the rate and the gate's bound are those of 5 in 50."""
    told = [(ANSWER, False)] * 5 + [(REFUSAL, False)] * 45 + [(ANSWER, True)] * 200 + [(REFUSAL, True)] * 14
    rows = [
        {"case_id": f"c{place}", "system": "s", "answer": text, "answerable": known}
        for place, (text, known) in enumerate(told)
    ]
    found = score(pd.DataFrame(rows), metrics=["should_have_abstained"])
    card = summarize_scores(found, rng=np.random.default_rng(0))
    row, exact = card.iloc[0], clopper_pearson(5, 50)
    assert (row.value, row.n, row.n_not_applicable) == (0.1, 50, 214)
    assert (row.low, row.high) == pytest.approx((exact.low, exact.high))
    gate = gates.evaluate(gate_grammar.parse({"should_have_abstained": "high <= 0.2"}), card).iloc[0]
    assert (gate.outcome, gate.n) == (gates.FAIL, 50)
    printed = summarise([found]).iloc[0]
    assert (printed.value, printed.n, printed.not_applicable) == (0.1, 50, 214)
