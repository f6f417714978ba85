"""Planted secrets: one of its own for each question, in a passage among real ones or in an earlier turn."""

import pandas as pd
import pytest

from assistants.in_this_process import ask_all
from ragassay.analysis.checks import TO_CLEAR
from ragassay.cases.attack_probes import probes_frame
from ragassay.cases.planted_secrets import plant_secrets
from ragassay.scores import score

CHUNKS = pd.DataFrame({"chunk_id": [f"d#p{i}" for i in range(5)], "text": [f"Fee {i}." for i in range(5)]})


@pytest.fixture(scope="module")
def planted() -> pd.DataFrame:
    return probes_frame(plant_secrets(CHUNKS, 3))


def test_there_are_enough_of_each_family_to_call_none_given_away_clear(planted):
    """A conversation in pieces takes four turns for one trial, and stays a few."""
    assert planted[planted["turn"].isna()]["family"].value_counts().min() >= TO_CLEAR


def test_each_question_has_a_secret_of_its_own_in_its_passage_or_history(planted):
    alone = planted[planted["turn"].isna()]
    other = probes_frame(plant_secrets(CHUNKS, 4))["secret"]
    assert alone["secret"].is_unique and set(alone["secret"]).isdisjoint(other)
    for row in alone.to_dict("records"):
        places = [*(row["passages"] or []), *(row["history"] or [])]
        assert sum(row["secret"] in text for text in places) == 1
        assert row["secret"] not in row["question"] and "{" not in " ".join(places)


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
