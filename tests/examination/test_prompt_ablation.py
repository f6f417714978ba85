"""Prompt ablation and the choice of a prompt on labels: by hand, by its laws, on a judge by rule."""

import numpy as np
import pandas as pd
import pytest
from prompt_judge import PromptJudge

from ragassay.errors import ParameterError
from ragassay.examination import unit_test_suite
from ragassay.examination.prompt_ablation import choose_prompt, compare_prompts, examine_prompts, shares_right
from ragassay.examination.unit_test_suite import FOLDER
from ragassay.scores.judge.judge_prompts import PROMPTS

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def examined():
    tests = unit_test_suite.read(FOLDER / "training.jsonl")
    return examine_prompts(tests, PromptJudge(blind_without_good=True))


def test_a_judge_that_needs_the_good_answer_falls_without_it(examined):
    table = compare_prompts(examined, rng=RNG(0)).set_index(["prompt", "mark"])
    assert list(examined) == [prompt.name for prompt in PROMPTS]
    assert table.loc[("ours", "all six marks"), "difference"] == 0
    assert table.loc[("without ground truth", "completeness"), "difference"] < 0
    alike = ["without justification", "without chain of thought", "both answers rated"]
    for name in alike:
        ours = table.loc["ours"]["value"]
        assert table.loc[name]["value"].tolist() == ours.tolist(), name
    assert (table.unparsed == 0).all()


def test_each_prompt_is_asked_in_its_own_words():
    judge = PromptJudge()
    examine_prompts(unit_test_suite.read(FOLDER / "training.jsonl")[:2], judge, PROMPTS[3:])
    systems = {request.system for request in judge.asked}
    assert any("answer_2" in system for system in systems) and any(
        "declines" not in s.rsplit("\n", 1)[-1] for s in systems
    )


def test_a_judge_that_cannot_be_read_passes_nothing_by_any_prompt():
    found = examine_prompts(unit_test_suite.read(FOLDER / "training.jsonl")[:2], PromptJudge(broken=True))
    table = compare_prompts(found, rng=RNG(0))
    assert (table.value == 0).all() and (table.unparsed > 0).all()


def test_the_shares_are_those_of_the_marks(examined):
    right, questions = shares_right(examined)
    assert right.shape == (16, 5) and questions.nunique() == 1
    assert right["ours"].mean() == pytest.approx(examined["ours"].total.value)


def labels(columns, n_clusters=10):
    right = pd.DataFrame(columns)
    return right, pd.Series([i % n_clusters for i in range(len(right))], index=right.index)


def test_choice_by_hand():
    """The better prompt is right on all, the other on none: every fold chooses it, and it is right where it was not chosen."""
    found = choose_prompt(*labels({"bad": [0.0] * 20, "good": [1.0] * 20}), rng=RNG(0))
    assert found.prompt == "good" and found.chosen_by_folds == {"good": 5}
    assert found.right.value == found.held_out.value == 1.0


def test_of_equals_the_first_is_chosen():
    assert choose_prompt(*labels({"b": [1.0, 0.0] * 5, "a": [1.0, 0.0] * 5}), rng=RNG(0)).prompt == "b"


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


def test_a_missing_mark_is_wrong():
    assert choose_prompt(*labels({"a": [np.nan] * 10, "b": [0.5] * 10}), rng=RNG(0)).prompt == "b"


def test_refusals():
    with pytest.raises(ParameterError, match="two labels or more"):
        choose_prompt(*labels({"a": [1.0]}), rng=RNG(0))
