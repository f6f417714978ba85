"""Which version gave each answer: kept beside it, mixtures named, nothing asked twice."""

import pandas as pd

from ragassay import tables
from ragassay.answers import System, ask_all
from ragassay.answers.assistant_versions import Part, sentences, together, versions_of

CASES = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


def answers(*versions) -> pd.DataFrame:
    rows = [(f"c{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


def test_what_each_reply_said_stands_beside_it(tmp_path):
    said = iter(["A", "A", None, "B", "A"])
    system = System(lambda question: {"answer": question, "system_version": next(said)}, "v1")
    table = ask_all(CASES, system, name="s", run_dir=tmp_path)
    tables.write(tmp_path, "answers", table)
    found = tables.read(tmp_path, "answers")
    assert versions_of(found) == [Part("A", 3, "a", "e"), Part(None, 1, "c", "c"), Part("B", 1, "d", "d")]
    again = ask_all(CASES, system, name="s", run_dir=tmp_path)  # which would ask for a sixth
    assert versions_of(again) == versions_of(found)


def test_a_mixture_and_silence_are_named():
    assert sentences(versions_of(answers("A", "A"))) == []
    mixed, silent = sentences(versions_of(answers("A", "B", None, "A")))
    assert "'A' 2, 'B' 1" in mixed and "1 of 4" in silent


def test_what_says_nothing_is_no_version():
    assert versions_of(answers("A").drop(columns="system_version")) == []
    assert versions_of(answers("A").assign(error="no connection")) == []


def test_parts_of_several_tables():
    both = together([Part("A", 2, "a", "b"), Part("A", 3, "p", "q"), Part("B", 1, "r", "r")])
    assert both == [Part("A", 5, "a", "q"), Part("B", 1, "r", "r")]
