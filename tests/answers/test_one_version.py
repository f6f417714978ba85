"""All answers of a table are of one version of the assistant, whenever it changes; the journal knows them by it."""

import json

import pandas as pd
import pytest

from ragassay.answers import ask_all
from ragassay.errors import SystemUnderTestError

CASES = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


class Changing:
    """Answers with its version, which goes up before each of these answers are given."""

    def __init__(self, *changes: int):
        self.changes, self.asked, self.version = changes, [], 1

    def identity(self):
        return {"version": self.version}

    def __call__(self, question):
        self.version += len(self.asked) in self.changes
        self.asked.append(question)
        return f"{question}{self.version}"


def ask(system, run_dir, **options):
    return ask_all(CASES, system, name="s", run_dir=run_dir, **options)


@pytest.mark.parametrize("changes", [(0,), (2,), (4,), (1, 3), (4, 6), (0, 1, 2)])
def test_answers_of_the_version_of_before_are_asked_again(tmp_path, changes):
    table = ask(Changing(*changes), tmp_path)
    assert table["answer"].tolist() == [f"{q}{1 + len(changes)}" for q in "abcde"]
    assert table.attrs["asked"]["said"] == json.dumps({"version": 1 + len(changes)})


def test_one_that_always_changes_is_refused(tmp_path):
    with pytest.raises(SystemUnderTestError, match=r"(?s)does not stay the same.*4 changes.*at most 3.*do: "):
        ask(Changing(*range(100)), tmp_path)


def test_an_answer_of_an_unknown_version_is_an_error_and_asked_again(tmp_path):
    def forgetful():
        if first.asked[-1:] == ["c"]:
            raise ConnectionError("no version")
        return "1"

    first, second = Changing(), Changing()
    first.identity, second.identity = forgetful, lambda: "1"
    table = ask(first, tmp_path)
    assert table["answer"].tolist() == ["a1", "b1", "", "d1", "e1"]
    assert table["error"][2] == "an answer of an unknown version: ConnectionError: no version"
    assert ask(second, tmp_path)["error"].eq("").all() and second.asked == ["c"]


def test_what_was_journalled_under_another_version_is_not_reused(tmp_path, monkeypatch):
    ask(Changing(), tmp_path)
    second = Changing()
    second.version = 2
    assert ask(second, tmp_path)["answer"].tolist() == ["a2", "b2", "c2", "d2", "e2"]
    third = Changing()
    third.version = 2
    monkeypatch.setenv("RAGASSAY_RUN", "a later run")
    assert ask(third, tmp_path).attrs["reused"]["n"] == 5 and third.asked == []
