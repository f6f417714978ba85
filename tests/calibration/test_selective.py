"""What a machine may release alone: by hand, and the promise kept in simulated worlds."""

from math import inf, log

import numpy as np
import pytest
from labelled_scores import scored
from scipy.special import expit

from ragassay import tables
from ragassay.calibration import calibration_pipeline, selective
from ragassay.calibration.selective import release
from ragassay.stats import clopper_pearson


def test_by_hand():
    """Of 60 labels the 45 surest are right, the others wrong: sizes 29 and 46 pass at 0.1 (no wrong one, one), 60 does not."""
    found = release(np.arange(60.0), [0] * 15 + [1] * 45, 0.1)
    assert (found.n, found.wrong, found.reason) == (46, 1, "") and 13 < found.threshold <= 14
    assert found.bound == pytest.approx(clopper_pearson(1, 46, 0.9).high) and found.bound <= 0.1


@pytest.mark.parametrize("error, fewest", [(0.1, 29), (0.05, 59), (0.2, 14)])
def test_the_fewest_labels_that_can_release_anything(error, fewest):
    assert fewest == np.ceil(log(0.05) / log(1 - error))
    assert release(np.arange(fewest), np.ones(fewest), error).n == fewest
    few = release(np.arange(fewest - 1), np.ones(fewest - 1), error)
    assert few.threshold == inf and few.n == 0 and np.isnan(few.bound) and few.reason


def test_a_conversation_counts_once():
    """Twenty conversations of five are twenty labels, not a hundred."""
    p, clusters = np.arange(100.0), np.arange(100) // 5
    assert release(p, np.ones(100), 0.1).n == 100
    assert release(p, np.ones(100), 0.1, clusters=clusters).threshold == inf


@pytest.mark.parametrize("given", [
    ([0.1], [1, 0], 0.1), ([np.nan], [1], 0.1), ([0.1], [0.5], 0.1), ([0.1], [np.nan], 0.1),
    ([0.1], [1], 1.0),
])  # fmt: skip
def test_refuses(given):
    with pytest.raises(ValueError):
        release(*given)


def found(n=400, right=None):
    """The table of a calibration with an informative score, every answer as right as its rater says."""
    rows = scored(n, np.random.default_rng(3)).assign(metric="m", state="scored", cluster=np.arange(n))
    made = calibration_pipeline.calibrate(rows, "m", "d", kind="logistic")
    new = rows.assign(probability=made.calibrator.predict(rows["value"]))
    right = rows.assign(accepted=rows["label"]) if right is None else right(rows)
    table = selective.releases(made.held_out, right, new, alpha=0.1)
    return made, tables.check("releases", table).set_index("decision")


def test_the_table_by_hand():
    """What is accepted at 0.1 is what `release` says of the half that the calibrator has not seen."""
    made, table = found()
    held = made.held_out
    for decision, p, y in (
        ("accept", held["probability"], held["label"]),
        ("reject", 1 - held["probability"], 1 - held["label"]),
    ):
        own, row = release(p, y, 0.1, clusters=held["cluster"]), table.loc[decision]
        assert (row["n"], row["wrong"], row["bound"]) == (own.n, own.wrong, own.bound)
        assert (
            row["alone"] and row["bound"] <= 0.1 and row["labelled"] == len(held) and 0.1 < row["share"] < 0.6
        )


def normal(draw, clusters, each, alike):
    shared = draw.normal(size=(clusters, 1))
    return np.sqrt(alike) * shared + np.sqrt(1 - alike) * draw.normal(size=(clusters, each))


def world(draw, clusters, *, each=1, alike=0.0, constant=1.5, slope=1.0, ties=False):
    """Scores and chances to be right, (clusters, each); the members of a cluster share half of what makes
    them right beside the score where they are alike."""
    z = normal(draw, clusters, each, alike)
    z = np.round(z) if ties else z
    return z, expit(constant + slope * z + 2 * (alike > 0) * normal(draw, clusters, each, alike))


WORLDS = {  # name -> n labels (clusters), options, error allowed
    "informative": (130, {"slope": 2.0}, 0.1),
    "informative, 400 labels": (400, {"slope": 2.0}, 0.1),
    "weak": (130, {"slope": 0.7}, 0.2),
    "blind, 11 % wrong": (150, {"constant": 2.09, "slope": 0.0}, 0.1),
    "reversed": (150, {"constant": 2.2, "slope": -1.0}, 0.1),
    "ties": (200, {"slope": 1.5, "ties": True}, 0.1),
    "80 clusters of 5": (80, {"each": 5, "alike": 0.5, "slope": 1.5}, 0.2),
}


@pytest.mark.parametrize("name", WORLDS)
def test_the_limit_is_kept_in_95_of_100_worlds(name, simulations):
    """2,000 worlds each: the share of wrong answers among 40,000 new ones at or above the threshold exceeds the
    limit in at most 5 % (3 standard errors)."""
    n, options, error = WORLDS[name]
    draw, sims = np.random.default_rng(list(WORLDS).index(name)), simulations(2000, 20)
    new, chance = world(draw, 40_000, **options)
    order = np.argsort(-new.ravel())  # equal clusters: a random answer is one of a random cluster
    ranked = -new.ravel()[order]
    share_wrong = 1 - np.cumsum(chance.ravel()[order]) / np.arange(1, new.size + 1)
    broken, released = [], []
    for _ in range(sims):
        z, right = world(draw, n, **options)
        names = np.repeat(np.arange(n), z.shape[1])
        y = draw.random(z.shape) < right
        limit = release(z.ravel(), y.ravel(), error, clusters=names).threshold
        out = np.searchsorted(ranked, -limit, side="right")
        broken.append(out > 0 and share_wrong[out - 1] > error)
        released.append(out / new.size)
    print(f"{name}: broken {np.mean(broken):.4f}, released {np.mean(released):.3f}")
    assert np.mean(broken) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sims)
