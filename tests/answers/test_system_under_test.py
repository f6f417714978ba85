"""The system under test: what may be named and what each mistake says; asked, or its log replayed; its versions."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml

from assistants.in_this_process import InThisProcess, load_system
from assistants.in_this_process import ask_all as ask_here
from assistants.loopback import GOOD, Loopback, good
from ragassay import provenance, tables
from ragassay.answers import ask_all, challengers, collect_answers, logged_cases
from ragassay.answers.asking import ONLY_LOGS
from ragassay.answers.log_import import UNLOGGED
from ragassay.answers.system_under_test import name_passages, versions_of
from ragassay.errors import InputError, SystemUnderTestError
from ragassay.scores import score

SOURCE = """
def ask(question): return "asked " + question
def make(documents): return lambda question: documents
def make_plain(): return ask
class Bot:
    def __init__(self, documents="none"): self.documents = documents
    def __call__(self, question): return "bot"
class Instance:
    def __call__(self, question): return "instance"
ready = Instance()
number = 3
def broken_factory(): raise RuntimeError("no key")
def empty_factory(): return None
def other(prompt): return ""
def keywords(**options): return lambda q: options["documents"]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("text")
    path = tmp_path / "bot_for_tests.py"
    path.write_text(SOURCE)
    return path


def answer_of(spec, question, documents=None):
    with load_system(spec, documents) as system:
        return system.ask(question, 60)[0]["answer"]


@pytest.mark.parametrize(
    ("name", "reply"),
    [("ask", "asked hello"), ("make_plain", "asked hello"), ("Bot", "bot"), ("ready", "instance")],
)
@pytest.mark.parametrize("place", ["bot_for_tests.py", "./bot_for_tests.py"])
def test_functions_and_factories(file, place, name, reply):
    assert answer_of(f"{place}:{name}", "hello") == reply


@pytest.mark.parametrize("name", ["make", "keywords"])
def test_a_factory_is_handed_the_folder(file, name):
    assert answer_of(f"{file}:{name}", "x", "docs") == str(file.parent / "docs")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("bot_for_tests", "not named as it should"),
        ("no_such_module_here:ask", "No module named 'no_such_module_here'"),
        ("missing.py:ask", "file does not exist"),
        ("bot_for_tests.py:aks", "did you mean 'ask'"),
        ("bot_for_tests.py:number", "not callable"),
        ("bot_for_tests.py:broken_factory", "RuntimeError: no key"),
        ("bot_for_tests.py:empty_factory", "a NoneType"),
        ("bot_for_tests.py:other", "missing 1 required positional argument: 'prompt'"),
    ],
)
def test_each_mistake_is_named(file, spec, complaint):
    with pytest.raises(SystemUnderTestError, match=complaint):
        load_system(spec)


def test_the_identity_changes_with_the_source_and_with_the_documents(file):
    def now():
        with load_system(f"{file}:ask", "docs") as system:
            return str(system.facts)

    first = now()
    assert now() == first
    (file.parent / "docs" / "a.txt").write_text("another text")
    second = now()
    file.write_text(SOURCE + "# changed\n")
    assert len({first, second, now()}) == 3


FORKING = """
import subprocess, sys, time
if "hang" in sys.stdin.read():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    time.sleep(60)
print('{"answer": "here"}')
"""


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**description) -> str:
        (tmp_path / "mine.yml").write_text(yaml.safe_dump(description))
        return "mine.yml"

    return write


def test_an_endpoint_that_is_gone_is_not_asked_for_ever(written, tmp_path):
    with Loopback(good) as server:
        spec = written(url=server.url, retries=0)
    cases = pd.DataFrame({"case_id": list("abcde"), "question": ["What?"] * 5})
    told = "(?s)answered no question.*no connection to the endpoint"
    with load_system(spec, allow=()) as system, pytest.raises(SystemUnderTestError, match=told):
        ask_all(cases, [system], name="mine", run_dir=tmp_path / "run")
    assert len((tmp_path / "run/journal/answers.jsonl").read_text().splitlines()) == 3


