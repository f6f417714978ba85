"""Which answers to label: the random part is random whatever the machine thinks, the active part is what it is least sure of."""

import numpy as np
import pandas as pd
import pytest

from ragassay.errors import ParameterError
from ragassay.labels import label_sampling

ANSWERS = pd.DataFrame({"case_id": [f"c{place}" for place in range(100)]})
SURE = np.linspace(0, 1, 100)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_random_sample_grows_without_changing():
    small, large = (label_sampling.draw_random(ANSWERS, n, rng=rng()) for n in (10, 30))
    assert small.case_id.tolist() == large.case_id.tolist()[:10] and set(large.drawn) == {"random"}
    assert len(label_sampling.draw_random(ANSWERS, 1000, rng=rng())) == 100


def test_the_active_part_by_hand():
    sizes = np.where((SURE > 0.4) & (SURE < 0.6), 2.0, 1.0)
    chosen = label_sampling.draw_active(ANSWERS, 20, probability=SURE, set_size=sizes, rng=rng())
    active = chosen[chosen.drawn == "active"]
    assert len(chosen) == 20 and len(active) == 10 and chosen.case_id.is_unique
    assert active.why.value_counts().to_dict() == {label_sampling.LARGEST: 5, label_sampling.NEAREST: 5}
    places = active.case_id.str[1:].astype(int).to_numpy()
    assert (np.abs(SURE[places] - 0.5) < 0.12).all()


def test_an_empty_set_is_as_uncertain_as_the_largest():
    chosen = label_sampling.draw_active(
        ANSWERS.head(10), 2, set_size=np.array([0.0] + [1.0] * 9), random_share=0.1, rng=rng(3)
    )
    active = chosen[chosen.drawn == "active"].case_id.tolist()
    assert active == ["c0"] or chosen[chosen.case_id == "c0"].drawn.tolist() == ["random"]


def test_thin_strata_are_filled_first():
    strata = np.array(["big"] * 95 + ["thin"] * 5)
    chosen = label_sampling.draw_active(ANSWERS, 20, strata=strata, random_share=0.5, rng=rng())
    assert {"c95", "c96", "c97", "c98", "c99"} <= set(chosen.case_id)


def test_the_random_part_is_as_likely_to_hold_any_answer():
    """1,000 draws of 10 from 100: each answer is in about 100 of them (standard deviation 9.5), the machine's doubt regardless."""
    found = np.zeros(100)
    for seed in range(1000):
        chosen = label_sampling.draw_active(ANSWERS, 20, probability=SURE, rng=rng(seed))
        found[chosen[chosen.drawn == "random"].case_id.str[1:].astype(int)] += 1
    assert (
        found.sum() == 10_000
        and abs(found[40:60].mean() - 100) < 3 * 9.5 / np.sqrt(20)
        and found.min() > 60
        and found.max() < 140
    )


@pytest.mark.parametrize("n, share, known", [(0, 0.5, SURE), (10, 0, SURE), (10, 1.5, SURE), (10, 0.5, None)])
def test_what_cannot_be_is_refused(n, share, known):
    with pytest.raises(ParameterError):
        label_sampling.draw_active(ANSWERS, n, probability=known, random_share=share, rng=rng())


def test_no_answers_give_an_empty_sample():
    assert label_sampling.draw_active(ANSWERS.head(0), 5, probability=np.array([]), rng=rng()).empty
