"""Minimal pairs: what is told, tied, wrong, steady, moved or unscored, and the shares of each."""

import json

import numpy as np
import pandas as pd
import pytest
from prompt_judge import PromptJudge

from ragassay.errors import InputError, ParameterError
from ragassay.examination import minimal_pairs

NUMBER = {
    "kind": "number",
    "input": "What is the fee?",
    "references": ["The fee is 5 euros."],
    "better": "The fee is 5 euros.",
    "worse": "The fee is 7 euros.",
}
ORDER = {
    "kind": "order",
    "input": "What is the fee?",
    "references": ["The fee is 5 euros.", "Boats rest."],
    "references_b": ["Boats rest.", "The fee is 5 euros."],
    "equal": ["The fee is 5 euros.", "The fee is 5 euros."],
}


def write(tmp_path, rows):
    path = tmp_path / "probes.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


def checks(outcomes, metric="support", kind="number", equal=False):
    return pd.DataFrame(
        [(place, kind, equal, metric, 0.0, 0.0, outcome) for place, outcome in enumerate(outcomes, start=1)],
        columns=minimal_pairs.COLUMNS,
    )


def test_read(tmp_path):
    first, second = minimal_pairs.read(write(tmp_path, [NUMBER, ORDER]))
    assert (first.kind, first.equal, first.answers) == (
        "number",
        False,
        ("The fee is 5 euros.", "The fee is 7 euros."),
    )
    assert first.references == first.other_references
    assert second.equal and second.other_references == tuple(ORDER["references_b"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", 3),
        ("references", "x"),
        ("better", None),
        ("equal", ["one"]),
        ("equal", "ab"),
        ("references_b", [1]),
    ],
)
def test_a_broken_pair_names_its_line(tmp_path, field, value):
    with pytest.raises(InputError, match="line 2"):
        minimal_pairs.read(write(tmp_path, [NUMBER, {**NUMBER, field: value}]))


@pytest.mark.parametrize(
    ("ahead", "equal", "outcome"),
    [
        (0.2, False, "told"),
        (0.0, False, "tied"),
        (-0.2, False, "wrong"),
        (0.2, True, "moved"),
        (-0.05, True, "steady"),
        (np.nan, True, "unscored"),
        (np.nan, False, "unscored"),
    ],
)
def test_outcomes(ahead, equal, outcome):
    assert minimal_pairs._outcome(ahead, equal, 0.05) == outcome


def test_a_metric_that_reads_numbers_tells_them_apart_and_minds_no_order(tmp_path):
    found = minimal_pairs.examine(
        minimal_pairs.read(write(tmp_path, [NUMBER, ORDER])),
        ["supported_claims_contained", "numeric_consistency"],
    )
    assert found.outcome.tolist() == ["told", "told", "steady", "steady"]


def test_by_metric_by_hand():
    """A tie is not told; what could not be scored is counted apart; pairs that say the same are not asked."""
    one = checks(["told", "told", "tied", "wrong", "unscored"])
    (row,) = minimal_pairs.by_metric(
        pd.concat([one, checks(["steady"], kind="order", equal=True)])
    ).itertuples()
    assert (row.value, row.n, row.tied, row.unscored) == (0.5, 4, 1, 1)
    none = minimal_pairs.by_metric(checks(["unscored"] * 3)).iloc[0]
    assert np.isnan(none.value) and none.n == 0 and none.unscored == 3


@pytest.mark.parametrize(
    ("metrics", "tolerance"), [(["suport"], 0.05), (["support"], 2), (["support"], float("nan"))]
)
def test_refusals(tmp_path, metrics, tolerance):
    with pytest.raises(ParameterError):
        minimal_pairs.examine(minimal_pairs.read(write(tmp_path, [NUMBER])), metrics, tolerance=tolerance)


METRICS = ["judge_grouse_answer_relevancy", "judge_grouse_faithfulness"]


def table(judge):
    checks = minimal_pairs.examine(minimal_pairs.verbosity_pairs(), METRICS, instruments={"judge": judge})
    return minimal_pairs.summarize_verbosity(checks, rng=np.random.default_rng(0)).set_index("metric")


def test_there_are_ten_pairs_of_the_same_content_the_short_one_first():
    pairs = minimal_pairs.verbosity_pairs()
    assert [pair.place for pair in pairs] == list(range(1, 11)) and all(pair.equal for pair in pairs)
    assert all(1.4 * len(short) < len(long) for short, long in (pair.answers for pair in pairs))


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
