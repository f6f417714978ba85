"""Answers in parts: packed and back they score to the same bits; a part's name changes with whatever its scores depend on; a part that cannot be read is no finished part."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.answers.answer_batches import open_answers
from ragassay.api import scoring_parts
from ragassay.errors import OutputError
from ragassay.scores.score import score_batches

METRICS = ["citations_present", "latency_within_budget", "premise_corrected"]
VALUES = (
    st.none()
    | st.text(max_size=20)
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.lists(st.text(max_size=8) | st.none() | st.integers(), max_size=3)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
    | st.sampled_from(["\ud800", "a\0b", np.float64(0.5), datetime.date(2026, 1, 2)])
)
COLUMNS = ["answer", "question", "contexts", "context_ids", "answerable", "latency_s", "schema", "error"]

LISTS = st.sampled_from(
    [np.array(["a", "b"]), ("a", None), []]
)  # beside VALUES, as tables of all kinds give them
OPTIONAL = dict.fromkeys(COLUMNS, VALUES) | {"contexts": VALUES | LISTS}


def scored(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(list(score_batches([rows], metrics=METRICS)), ignore_index=True)


@settings(max_examples=25)
@given(st.lists(st.fixed_dictionaries({}, optional=OPTIONAL), min_size=1, max_size=4))
def test_packed_and_back_they_score_to_the_same_bits(records):
    rows = pd.DataFrame(records, dtype=object)
    rows = rows.assign(case_id=[str(i) for i in range(len(rows))], system="s")
    found = scored(scoring_parts.unpack(scoring_parts.pack(rows)))
    pd.testing.assert_frame_equal(found, scored(rows))
    assert scoring_parts.pack(rows) == scoring_parts.pack(rows.copy())


def test_scores_packed_and_back():
    rows = next(iter(open_answers([{"question": "Why?", "answer": "So [1].", "contexts": ["So."]}])))
    found = scored(rows)
    back = scoring_parts.unpack_scores(scoring_parts.pack_scores(found))
    pd.testing.assert_frame_equal(back, found.astype(back.dtypes))


def test_a_part_is_known_by_its_answers_and_by_how_it_is_scored():
    recipe = scoring_parts.recipe_of(metrics=["a"], model="")
    keys = {
        scoring_parts.key_of(b"one", recipe),
        scoring_parts.key_of(b"two", recipe),
        scoring_parts.key_of(b"one", scoring_parts.recipe_of(metrics=["a"], model="other")),
        scoring_parts.key_of(b"one", scoring_parts.recipe_of(metrics=["b"], model="")),
    }
    assert len(keys) == 4 and scoring_parts.key_of(b"one", recipe) in keys


def test_the_code_of_the_kit_is_part_of_it(monkeypatch):
    before = scoring_parts.recipe_of()
    monkeypatch.setattr(scoring_parts, "_code", lambda: "other")
    assert scoring_parts.recipe_of() != before


def test_a_part_appears_whole_and_a_damaged_one_is_none(tmp_path):
    kept = scoring_parts.Kept(tmp_path / "s.parquet.parts")
    assert kept.read(0, "a" * 64) is None and kept.finished().startswith("0 parts are finished")
    whole = scoring_parts.pack_scores(pd.DataFrame({"case_id": ["1"], "value": [0.5]}))
    kept.write(0, "a" * 64, whole)
    assert kept.scores(0, "a" * 64)["value"].tolist() == [0.5] and kept.read(1, "a" * 64) is None
    assert [path.suffix for path in kept.folder.iterdir()] == [".parquet"]
    kept.path(0, "a" * 64).write_bytes(whole[:-9])
    assert kept.read(0, "a" * 64) is None
    with pytest.raises(OutputError, match="again"):
        kept.scores(0, "a" * 64)
