"""What "grounded" counts of answers that assert nothing, and the share among those that do."""

import numpy as np
import pandas as pd
import pytest

from ragassay.analysis import grounded_assertions
from ragassay.stats import clopper_pearson


def rows(metric: str, values: list[float], system: str = "s") -> pd.DataFrame:
    ids = [f"c{place}" for place in range(len(values))]
    more = {"system": system, "metric": metric, "state": "scored", "reason": "", "detail": "[]"}
    return pd.DataFrame({"case_id": ids, "value": values} | more)


ANSWERABLE = [True] * 12 + [False] * 8
DECLINES = [1.0] * 3 + [0.0] * 9 + [1.0] * 3 + [0.0] * 5
GROUNDED = [0.0] * 3 + [1.0] * 6 + [0.0] * 3 + [1.0] * 3 + [1.0] * 4 + [0.0]
CASES = pd.DataFrame(
    {
        "case_id": [f"c{place}" for place in range(20)],
        "answerable": ANSWERABLE,
        "kind": "",
        "origin": ["own"] * 16 + ["generated"] * 4,
    }
)
PEOPLE, DECLINED = rows("judged_grounded", GROUNDED), rows("abstains", DECLINES)


def test_counts_and_share_by_hand():
    found = grounded_assertions.grounded_among(PEOPLE, DECLINED, CASES, rng=np.random.default_rng(0))
    share = clopper_pearson(10, 14)
    assert found[:6] == (3, 0, 5, 4, 14, 10)
    assert found[6:9] == pytest.approx((share.value, share.low, share.high))
    assert grounded_assertions.note(found) == (
        "Grounded: by the raters' labels 3 of 3 needless refusals count as not grounded; 4 of 5 answers to "
        "questions without an answer as grounded. Of the 14 answers that do not decline 10 are grounded, "
        "71.4 % [41.9, 91.6]."
    )


def test_what_fails_is_split_into_refusals_and_what_is_unsupported():
    found = grounded_assertions.grounded_among(PEOPLE, DECLINED, CASES, rng=np.random.default_rng(0))
    said = "of the 7 not grounded 3 refuse though the documents hold the answer, 4 tell something unsupported"
    assert grounded_assertions.split(found) == said
    assert grounded_assertions.gate_note(found) == (
        f"{said}; 4 of 5 replies to questions without an answer count as grounded; for information: "
        "71 % [42, 92] of the 14 that do not refuse"
    )


def test_the_share_beside_a_gate_stands_on_its_own_side_of_the_threshold():
    """Of 14 answers 10 are grounded: 41.9 % at the lower end, which 42 % would lift onto a bar of 42 %."""
    found = grounded_assertions.grounded_among(PEOPLE, DECLINED, CASES, rng=np.random.default_rng(0))
    assert "[41.9, 91.6]" in grounded_assertions.gate_note(found, 0.42)


def test_a_refusal_that_is_right_and_called_not_grounded_is_counted_by_itself():
    labels = [*GROUNDED[:12], 0.0, *GROUNDED[13:]]
    people = rows("judged_grounded", labels)
    found = grounded_assertions.grounded_among(people, DECLINED, CASES, rng=np.random.default_rng(0))
    assert "of the 8 not grounded" in grounded_assertions.split(found)
    assert "1 refuse where the documents hold none" in grounded_assertions.split(found)


def test_cases_that_hang_together_widen_the_interval():
    together = CASES.assign(group_id=[f"g{place // 4}" for place in range(20)])
    apart = grounded_assertions.grounded_among(PEOPLE, DECLINED, CASES, rng=np.random.default_rng(0))
    found = grounded_assertions.grounded_among(PEOPLE, DECLINED, together, rng=np.random.default_rng(0))
    assert found.n == apart.n and (found.low, found.high) != (apart.low, apart.high)


@pytest.mark.parametrize(
    "people, declined, cases",
    [
        (PEOPLE.iloc[:0], DECLINED, CASES),
        (PEOPLE, DECLINED.iloc[:0], CASES),
        (PEOPLE.assign(metric="judged_relevant"), DECLINED, CASES),
        (PEOPLE, DECLINED.assign(value=0.0), CASES.assign(answerable=True)),  # nothing departs
    ],
)
def test_nothing_is_said_where_nothing_is_known_or_departs(people, declined, cases):
    found = grounded_assertions.grounded_among(people, declined, cases, rng=np.random.default_rng(0))
    said = (grounded_assertions.note(found), grounded_assertions.gate_note(found))
    assert (found, *said, grounded_assertions.split(found)) == (None, "", "", "")


def test_where_every_answer_declines_there_is_no_share():
    found = grounded_assertions.grounded_among(
        PEOPLE, DECLINED.assign(value=1.0), CASES, rng=np.random.default_rng(0)
    )
    assert found.n == 0 and np.isnan(found.share)
    assert grounded_assertions.note(found).endswith("needless refusals count as not grounded.")


def test_a_gate_counts_the_questions_of_its_origin_alone():
    gates = pd.DataFrame(
        [
            {"metric": "judged_grounded", "slice": "all", "origin": "own"},
            {"metric": "judged_grounded", "slice": "all", "origin": "all"},
            {"metric": "judged_grounded", "slice": "language=es", "origin": "own"},
            {"metric": "judged_relevant", "slice": "all", "origin": "own"},
        ]
    ).assign(threshold=0.8)
    told = grounded_assertions.of_gates(gates, PEOPLE, DECLINED, CASES)
    own, pooled, *others = told.beside
    assert "of the 10 that do not refuse" in own and "of the 14 that do not refuse" in pooled
    assert others == ["", ""] and told.split.tolist()[2:] == ["", ""]
    assert told.split[1].startswith("of the 7 not grounded 3 refuse")
