"""What a run shows of its instruments: a frame a question, none where nothing was examined."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from calibration.labelled_scores import tables
from models.rule_judge import RuleJudge
from ragassay import examination
from ragassay.examination import instruments
from ragassay.examination.examine import ALL_MARKS, COLUMNS, FAILED, FOLDER, PASSED, Examination
from ragassay.labels.raters import accepted

SUITE = str(FOLDER / "training.jsonl")


@pytest.fixture(scope="module")
def found():
    return instruments.examine_instruments(
        SUITE, metrics=["supported_claims_rate:contained", "supported_claims_rate"]
    )


@pytest.mark.slow
def test_marks_beside_rules_and_failures(found):
    assert found.marks["mark"].tolist() == ["all six marks", *ALL_MARKS]
    assert found.marks[["value", "rules"]].notna().all(axis=None)
    assert found.failure_modes["mode"].tolist() == [f"FM{number}" for number in range(1, 8)]


@pytest.mark.slow
def test_pairs_are_of_the_metrics_that_claim_to_see_them(found):
    assert found.pairs["metric"].tolist() == ["supported_claims_rate"] and found.pairs["n"].gt(20).all()
    assert "supported_claims_rate" in set(found.barred["metric"]) and found.barred["reason"].str.len().all()


def test_a_judge_beside_the_offline_metrics(monkeypatch):
    monkeypatch.setattr(examination.instruments, "make_judge", lambda *named, **settings: RuleJudge())
    table = instruments.examine_judge(SUITE, "http://127.0.0.1:1/v1", "m")
    assert table["mark"].tolist() == list(ALL_MARKS) and list(table) == instruments.OF_JUDGE
    assert table["identical"].between(0, 1).all()


SCORE, VERDICT = "ragas:faithfulness", "deepeval:faithfulness_passed"


def errors(scores, human, name):
    judged = accepted(human, {"grounded": 1.0})
    return examination.tool_score_errors(scores, judged, {name: "grounded"})


@pytest.fixture
def labelled():
    scores, human = tables(160, np.random.default_rng(0))
    return scores.assign(metric=SCORE), human


def test_a_tool_s_verdict_is_judged_as_it_stands_turned_where_lower_is_better(labelled):
    scores, human = labelled
    good = (scores.value > 0).astype(float)
    (row,) = errors(scores.assign(metric=VERDICT, value=good), human, VERDICT).to_dict("records")
    said, label = good.to_numpy(), human.label.to_numpy()
    assert row["decided_by"] == instruments.OWN and row["n_rejected"] + row["n_accepted"] == 160
    assert row["type_1"] == pytest.approx(said[label == 0].mean())
    assert row["type_2"] == pytest.approx(1 - said[label == 1].mean())
    name = "ragchecker:hallucination"
    assert errors(scores.assign(metric=name, value=1 - good), human, name).type_1[0] == row["type_1"]


def marked(passed, mark="faithfulness", tests=100, number=16):
    """All pass but this mark, which passes on the tests named."""
    rows = [
        (test, f"q{test % 9}", number, each, 1.0, "==1", PASSED if each != mark or test in passed else FAILED)
        for test in range(tests)
        for each in ALL_MARKS
    ]
    return Examination("it", pd.DataFrame(rows, columns=COLUMNS))


def pairs(told, tied, kind="number", metric="support"):
    rows = [
        (place, kind, metric, 0.0, 0.0, outcome)
        for place, outcome in enumerate(["told"] * told + ["tied"] * tied)
    ]
    return pd.DataFrame(rows, columns=instruments.PAIR_COLUMNS)


@pytest.mark.parametrize(("passed", "by_rules", "said"), [
    (range(79), range(100), "79 of 100 unit tests (79 %)"), (range(80), range(100), ""),
    (range(80), range(70), "right on 10 of 30"), (range(86), range(70), ""),
])  # fmt: skip
def test_both_rates_must_be_reached(passed, by_rules, said):
    found = instruments.excluded_metrics(marked(passed), marked(by_rules), pairs(0, 0))
    assert set(found) == ({"grouse_faithfulness"} if said else set()) and said in found.get(
        "grouse_faithfulness", ""
    )


@pytest.mark.parametrize(
    ("told", "tied", "is_barred"),
    [(20, 0, False), (10, 10, True), (14, 6, True), (15, 5, False), (0, 0, False)],
)
def test_pairs_must_be_told_apart_better_than_by_guessing(told, tied, is_barred):
    found = instruments.excluded_metrics(marked(range(100)), marked([]), pairs(told, tied))
    assert set(found) == ({"support"} if is_barred else set())


CLASSES = st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2])), min_size=1, max_size=30)


def test_by_hand():
    """Ranks 1 2 3 against 1 3 2: 0.5. Of two classes one is shared by 1 of 2 and 1, the other by 1 of 1 and 2: both 2/3."""
    assert instruments.spearman([1, 3, 5], [2, 5, 4]) == pytest.approx(0.5)
    assert (
        instruments.macro_f1([0, 0, 1], [0, 1, 1]) == pytest.approx(2 / 3)
        and instruments.macro_f1([2, 2], [2, 2]) == 1.0
    )


@given(CLASSES)
def test_macro_f1_is_that_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)
    assert instruments.macro_f1(first, second) == pytest.approx(f1_score(first, second, average="macro"))


def marks(values, mark="answer_relevancy"):
    rows = [(i, mark, np.nan if value is None else value, i) for i, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["item", "mark", "value", "cluster"])


def test_null_is_left_out_of_grades_and_a_class_of_checks():
    grades = instruments.between_judges(
        marks([1, 3, 5, None]), marks([2, 5, 4, 3]), rng=np.random.default_rng(0)
    ).iloc[0]
    assert (grades.measure, grades.n, grades.left_out, grades.identical) == ("Spearman", 3, 1, 0.0)
    assert grades.value == pytest.approx(0.5)
    both = [marks([1, 0, None], "faithfulness")] * 2
    checks = instruments.between_judges(*both, rng=np.random.default_rng(0)).iloc[0]
    assert checks[["measure", "value", "n", "identical"]].tolist() == ["macro-F1", 1.0, 3, 1.0]
    constant = instruments.between_judges(
        marks([5, 5, 5]), marks([1, 2, 3]), rng=np.random.default_rng(0)
    ).iloc[0]
    assert np.isnan(constant.value) and constant.reason


def test_intervals_of_the_agreement_cover_the_truth(simulations):
    """Macro-F1 of a judge that is right 8 times in 10, three equal classes, 40 questions of three answers: 0.8."""
    rng, covered, runs = np.random.default_rng(5), 0, simulations(150, 10)
    items = {"item": range(120), "mark": "faithfulness", "cluster": np.repeat(np.arange(40), 3)}
    for _ in range(runs):
        truth = rng.integers(0, 3, 120)
        guess = np.where(rng.random(120) < 0.8, truth, (truth + rng.integers(1, 3, 120)) % 3)
        both = (pd.DataFrame(items | {"value": values}) for values in (truth, guess))
        found = instruments.between_judges(*both, rng=rng).iloc[0]
        covered += found.low <= 0.8 <= found.high
    assert 0.93 - 3 * np.sqrt(0.95 * 0.05 / runs) <= covered / runs <= 1


def checks(outcomes, metric="support", kind="number"):
    rows = [(place, kind, metric, 0.0, 0.0, outcome) for place, outcome in enumerate(outcomes, start=1)]
    return pd.DataFrame(rows, columns=instruments.PAIR_COLUMNS)


def test_a_metric_that_reads_numbers_tells_them_apart():
    says = {5: "The fee is 5.", 7: "The fee is 7."}
    pair, tied, turned = (
        {"place": place, "kind": "number", "input": "What is the fee?", "references": [says[5]],
         "answers": [says[first], says[second]]}
        for place, (first, second) in enumerate([(5, 7), (5, 5), (7, 5)])
    )  # fmt: skip
    found = instruments.examine_pairs(
        [pair, tied, turned], ["supported_claims_rate:contained", "query_relevance:numeric_consistency"]
    )
    assert found.outcome.tolist() == ["told", "told", "tied", "tied", "wrong", "wrong"]
    assert instruments.examine_pairs([], ["support"]).empty


def test_by_metric_by_hand():
    """A tie is not told; what could not be scored is counted apart; other kinds are not asked."""
    one = checks(["told", "told", "tied", "wrong", "unscored"])
    (row,) = instruments.pairs_by_metric(pd.concat([one, checks(["told"], kind="unit")])).itertuples()
    assert (row.value, row.n, row.tied, row.unscored) == (0.5, 4, 1, 1)
    none = instruments.pairs_by_metric(checks(["unscored"] * 3)).iloc[0]
    assert np.isnan(none.value) and none.n == 0 and none.unscored == 3


METRICS = ["grouse_answer_relevancy:judge", "grouse_faithfulness:judge"]


def table(judge):
    pairs = instruments.read_pairs(instruments.VERBOSITY)
    checks = instruments.examine_pairs(pairs, METRICS, instruments={"judge": judge})
    return instruments.summarize_verbosity(checks, rng=np.random.default_rng(0)).set_index("metric")


def test_a_judge_that_rewards_length_is_seen():
    """4 for a short answer, 5 for a long one: a grade of difference in every pair."""
    found = table(RuleJudge(prefers_long=True)).loc["grouse_answer_relevancy:judge"]
    assert (found.longer, found.shorter, found.same, found.n) == (10, 0, 0, 10)
    assert found.difference == 1.0 and found.sign_p == pytest.approx(2 / 2**10)
