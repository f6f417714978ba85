"""What an examination says beside its pass rates: failure modes, prompts and their
choice."""

import numpy as np
import pandas as pd
import pytest
from prompt_judge import PromptJudge
from test_unit_test_suite import TABLE, perfect, row, write

from ragassay.errors import ParameterError
from ragassay.examination import examine, further_tables, scorers, unit_test_suite
from ragassay.examination.further_tables import (
    MODES,
    OF_TYPE,
    by_failure_mode,
    choose_prompt,
    compare_prompts,
    examine_prompts,
    shares_right,
)
from ragassay.examination.unit_test_suite import FOLDER, MARKS
from ragassay.scores.judge.judge_prompts import PROMPTS

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def tests():
    return unit_test_suite.read(FOLDER / "training.jsonl")[:4]


def test_prompts_need_a_judge(tests):
    found = examine.examine(tests, scorers.rules_alone)
    with pytest.raises(ParameterError, match="prompts are a judge's"):
        further_tables.further_tables(tests, found, every_prompt=True)


def modes_of(tests, scorer) -> pd.DataFrame:
    return by_failure_mode(examine.examine(tests, scorer)).set_index("mode")


@pytest.fixture
def five(tmp_path):
    return unit_test_suite.read(write(tmp_path, [row(number) for number in TABLE]))


def test_failure_modes_by_hand(five):
    """One test of each kind and a scorer that gives the best mark to all: it finds nothing and raises no alarm."""
    best = {"answer_relevancy": 5, "completeness": 5, "usefulness": None, "faithfulness": 1}
    found = modes_of(five, lambda rows: [best] * len(rows))
    assert found.loc["FM7", ["found", "n"]].tolist() == [0.0, 1] and found.loc["FM1", "n"] == 2
    # types 8, 9 and 13 are faithful; the scorer says so of each
    assert found.loc["FM7", ["false_alarms", "faultless"]].tolist() == [0.0, 3]
    # type 13 should be refused, is not, and so both its marks of acceptance are wrong
    assert found.loc["FM2", ["false_alarms", "faultless"]].tolist() == [1.0, 1]


def test_a_perfect_scorer_finds_all_and_raises_no_alarm(five):
    found = modes_of(five, perfect(five))
    tested = found[found.n > 0]
    assert (tested.found == 1).all() and (found.false_alarms.dropna() == 0).all()
    assert found.n.tolist() == [2, 1, 1, 1, 1, 0, 1] and pd.isna(found.loc["FM6", "found"])


def test_the_bundled_suite_tests_every_mode():
    """Nine questions: every type once each; a missing citation counts as FM6 by its definition."""
    tests = unit_test_suite.read()
    found = modes_of(tests, perfect_of(tests))
    assert found.n.to_dict() == {"FM1": 18, "FM2": 9, "FM3": 27, "FM4": 18, "FM5": 9, "FM6": 18, "FM7": 9}
    assert list(found.index) == list(MODES) and set().union(*OF_TYPE.values()) == set(MODES)


def perfect_of(tests):
    meeting = {"==5": 5, "<5": 4, "==1": 1, "==0": 0, "==None": None}
    marks = [{mark: meeting[test.conditions[mark]] for mark in MARKS} for test in tests]
    return lambda rows: marks


@pytest.fixture(scope="module")
def by_prompt():
    sixteen = unit_test_suite.read(FOLDER / "training.jsonl")
    return examine_prompts(sixteen, PromptJudge(blind_without_good=True))


def test_a_judge_that_needs_the_good_answer_falls_without_it(by_prompt):
    table = compare_prompts(by_prompt, rng=RNG(0)).set_index(["prompt", "mark"])
    assert list(by_prompt) == [prompt.name for prompt in PROMPTS]
    assert table.loc[("ours", "all six marks"), "difference"] == 0
    assert table.loc[("without ground truth", "completeness"), "difference"] < 0
    alike = ["without justification", "without chain of thought", "both answers rated"]
    for name in alike:
        ours = table.loc["ours"]["value"]
        assert table.loc[name]["value"].tolist() == ours.tolist(), name
    assert (table.unparsed == 0).all()


def test_the_shares_are_those_of_the_marks(by_prompt):
    right, questions = shares_right(by_prompt)
    assert right.shape == (16, 5) and questions.nunique() == 1
    assert right["ours"].mean() == pytest.approx(by_prompt["ours"].total.value)


def labels(columns, n_clusters=10):
    right = pd.DataFrame(columns)
    return right, pd.Series([i % n_clusters for i in range(len(right))], index=right.index)


def test_a_prompt_is_chosen_by_hand():
    """The better prompt is right on all, the other on none: every fold chooses it, and it is right where it was not chosen."""
    found = choose_prompt(*labels({"bad": [0.0] * 20, "good": [1.0] * 20}), rng=RNG(0))
    assert found.prompt == "good" and found.chosen_by_folds == {"good": 5}
    assert found.right.value == found.held_out.value == 1.0


def test_choosing_among_noise_flatters_and_the_left_out_labels_do_not():
    """Ten prompts that are right by chance: the chosen one looks better than one half, held out it does not."""
    right, held = [], []
    for seed in range(20):
        noise = RNG(seed).integers(0, 2, (40, 10)).astype(float)
        found = choose_prompt(*labels({f"p{i}": noise[:, i] for i in range(10)}, 40), rng=RNG(seed))
        right.append(found.right.value)
        held.append(found.held_out.value)
    assert np.mean(right) > 0.58 and abs(np.mean(held) - 0.5) < 0.06


def test_a_cluster_is_never_on_both_sides():
    """Two clusters, each of which another prompt suits: whoever is chosen on the one is wrong on the other."""
    right = pd.DataFrame({"a": [1.0, 1.0, 0.0, 0.0], "b": [0.0, 0.0, 1.0, 1.0]})
    found = choose_prompt(right, pd.Series(["x", "x", "y", "y"]), rng=RNG(0))
    assert found.held_out.value == 0.0 and found.right.value == 0.5


def test_a_choice_needs_two_labels():
    with pytest.raises(ParameterError, match="two labels or more"):
        choose_prompt(*labels({"a": [1.0]}), rng=RNG(0))
