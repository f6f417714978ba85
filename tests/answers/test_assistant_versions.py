"""Which version gave each answer: kept beside it, mixtures named, nothing asked twice."""

import pandas as pd

from assistants.in_this_process import InThisProcess, ask_all
from ragassay import tables
from ragassay.answers.assistant_versions import Part, merge_parts, versions_of

CASES = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


def answers(*versions) -> pd.DataFrame:
    rows = [(f"c{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


def test_what_each_reply_said_stands_beside_it(tmp_path):
    said = iter(["A", "A", None, "B", "A"])
    system = InThisProcess(lambda question: {"answer": question, "system_version": next(said)}, "v1")
    table = ask_all(CASES, system, name="s", run_dir=tmp_path)
    tables.write(tmp_path, "answers", table)
    found = tables.read(tmp_path, "answers")
    assert versions_of(found) == [Part("A", 3, "a", "e"), Part(None, 1, "c", "c"), Part("B", 1, "d", "d")]
    again = ask_all(CASES, system, name="s", run_dir=tmp_path)  # which would ask for a sixth
    assert versions_of(again) == versions_of(found)


def test_a_version_that_is_stated_is_that_of_all():
    assert versions_of(answers("A", None), "7") == [Part("7", 2, "c0", "c1")]


def test_parts_of_several_tables():
    both = merge_parts([Part("A", 2, "a", "b"), Part("A", 3, "p", "q"), Part("B", 1, "r", "r")])
    assert both == [Part("A", 5, "a", "q"), Part("B", 1, "r", "r")]
