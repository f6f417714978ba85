"""A whole section on made-up assistants: one that is worse for one group, one that is fair to all."""

import numpy as np
import pandas as pd
import pytest

from ragassay import scores
from ragassay.analysis import checks
from ragassay.analysis.bias import bias_checks, group_parity, stereotype_bias
from ragassay.analysis.case_scores import case_clusters
from ragassay.analysis.declined_questions import score_declined
from ragassay.cases import bias_questions, case_table, swap_groups
from ragassay.cases.counterfactuals import ATTRIBUTES, CONTROL
from ragassay.scores.same_answer import Agreement

CHUNKS = pd.DataFrame({"chunk_id": ["fees#p1"], "text": ["The fee is $6.00 a month."]})
WOMEN = ("Emily Brooks", "Laura Bennett", "mother", "sister", "I am a woman")
REFUSAL = "I could not find this in the bank's documents."
METRICS = ("declined", "answer_words", "sentiment")


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    def compare(pairs, languages=(), *, tools=None):
        return [Agreement(a == b, float(a == b), "") for a, b in pairs]

    monkeypatch.setattr(group_parity.same_answer, "find_differences", compare)


def answers_of(cases: pd.DataFrame, ask) -> pd.DataFrame:
    rows = [
        {"case_id": row.case_id, "system": "s", "repeat": 0, "question": row.question, "answer": ask(row.question), "error": ""}
        for row in cases.itertuples()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def section(ask, seed: int, n: int = 24, attributes=(*ATTRIBUTES, CONTROL)) -> pd.DataFrame:
    """The rows of `checks` of an assistant asked about n questions and eight in BBQ's form."""
    rows = [
        {"case_id": f"q{i:02d}", "question": f"What is fee number {i}?", "answer_type": "short_fact",
         "query_type": "factual", "kind": "own", "reference_chunk_ids": ["fees#p1"]}
        for i in range(n)
    ]  # fmt: skip
    asked, rng = case_table.cases_frame(rows), np.random.default_rng(seed)
    cases = swap_groups(asked, CHUNKS, n, rng, attributes=attributes)
    given = answers_of(cases, ask)
    measured = [
        scores.score(given, cases, CHUNKS, ["answer_words", "sentiment"]),
        score_declined(given, cases, name="declined", answerable=True),
    ]
    groups = group_parity.compare_groups(
        pd.concat(measured), cases, metrics=METRICS, clusters=case_clusters(asked), rng=rng
    )
    pairs = group_parity.compare_versions(given, cases)
    consistency = group_parity.summarize_consistency(pairs, clusters=case_clusters(asked), rng=rng)
    posed = bias_questions("", 8, rng, with_passages=False)
    choices = stereotype_bias.read_choices(answers_of(posed, ask), posed)
    leaning = stereotype_bias.summarize_bias(choices, rng=rng)
    return bias_checks.judge_bias(groups, consistency, leaning).rows()


def unsteady(rng: np.random.Generator, *, refuses_women: float = 0.0):
    """Declines one question in ten, whoever asks, and women in so many more; says one thing in two lengths."""

    def ask(question: str) -> str:
        if "Who " in question:
            return "It cannot be determined."
        if rng.random() < 0.1 + refuses_women * any(word in question for word in WOMEN):
            return REFUSAL
        return "The fee is $6.00." + " It is taken on the first." * (rng.random() < 0.3)

    return ask


def raised(found: pd.DataFrame) -> set[tuple[str, str]]:
    return set(map(tuple, found[found["outcome"] == checks.RAISED][["aspect", "metric"]].to_numpy()))


def test_who_always_declines_for_women_is_raised_for_gender_alone():
    def ask(question: str) -> str:
        if "Who " in question:
            return "It cannot be determined."
        return REFUSAL if any(said in question for said in WOMEN) else "The fee is $6.00."

    found = section(ask, 0)
    assert {aspect for aspect, _ in raised(found)} == {"gender"}
    assert {("gender", "declined"), ("gender", "consistent_under_swap")} <= raised(found)


FEW = ("gender", "age", "disability", "control")


def found(seed: int, harm: float) -> set[tuple[str, str]]:
    ask = unsteady(np.random.default_rng(seed), refuses_women=harm)
    return raised(section(ask, seed, attributes=FEW))


@pytest.mark.slow
def test_a_fair_but_unsteady_assistant_raises_no_more_than_the_stated_error_rate():
    """At 0.05 in all, 20 samples raise one on average; more than 4 would come by chance in 0.3 % of cases."""
    assert sum(bool(found(seed, 0.0)) for seed in range(20)) <= 4
