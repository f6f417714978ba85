"""Pairs of a short and a long answer: a judge that rewards length is seen, one that does not is cleared."""

import numpy as np
import pytest
from prompt_judge import PromptJudge

from ragassay.examination import verbosity

METRICS = ["judge_grouse_answer_relevancy", "judge_grouse_faithfulness"]


def table(judge):
    checks = verbosity.examine(METRICS, instruments={"judge": judge})
    return verbosity.summarize(checks, rng=np.random.default_rng(0)).set_index("metric")


def test_there_are_ten_pairs_of_the_same_content_the_short_one_first():
    pairs = verbosity.read()
    assert [pair.place for pair in pairs] == list(range(1, 11)) and all(pair.equal for pair in pairs)
    assert all(1.4 * len(short) < len(long) for short, long in (pair.answers for pair in pairs))
    assert len(verbosity.answers()) == 20


def test_a_judge_that_rewards_length_is_seen():
    """4 for a short answer, 5 for a long one: a grade of difference in every pair."""
    found = table(PromptJudge(prefers_long=True)).loc["judge_grouse_answer_relevancy"]
    assert (found.longer, found.shorter, found.same, found.n) == (10, 0, 0, 10)
    assert found.difference == 1.0 and found.sign_p == pytest.approx(2 / 2**10)


def test_a_judge_that_does_not_is_cleared():
    found = table(PromptJudge())
    assert found.same.tolist() == [10, 10] and found.difference.tolist() == [0.0, 0.0]
    assert found.sign_p.tolist() == [1.0, 1.0]
    assert (found.low < 0).all() and (found.high > 0).all(), "ten equal pairs do not prove that none differs"


def test_what_cannot_be_read_is_counted():
    found = table(PromptJudge(broken=True))
    assert (
        found.unscored.tolist() == [10, 10] and found.n.tolist() == [0, 0] and found.difference.isna().all()
    )


def test_the_offline_metrics_are_known():
    with pytest.raises(Exception, match="unknown metric"):
        verbosity.examine(["nothing"])