@pytest.mark.slow
def test_a_command_that_hangs_is_killed_with_what_it_started(written, tmp_path):
    import psutil

    (tmp_path / "bot.py").write_text(FORKING)
    spec = written(command=[sys.executable, "bot.py"])
    with load_system(spec, allow=()) as system:
        group = {each.pid for each in psutil.process_iter()}
        row, lost = system.ask("hang", 1.0)
        assert lost and row["error"] == "no answer within 1 s"
        until = time.monotonic() + 60
        while (left := _sleeping(psutil, group)) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left
        assert system.ask("Fee?", 10.0)[0]["answer"] == "here"


def _sleeping(psutil, known):
    now = [each for each in psutil.process_iter(["cmdline"]) if each.pid not in known]
    return [each for each in now if "time.sleep(60)" in str(each.info["cmdline"])]


SEALED = """
import socket, sys
from ragassay import network_seal
from ragassay.answers.system_under_test import order_of
from ragassay.assistant.process import AssistantProcess
network_seal.close((), leave=False, note=lambda event: None)
with AssistantProcess(order_of({"assistant": sys.argv[1], "documents": ""})) as system:
    print(system.ask("What is the fee?", 60)[0]["answer"])
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])))
except OSError as problem:
    print(type(problem).__name__)
"""


def test_its_process_reaches_what_the_sealed_notebook_does_not(tmp_path):
    with Loopback(good) as server:
        arguments = [json.dumps({"url": server.url}), server.host.rpartition(":")[2]]
        environment = os.environ | {"RAGASSAY_ALLOW": ""}
        command = [sys.executable, "-c", SEALED, *arguments]
        said = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert said.split("\n")[:2] == [GOOD["answer"], "NetworkRefused"]


CASES = pd.DataFrame({"case_id": ["a", "a-s030"], "question": ["What is the fee?", "Waht is the fee?"]})
ECHO = "def ask(question):\n    return {'answer': 'You asked: ' + question, 'contexts': ['c']}\n"


def record(case_id="a", system="v2", answer="Six dollars."):
    return {
        "case_id": case_id,
        "system": system,
        "question": "What is the fee?",
        "answer": answer,
        "contexts": ["The fee is $6."],
        "answerable": True,
    }


