"""Scores larger than memory are summed up as in memory, a file of cases at a time."""

import numpy as np
import pandas as pd
import pytest
from fake_scores import rows

from ragassay.api import Scores, large_summary, score_files, summary

N = 600


@pytest.fixture
def table(rng):
    """Of every kind: a rate, a mean, repeats, few values, none, one value for all, one for nearly all."""
    ids = [f"case {i}" for i in range(N)]
    repeated = [f"case {i % (N // 3)}" for i in range(N)]
    some = [float(x) if i % 3 else None for i, x in enumerate(rng.normal(100, 3, N))]
    kinds = {
        "privacy_leaks": rows("privacy_leaks", list(rng.integers(0, 2, N).astype(float)), cases=ids),
        "answer_words": rows("answer_words", some, cases=ids),
        "repeated": rows("groundedness", list(rng.uniform(0, 1, N)), "other", repeated),
        "rate of repeats": rows(
            "citations_present", list(rng.integers(0, 2, N).astype(float)), "other", repeated
        ),
        "few": rows("completeness", [*rng.uniform(0, 1, 30), *[None] * (N - 30)], cases=ids),
        "none": rows("meteor", [None] * N, cases=ids),
        "same": rows("groundedness", [0.5] * N, cases=ids),
        "nearly": rows("completeness", [1.0] * (N - 9) + [0.25] * 9, "other", ids),
    }
    mixed = pd.concat(kinds.values(), ignore_index=True)
    return mixed.iloc[rng.permutation(len(mixed))].reset_index(drop=True)


@pytest.fixture
def small(monkeypatch):
    """Limits that a table of a test reaches."""
    monkeypatch.setattr(large_summary, "HELD", 400)
    monkeypatch.setattr(large_summary, "FEW", 100)
    monkeypatch.setattr(summary, "LARGE", 100)


def parts(table: pd.DataFrame, size: int = 97) -> list[pd.DataFrame]:
    return [table.iloc[start : start + size] for start in range(0, len(table), size)]


def test_as_in_memory(table, small):
    found, whole = large_summary.summarise(parts(table), len(table)), summary.summarise(parts(table))
    exact = [name for name in whole if name not in ("value", "low", "high")]
    pd.testing.assert_frame_equal(found[exact], whole[exact])
    few = (found["n"] == 30).to_numpy()
    for name in ("value", "low", "high"):
        a, b = found[name].to_numpy(), whole[name].to_numpy()
        np.testing.assert_allclose(a[~few], b[~few], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(a[few], b[few], atol=0.02)  # other draws of the bootstrap


def test_few_scores_held_at_a_time(table, small, monkeypatch, tmp_path):
    """100 rows at a time of a file of 4,800 scores: what is held does not grow with three times as many."""
    held = []
    read = large_summary._read
    monkeypatch.setattr(large_summary, "_read", lambda path: held.append(read(path)) or held[-1])
    monkeypatch.setattr(score_files, "AT_ONCE", 100)
    most = {}
    for times in (1, 3):
        copies = [table.assign(case_id=table["case_id"] + f" of copy {i}") for i in range(times)]
        with score_files.writing(tmp_path / f"{times}.parquet") as writer:
            for part in parts(pd.concat(copies), 300):
                writer.add(part)
        held.clear()
        found = Scores(tmp_path / f"{times}.parquet", N * times, "ours").summary()
        assert found["n"].sum() == sum(map(len, held)) == times * (table["state"] == "scored").sum()
        most[times] = max(map(len, held))
    assert most[3] < 2 * large_summary.HELD and most[3] < 1.5 * most[1]


def test_how_many_scores_a_file_holds(table, tmp_path):
    for kind in score_files.KINDS:
        with score_files.writing(tmp_path / f"s{kind}") as writer:
            writer.add(table)
        n = score_files.count(tmp_path / f"s{kind}")
        assert n == len(table) if kind == ".parquet" else n >= len(table)


def test_no_row_is_no_row():
    assert large_summary.summarise([], 0).empty
