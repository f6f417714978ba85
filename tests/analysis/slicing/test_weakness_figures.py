"""The rows that figures draw."""

import numpy as np
import pandas as pd
import pytest

from analysis.made import cases_of, scores_of
from ragassay.analysis.slicing import weakness_figures

TOPICS = ["T1"] * 20 + ["T2"] * 20 + ["T3"] * 20 + ["T4"] * 3


@pytest.fixture
def weak_topic() -> pd.DataFrame:
    values = np.random.default_rng(2).uniform(0.6, 0.9, 63)
    values[20:40] -= 0.3
    values[0] = np.nan
    return scores_of(values)


def test_rows_for_the_figures_keep_every_case(weak_topic):
    found = weakness_figures.score_rows(weak_topic, cases_of(TOPICS), ["groundedness"])
    assert (
        len(found) == 63
        and found["value"].isna().sum() == 1
        and {"metric", "topic", "cluster", "question"} <= set(found)
    )
