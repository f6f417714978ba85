"""True success on the scorecard: by hand, its slices, its state and reason where it cannot be computed."""

import numpy as np
import pandas as pd
import pytest
from made import cases_of, scores_of

from ragassay import tables
from ragassay.analysis import origin_slices, true_success_on_scorecard
from ragassay.labels import raters

TOPICS = ["T1"] * 40 + ["T2"] * 40 + ["T3"] * 4


def judged_run(system="bank", seed=0):
    """84 answers; the machine right on nine of ten; people looked at all of T1 and T3, at six of T2."""
    draw = np.random.default_rng(seed)
    truth = (draw.random(84) < 0.7).astype(float)
    machine = np.where(draw.random(84) < 0.9, truth, 1 - truth)
    seen = np.r_[np.full(40, True), np.arange(40) < 6, np.full(4, True)]
    scores = scores_of(machine, metric="end_to_end_success", system=system)
    people = scores_of(truth, metric="judged_relevant", system=system)[seen]
    also = people.assign(metric="judged_complete", value=1.0)
    both = pd.concat([people, also])
    return scores, both


def right(people):
    """Accepted in both respects."""
    judged = people.assign(dimension=people.metric.str.removeprefix("judged_"), accepted=people.value)
    return raters.in_every_respect(judged, ["relevant", "complete"])


def summarized(slices, scores=None, people=None, cases=None, system="bank"):
    given = judged_run()
    paired = true_success_on_scorecard.pair_verdicts(
        given[0] if scores is None else scores,
        right(given[1] if people is None else people),
        "end_to_end_success",
    )
    tables.check("success", paired)
    cases = cases_of(TOPICS) if cases is None else cases
    found = true_success_on_scorecard.summarize_success(
        paired, cases, slices, system=system, rng=np.random.default_rng(0)
    ).set_index("slice")
    tables.check("scorecard", found.reset_index())
    return found


def test_by_hand():
    """What was read counted one by one, the others by (p + t - 1)/(s + t - 1)."""
    scores, people = judged_run()
    truth = people[people.metric == "judged_relevant"].set_index("case_id").value
    machine = scores.set_index("case_id").value
    s, t = machine[truth.index][truth == 1].mean(), 1 - machine[truth.index][truth == 0].mean()
    row = summarized(["all"]).loc["all"]
    others = (machine.drop(truth.index).mean() + t - 1) / (s + t - 1)
    assert row["value"] == pytest.approx((truth.sum() + 34 * others) / 84)
    possible = truth.sum() / 84, (truth.sum() + 34) / 84
    assert (row["least_possible"], row["most_possible"]) == pytest.approx(possible)
    assert (row["sensitivity"], row["specificity"]) == pytest.approx((s, t))
    assert row["by_instruments"] == pytest.approx(machine.mean())
    assert (row["n"], row["labelled"], row["state"]) == (84, 50, "scored")
    assert row["low"] < row["value"] < row["high"] and row["by_instruments_low"] < row["by_instruments"]


def test_a_slice_is_its_answers_alone():
    scores, people = judged_run()
    first = [case for case, topic in zip(scores.case_id, TOPICS, strict=True) if topic == "T1"]
    alone = summarized(["all"], scores[scores.case_id.isin(first)], people[people.case_id.isin(first)])
    columns = ["value", "n", "labelled", "by_instruments", "sensitivity", "specificity"]
    within = summarized(["topic=T1"]).loc["topic=T1", columns]
    assert within.tolist() == pytest.approx(alone.loc["all", columns].tolist())


def test_what_cannot_be_computed_has_its_state_and_reason():
    found = summarized(["topic=T2", "topic=T4", "topik=T1", "topic=T3"])
    assert found["state"].tolist() == ["not_measured"] * 3 + ["scored"] and found["low"][:3].isna().all()
    assert found["labelled"].tolist() == [6, 0, 0, 4] and found["n"].tolist() == [40, 0, 0, 4]
    said = found["reason"].tolist()
    assert said[0] == "needs labels: 18 (has 6)"
    assert "no case has topic=T4; did you mean 'T" in said[1] and "did you mean 'topic'" in said[2]


def test_origins_are_never_pooled():
    cases = cases_of(TOPICS, kind=["own"] * 40 + ["generated"] * 44)
    found = summarized(["all"], cases=cases).loc["all"]
    assert (found["state"], found["left_out"], found["labelled"]) == ("not_measured", 84, 50)


def test_versions_of_the_system_are_slices():
    first, second = judged_run(), judged_run("bank-2", seed=5)
    scores, people = (pd.concat(each) for each in zip(first, second, strict=True))
    names = true_success_on_scorecard.all_slices(
        true_success_on_scorecard.pair_verdicts(scores, right(people), "end_to_end_success"),
        cases_of(TOPICS),
        ["topic", "system", "language"],
        "bank",
    )
    assert names == ["all", "topic=T1", "topic=T2", "topic=T3", "system=bank", "system=bank-2"]
    found = summarized(names, scores, people)
    assert found.loc["all", "n"] == found.loc["system=bank", "n"] == found.loc["system=bank-2", "n"] == 84
    assert found.loc["system=bank", "value"] == found.loc["all", "value"]
    assert (
        found.loc["system=bank-2", "value"]
        == summarized(["all"], *second, system="bank-2").loc["all", "value"]
    )


def test_estimate_and_cross_check_must_meet():
    """`established` where each lies in the other's interval, and not where nothing is estimated."""
    row = summarized(["all"]).loc["all"]
    meet = row.low <= row.prediction_powered <= row.high
    meet &= row.prediction_powered_low <= row.value <= row.prediction_powered_high
    assert row.established == meet and not summarized(["all"], people=judged_run()[1][:0]).established.any()
    assert (row.n_accepted + row.n_rejected, row.sensitivity > 0.5) == (row.labelled, True)


def test_labels_of_one_origin_say_nothing_of_another(simulations):
    """200 own questions, 100 of them read at random (0.45 acceptable), and 120 generated ones that nobody read, of which the
    machine accepts more: within three standard errors of 0.95 for the own share, nothing for the others."""
    cases = cases_of(["T1"] * 320, kind=["own"] * 200 + ["generated"] * 120)
    inside = []
    for seed in range(simulations(1000, 20)):
        draw = np.random.default_rng(seed)
        truth = draw.random(320) < np.repeat([0.45, 0.9], [200, 120])
        machine = np.where(draw.random(320) < 0.85, truth, ~truth).astype(float)
        paired = cases[["case_id"]].assign(
            system="bank", verdict="v", machine=machine, human=np.where(np.arange(320) < 100, truth, np.nan)
        )
        own, made = origin_slices.success_by_origin(
            paired, cases, [("true_success", "all")], system="bank", rng=np.random.default_rng(seed)
        ).to_dict("records")
        assert (own["n"], made["state"], made["reason"]) == (200, "not_measured", "needs labels: 18 (has 0)")
        assert own["least_possible"] <= own["value"] <= own["most_possible"]
        inside.append(own["low"] <= 0.45 <= own["high"])
    assert abs(np.mean(inside) - 0.95) <= 3 * np.sqrt(0.95 * 0.05 / len(inside)), np.mean(inside)
