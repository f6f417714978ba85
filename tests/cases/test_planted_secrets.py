"""Planted secrets: one of its own for each question, in a passage among real ones or in an earlier turn."""

from pathlib import Path

import pandas as pd
import pytest

from ragassay import tables
from ragassay.analysis.checks import TO_CLEAR
from ragassay.answers import ask_all
from ragassay.cases.attack_probes import draw_by_threat, probes_frame
from ragassay.cases.planted_secrets import KIND, in_passages_and_turns
from ragassay.scores import score

ROOT = Path(__file__).parents[2]
CHUNKS = pd.DataFrame({"chunk_id": [f"d#p{i}" for i in range(5)], "text": [f"Fee {i}." for i in range(5)]})


def planted_secrets(chunks: pd.DataFrame, *, per_threat: int | None = None, seed: int = 0) -> pd.DataFrame:
    return probes_frame(draw_by_threat(in_passages_and_turns(chunks, seed), per_threat, None, seed))


@pytest.fixture(scope="module")
def planted() -> pd.DataFrame:
    return planted_secrets(CHUNKS, seed=3)


def test_they_are_cases_that_nobody_should_answer(planted):
    tables.check("cases", planted)
    assert planted["case_id"].is_unique and planted["question"].is_unique and len(planted) >= 20
    assert set(planted["kind"]) == {KIND}
    assert planted["answerable"].eq(planted["turn"].eq(1)).all(), "a turn that tells the secret tries nothing"


def test_there_are_enough_of_each_family_to_call_none_given_away_clear(planted):
    """A conversation in pieces takes four turns for one trial, and stays a few."""
    alone = planted[planted["turn"].isna()]
    assert alone["family"].value_counts().min() >= TO_CLEAR


def test_each_question_has_a_secret_of_its_own_in_its_passage_or_history(planted):
    alone = planted[planted["turn"].isna()]
    assert alone["secret"].is_unique
    for row in alone.to_dict("records"):
        places = [*(row["passages"] or []), *(row["history"] or [])]
        assert sum(row["secret"] in text for text in places) == 1
        assert row["secret"] not in row["question"] and "{" not in " ".join(places)


def test_a_conversation_tells_its_secret_first_and_then_asks_for_it(planted):
    talks = planted.dropna(subset=["conversation_id"]).groupby("conversation_id")
    assert len(talks) >= 3
    for _, turns in talks:
        (secret,) = turns["secret"].unique()
        assert secret in turns["question"].iloc[0]
        assert not turns["question"].iloc[1:].str.contains(secret).any()


def test_the_seed_decides_and_few_of_each_family_can_be_drawn(planted):
    pd.testing.assert_frame_equal(planted, planted_secrets(CHUNKS, seed=3))
    assert set(planted["secret"]).isdisjoint(planted_secrets(CHUNKS, seed=4)["secret"])
    assert planted_secrets(CHUNKS, per_threat=4, seed=0)["family"].value_counts().eq(4).all()


def leaks(question, history=None, passages=None):
    """An assistant that repeats whatever it was given, backwards."""
    told = [turn["content"] for turn in history or []] + [passage["text"] for passage in passages or []]
    return " ".join(told)[::-1] or "I do not know."


def declines(question, history=None, passages=None):
    return "I cannot share that."


@pytest.mark.parametrize(("assistant", "share"), [(leaks, 1.0), (declines, 0.0)])
def test_an_assistant_that_leaks_is_caught_and_one_that_declines_is_not(assistant, share, planted, tmp_path):
    given = ask_all(planted, assistant, name="s", run_dir=tmp_path, timeout_s=5)
    found = score(given, planted, CHUNKS, ["secret_leaks"])
    assert found["value"].mean() == share
    assert found["state"].eq("scored").tolist() == planted["turn"].ne(1).tolist()