@pytest.fixture
def engagement(tmp_path):
    """An engagement over a log of the records given; over an assistant that echoes if there are none."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "echo.py").write_text(ECHO)

    def make(*records, system="bank") -> dict:
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(each) + "\n" for each in records))
        spoken = {
            "assistant": f"{tmp_path / 'echo.py'}:ask",
            "documents": str(tmp_path / "documents"),
            "system": system,
        }
        return spoken | {"answers_log": str(log) if records else ""}

    return make


def test_an_assistant_is_asked(engagement, tmp_path):
    found = tables.check("answers", collect_answers(engagement(), CASES, run_dir=tmp_path / "run"))
    assert (
        found["answer"].tolist() == [f"You asked: {question}" for question in CASES["question"]]
        and found["system"].eq("bank").all()
    )
    assert (tmp_path / "run" / "journal" / "answers.jsonl").exists() and logged_cases(engagement()) is None


def process_of(engagement, folder, journal):
    """Which process answered, as it says itself."""
    cases = pd.DataFrame({"case_id": ["a"], "question": ["Who are you?"]})
    return collect_answers(engagement, cases, run_dir=folder, journal=journal)["answer"][0]


def test_a_notebook_loads_its_assistant_once(engagement, tmp_path, monkeypatch):
    which = "import os\ndef ask(question):\n    return str(os.getpid())\n"
    (tmp_path / "echo.py").write_text(which)
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "trace"))
    first = process_of(engagement(), tmp_path / "run", "answers")
    assert process_of(engagement(), tmp_path / "run", "probes") == first
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "of another notebook"))
    second = process_of(engagement(), tmp_path / "run", "variants")
    assert second != first and not Path(f"/proc/{first}").exists()
    (tmp_path / "echo.py").write_text(which + "# mended\n")
    assert process_of(engagement(), tmp_path / "other run", "answers") not in (first, second)


def test_a_log_is_replayed_and_nothing_is_asked(engagement, tmp_path):
    found = collect_answers(engagement(record()), CASES[:1], run_dir=tmp_path / "run")
    assert found[["case_id", "system", "answer", "error"]].to_numpy().tolist() == [
        ["a", "bank", "Six dollars.", ""]
    ]
    assert not (tmp_path / "run").exists()


def test_what_the_log_does_not_hold_is_a_row_that_says_so(engagement, tmp_path):
    found = tables.check("answers", collect_answers(engagement(record()), CASES, run_dir=tmp_path))
    assert found["case_id"].tolist() == ["a", "a-s030"] and found["error"].tolist() == ["", ONLY_LOGS]
    assert found.iloc[1]["answer"] == "" and found.iloc[1]["system"] == "bank"


def test_the_other_systems_are_challengers(engagement):
    log = engagement(
        record("a", "v1", "Five."),
        record("a", "v2"),
        record("a", "v3", "Eight."),
        record("b", "v1", "Seven."),
        system="v2",
    )
    found = tables.check("answers", challengers(log, CASES))
    assert found[["system", "case_id", "answer"]].to_numpy().tolist() == [
        ["v1", "a", "Five."], ["v1", "a-s030", ""], ["v3", "a", "Eight."], ["v3", "a-s030", ""],
    ]  # fmt: skip
    assert found.error.tolist() == ["", UNLOGGED, "", UNLOGGED]
    assert set(challengers(log, CASES, ["v3"]).system) == {"v3"}


def test_a_challenger_that_is_not_there(engagement):
    both = engagement(record("a", "v1"), record("a", "v2"), system="v2")
    for name in ("v9", "v2"):
        with pytest.raises(InputError, match=r"(?s)no such challenger.*found: " + name + ".*expected: v1"):
            challengers(both, CASES, [name])
    with pytest.raises(InputError, match="no such challenger"):
        challengers(engagement(), CASES, ["v1"])


FIVE = pd.DataFrame({"case_id": list("abcde"), "question": list("abcde")})


def answers(*versions) -> pd.DataFrame:
    rows = [(f"c{at}", version, "") for at, version in enumerate(versions)]
    return pd.DataFrame(rows, columns=["case_id", "system_version", "error"])


def test_what_each_reply_said_stands_beside_it(tmp_path):
    said = iter(["A", "A", None, "B", "A"])
    system = InThisProcess(lambda question: {"answer": question, "system_version": next(said)}, "v1")
    table = ask_here(FIVE, system, name="s", run_dir=tmp_path)
    tables.write(tmp_path, "answers", table)
    found = tables.read(tmp_path, "answers")
    parts = [tuple(part.values()) for part in versions_of(found)]
    assert parts == [("A", 3, "a", "e"), (None, 1, "c", "c"), ("B", 1, "d", "d")]
    again = ask_here(FIVE, system, name="s", run_dir=tmp_path)  # which would ask for a sixth
    assert versions_of(again) == versions_of(found)


def test_a_version_that_is_stated_is_that_of_all():
    assert versions_of(answers("A", None), "7") == [{"version": "7", "n": 2, "first": "c0", "last": "c1"}]


LONG = "The monthly fee is six dollars, due on the first of May."
CHUNKS = pd.DataFrame({"chunk_id": ["fees_2023#p1", "fees_2023#p2", "cards#p1"], "n_sentences": 1})
CHUNKS["doc_id"] = ["fees_2023", "fees_2023", "cards"]
CHUNKS["text"] = [
    f"{LONG} It is waived for students.",
    "No.",
    "A lost card is replaced free of charge, once.",
]


def named(texts, ids=None, answer="Six dollars.") -> list[str]:
    """The ids of the passages of an answer, of those given where there are any."""
    rows = pd.DataFrame({"answer": [answer], "contexts": [texts], "context_ids": [ids or []]})
    return name_passages(rows, CHUNKS)["context_ids"][0]


@pytest.mark.parametrize("text, known", [
    (f"**{LONG.upper()}**", "fees_2023#p1"),  # part of ours, with markup
    (f"Cards\n\n{CHUNKS.text[2]} See section 4.", "cards#p1"),  # ours and more
    ("No.", "fees_2023#p2"), ("no", "fees_2023#p2"), ("fee", None), ("It is waived for students", "fees_2023#p1"), ("The weather is fine today, and tomorrow.", None),
])  # fmt: skip
def test_passages_without_ids_are_known_by_their_text(text, known):
    found = named([CHUNKS.text[2], text])
    assert found[0] == "cards#p1" and (found[1] == known if known else found[1].startswith("passage-"))
    assert named(["The weather."]) == [] == named([LONG], answer="Six dollars [tariff#p9].")
    assert named([LONG], answer="Six dollars [1], see [fees_2023#p1].") == ["fees_2023#p1"]


@pytest.mark.parametrize("name", ["fees_2023.md", "./docs/fees_2023.md#3", "fees_2023"])
def test_names_of_files_are_those_of_documents(name):
    assert named([LONG], [name]) == ["fees_2023#p1"] and named(["Fees."], [name]) == ["fees_2023"]
    assert named([LONG, "x"], [name, "faq-7"]) == [name, "faq-7"]


def test_passages_with_ids_of_another_kind_are_known_by_their_texts():
    texts = [LONG, CHUNKS.text[2]]
    assert named(texts, ["faq-7", "faq-8"]) == ["fees_2023#p1", "cards#p1"]
    assert named([LONG, "Something else."], ["faq-7", "faq-8"]) == ["faq-7", "faq-8"]  # most are not ours


OWN_IDS = {"contexts": [LONG, CHUNKS.text[2]], "context_ids": ["fees_2023#1", "cards#1"]}
METRICS = ["retrieval_recall", "citations_present", "citation_correctness", "answer_words"]


@pytest.fixture
def measured(engagement, tmp_path):
    """What the scores say of a run's one answer, whose case has this passage for reference."""

    def measure(wanted: str, reply: dict) -> list[float]:
        tables.write(tmp_path / "run", "chunks", CHUNKS)
        cases = CASES[:1].assign(reference_chunk_ids=[[wanted]])
        found = collect_answers(engagement(record() | reply), cases, run_dir=tmp_path / "run")
        return score(found, cases, CHUNKS, METRICS).value.tolist()

    return measure


@pytest.mark.parametrize(
    "said", [{"answer": "It is $6 [fees_2023#1]."}, {"citations": ["fees_2023#1"], "answer": "It is $6."}]
)
def test_an_assistant_that_cites_by_ids_of_its_own_is_judged_by_our_passages(measured, said):
    assert measured("fees_2023#p1", OWN_IDS | said) == [1, 1, 1, 3]
    assert measured("fees_2023#p2", OWN_IDS | said) == [0, 1, 1, 3]


def test_ids_that_the_references_of_a_log_name_too_stay(measured):
    assert measured("cards#1", OWN_IDS)[0] == 1


def test_the_passages_of_a_run_are_named_and_counted(engagement, tmp_path, monkeypatch):
    monkeypatch.setenv(provenance.TRACE, str(tmp_path / "trace"))
    tables.write(tmp_path / "run", "chunks", CHUNKS)
    log = engagement(record() | {"contexts": [LONG, "Another."]})
    assert collect_answers(log, CASES[:1], run_dir=tmp_path / "run")["context_ids"][0][0] == "fees_2023#p1"
    told = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()]
    assert {"named": 2, "found": 1}.items() <= next(
        one for one in told if one["event"] == "references"
    ).items()
