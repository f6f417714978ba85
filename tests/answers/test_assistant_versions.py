"""Which version gave each answer: kept beside it, mixtures named, what another has replaced asked again."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ragassay import tables
from ragassay.answers import ask_all, limits
from ragassay.answers.assistant_versions import Part, Said, replaced, together, versions_of

CASES = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


class Naming:
    """Each reply names a version: those given, in the order of the questions put, the last for all that follow."""

    def __init__(self, *versions, fails: str = ""):
        self.versions, self.asked, self.fails = versions, [], fails

    def __call__(self, question):
        version = self.versions[min(len(self.asked), len(self.versions) - 1)]
        self.asked.append(question)
        if question in self.fails:
            raise ConnectionError("down")
        return {"answer": f"{question}{version}", "system_version": version}


def ask(system, run_dir, cases=CASES, **options):
    return ask_all(cases, same(system), name="s", run_dir=run_dir, **options)


def same(system):
    """One assistant to the journal, whichever of these is asked."""
    from ragassay.answers import System

    return System(system, "one and the same")


def said(run_dir: Path, journal: str = "answers") -> list:
    lines = (run_dir / "journal" / f"{journal}.jsonl").read_text().splitlines()
    return [json.loads(line)["row"].get("system_version") for line in lines]


def test_what_each_reply_said_stands_beside_it(tmp_path):
    table = ask(Naming("7.1"), tmp_path)
    assert table["system_version"].tolist() == ["7.1"] * 5 == said(tmp_path)
    assert limits(table) == []
    tables.write(tmp_path, "answers", table)
    assert tables.read(tmp_path, "answers")["system_version"].tolist() == ["7.1"] * 5


def test_a_change_on_the_way_is_named_and_nothing_is_asked_twice(tmp_path):
    system = Naming("A", "A", "A", "B")
    table = ask(system, tmp_path)
    assert system.asked == list("abcde") and table["system_version"].tolist() == list("AAABB")
    assert len(limits(table)) == 1


def test_a_reply_that_names_none_is_counted(tmp_path):
    table = ask(Naming("A", None, "A"), tmp_path)
    assert table["system_version"].isna().tolist() == [False, True, False, False, False]
    assert len(limits(table)) == 1


def test_answers_of_a_version_that_was_replaced_are_asked_again(tmp_path):
    ask(Naming("A", fails="d"), tmp_path)
    second = Naming("B")
    table = ask(second, tmp_path)
    assert second.asked == ["d", "a", "b", "c", "e"], "first what was missing, which told of the new version"
    assert table["answer"].tolist() == ["aB", "bB", "cB", "dB", "eB"] and limits(table) == []
    third = Naming("C")
    assert ask(third, tmp_path)["system_version"].tolist() == ["B"] * 5 and third.asked == []


def test_nothing_is_lost_where_asking_again_fails(tmp_path):
    ask(Naming("A", fails="d"), tmp_path)
    table = ask(Naming("B", fails="a"), tmp_path)
    assert table["system_version"].tolist()[1:] == ["B"] * 4 and table["error"][0]
    assert said(tmp_path).count("A") == 4, "the journal keeps what was said"
    assert ask(Naming("B"), tmp_path)["system_version"].tolist() == ["B"] * 5


def test_a_mixture_of_before_is_mended_by_the_version_that_stayed(tmp_path):
    ask(Naming("A", "A", "B", fails="d"), tmp_path)
    second = Naming("B")
    assert ask(second, tmp_path)["system_version"].tolist() == ["B"] * 5
    assert second.asked == ["a", "b", "d"], "the journal already tells that A is gone"


def test_versions_that_take_turns_are_kept_and_named(tmp_path):
    ask(Naming("A", "B", "A", "B", "A", fails="d"), tmp_path)
    second = Naming("B")
    table = ask(second, tmp_path)
    assert second.asked == ["d"] and table["system_version"].tolist() == list("ABABA")


def test_what_another_set_of_questions_heard_counts(tmp_path):
    """The first questions were answered anew by B; the probes of before, of A, are not taken."""
    ask(Naming("A"), tmp_path, journal="probes")
    ask(Naming("B"), tmp_path)
    again = Naming("B")
    assert ask(again, tmp_path, journal="probes")["system_version"].tolist() == ["B"] * 5
    assert again.asked == list("abcde")


TURNS = pd.DataFrame({
    "case_id": ["t1", "t2", "x"], "question": ["one", "two", "alone"],
    "turn": [1, 2, None], "conversation_id": ["c", "c", None],
})  # fmt: skip


class Talking(Naming):
    def __call__(self, question, history=()):
        return super().__call__(question)


def test_a_conversation_is_of_one_version(tmp_path):
    """The second turn failed: its answer by B would follow on a first one by A."""
    ask(Talking("A", fails=["two"]), tmp_path, TURNS)
    second = Talking("B")
    table = ask(second, tmp_path, TURNS)
    assert table["answer"].tolist() == ["oneB", "twoB", "aloneB"]
    assert second.asked == ["two", "one", "two", "alone"]


@pytest.mark.parametrize(
    ("versions", "gone"),
    [("", ""), ("A", ""), ("AAB", "A"), ("ABA", ""), ("ABAB", ""), ("ABC", "AB"), ("ACBCB", "A"), ("ABBC", "AB")],
)  # fmt: skip
def test_which_versions_are_replaced(versions, gone):
    told = [Said(float(at), version) for at, version in enumerate(versions)]
    assert replaced(told) == set(gone) == replaced(reversed(told))


def test_journals_of_other_forms_say_nothing(tmp_path):
    ask(Naming("A"), tmp_path)
    path = tmp_path / "journal" / "answers.jsonl"
    entry = json.loads(path.read_text().splitlines()[0])
    odd = [{"asked": "never"}, {"asked": None}, {"seconds": "long"}]
    with path.open("a") as file:
        file.write("".join(json.dumps(entry | each) + "\n" for each in odd))
    assert ask(Naming("B"), tmp_path)["error"].eq("").all()


def answers(*versions) -> pd.DataFrame:
    rows = [(f"c{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


def test_parts_by_hand():
    assert versions_of(answers("A", "A", None, "B", "A")) == [
        Part("A", 3, "c0", "c4"),
        Part(None, 1, "c2", "c2"),
        Part("B", 1, "c3", "c3"),
    ]
    assert versions_of(answers("A").drop(columns="system_version")) == []
    assert versions_of(answers("A").assign(error="no connection")) == []


def test_parts_of_several_tables():
    both = together([Part("A", 2, "a", "b"), Part("A", 3, "p", "q"), Part("B", 1, "r", "r")])
    assert both == [Part("A", 5, "a", "q"), Part("B", 1, "r", "r")]
