"""Values: what they name is known before anything runs; near misses are suggested."""

import json
import re

import pytest

from answers.tool_records import SCORED
from ragassay.errors import ParameterError
from ragassay.run import engagement, named_values, parameters
from ragassay.run.parameters import Parameter
from ragassay.run.runner import _reached

COLUMNS = ["case_id", "topic", "language"]
KNOWN = {"accept_from": {"relevant": 4, "grounded": 1}, "gates": {"privacy_leak_rate": "high <= 0.02"}}


def said(annotation, value, known=KNOWN, name="p"):
    """Places and problems as one text."""
    found = named_values.flaws(Parameter(name, annotation, None, ""), value, known)
    return " | ".join(f"{list(place)} {what}" for place, what in found)


@pytest.mark.parametrize(
    "annotation, value",
    [
        ("Metric", "answer_relevancy"),
        ("Metrics", "support, groundedness"),
        ("dict[Metric, Dimension]", {"support": "grounded"}),
        ("ScorecardMetric", "privacy_leak_rate"),
        ("Columns", {"question": "prompt", "contexts": "passages.text"}),
        ("Gates", {"support in language=es": "low >= 0.65", "toxicity_rate": "high <= 2%, critical"}),
        ("Date", "2026-09-01"),
        ("Profile", "pra-ss1-23"),
        ("Probes", "health"),
        ("Dimension", "relevant"),
    ],
)
def test_what_fits(annotation, value):
    assert said(annotation, value) == ""


@pytest.mark.parametrize(
    "annotation, value, complaint",
    [
        ("Metric", "answer_relevance", "no metric 'answer_relevance'; did you mean 'answer_relevancy'"),
        ("list[ScorecardMetric]", ["support", "retrieval_recal"], r"\[1\] .*did you mean 'retrieval_recall'"),
        ("dict[Metric, Dimension]", {"suport": "grounded"}, r"\['suport'\] .*did you mean 'support'"),
        ("Gates", {"judged_grounde": "low >= 0.8"}, r"\['judged_grounde'\].*did you mean 'judged_grounded'"),
        ("Date", "1 May 2026", "isoformat string: '1 May 2026'"),
        ("Profile", "pra-ss1-24", "did you mean|the path of a CSV"),
        ("Probes", "insuranc", "public_service"),
        ("Dimension", "relevance", "did you mean 'relevant'"),
        ("Documents", "nowhere", "does not exist"),
    ],
)
def test_what_does_not(annotation, value, complaint):
    assert re.search(complaint, said(annotation, value))


def test_a_waiver_is_of_a_gate():
    signed = "A. Meyer: mended in 1.1; until 2027-01-31"
    assert said("dict[str, str]", {"privacy_leak_rate": signed}, name="waivers") == ""
    assert "did you mean 'privacy_leak_rate'" in said("dict[str, str]", {"privacy_leak": "x"}, name="waivers")


def test_an_assistant_is_read_and_never_run(tmp_path):
    (tmp_path / "a.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (tmp_path / "b.py").write_text("def (:\n")
    assert said("str", f"{tmp_path / 'a.py'}:ask", name="assistant") == "" and not (tmp_path / "ran").exists()
    assert "cannot be read: SyntaxError" in said("str", f"{tmp_path / 'b.py'}:ask", name="assistant")
    assert said("str", "some.module:ask", name="assistant") == ""


def test_columns_of_the_cases_are_those_declared_and_those_of_the_log(tmp_path):
    """Of the levels of a slice the run decides."""
    (tmp_path / "log.csv").write_text("question,answer,branch\nq,a,b\n")
    logged = KNOWN | {"answers_log": str(tmp_path / "log.csv")}
    for column, known, complaint in (
        ("topic", KNOWN, ""),
        ("topc", KNOWN, "no column of the cases 'topc'; did you mean 'topic'"),
        ("branch", logged, ""),
        ("brnch", logged, "did you mean 'branch'"),
        ("anything", {"answers_log": str(tmp_path / "none")}, ""),
    ):
        in_gate = said("Gates", {f"support in {column} = x": "low >= 0.8"}, known)
        for found in (said("list[str]", [column], known, "dimensions"), in_gate):
            assert complaint in found if complaint else found == ""
    assert "a slice names a factor" in said("Gates", {"support in T01": "low >= 0.8"})


@pytest.mark.parametrize(
    "name, content, complaint",
    [
        ("answers_log", b"frage;antwort\na;b\n", "no column holds question or answer"),
        ("labels", b"case_id,dimension,rater,label,scale\nc,d,r,high,0-1\n", "is no number"),
        ("own_questions", b"frage\nx\n", "a row has no question"),
        ("own_questions", b"\xff\xff", "not UTF-8"),
        ("suite", b"[1]", "expected one JSON object per line"),
    ],
)
def test_a_file_of_the_wrong_kind_is_told(tmp_path, name, content, complaint):
    path = tmp_path / ("f.jsonl" if name == "suite" else "f.csv")
    path.write_bytes(content)
    assert complaint in said("File", str(path), name=name)


@pytest.fixture
def known(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(SCORED["ragas"][0]) + "\n")
    return {"accept_from": {"grounded": 1}, "answers_log": str(log)}


def test_a_score_that_the_log_gives_may_be_named(known):
    name = "ragas:faithfulness"
    assert said("Metric", name, known) == said("dict[Metric, Dimension]", {name: "grounded"}, known) == ""
    assert said("Gates", {name: "low >= 0.8"}, known) == ""


def test_one_that_it_does_not_give_is_told(known):
    assert "did you mean 'ragas:faithfulness'" in said("Metric", "ragas:faithfullness", known)
    assert "no metric 'ragas:context_precision'" in said(
        "Gates", {"ragas:context_precision": "low >= 0.8"}, known
    )
    assert said("Gates", {"ragas:faithfulness": "low >= 0.8"}, {}) != ""


def test_a_mapping_may_name_scores_and_labels():
    assert said("Columns", {"label:grounded": "g", "rater": "who"}, name="label_columns") == ""
    assert "did you mean 'rater'" in said("Columns", {"ratr": "q"}, name="label_columns")


JUDGE = "https://judge.example/v1"
DATABASE = "postgresql+psycopg://ann@db.bank/facts"


@pytest.mark.parametrize(
    "name, value, allow",
    [
        ("judge", JUDGE, ["judge.example:443"]),
        ("database", "sqlite:///bank.db", []),
        ("database", DATABASE, ["db.bank:5432"]),
        ("database", "postgresql://ann@db.bank:6000/facts", ["db.bank"]),
    ],
)
def test_what_a_sealed_run_may_reach(name, value, allow):
    assert said("str", value, {"judge": JUDGE, "judge_model": "m", "allow": allow}, name) == ""


@pytest.mark.parametrize(
    "name, value, allow, complaint",
    [
        ("judge", JUDGE, [], "allow: ['judge.example:443']"),
        ("judge_model", "m", ["judge.example:80"], "allow: ['judge.example:443']"),
        ("database", DATABASE, ["other:1"], "db.bank:5432"),
        ("database", "postgresql+psycopg:///facts", [], "localhost:5432"),
        ("database", "postgresql://ann:secret@db.bank/facts", ["db.bank:5432"], "password"),
    ],
)
def test_what_the_seal_would_refuse_is_refused_before(name, value, allow, complaint):
    found = said("str", value, {"judge": JUDGE, "judge_model": "m", "allow": allow}, name)
    assert complaint in found and "secret" not in found


URL = "https://assistant.bank.example/ask"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """The engagement with this assistant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents").mkdir()
    schemas = {name: parameters.declared(book) for name, book in parameters.notebooks().items()}

    def read(assistant: str):
        (tmp_path / "mine.yml").write_text(f"00_scope:\n  documents: documents\n  assistant: {assistant}\n")
        found = engagement.load(tmp_path / "mine.yml", schemas)
        return engagement.effective(schemas["00_scope"], found.notebooks["00_scope"])["assistant"]

    return read


def test_written_out_it_becomes_its_text(load):
    taken = load(f"{{kind: http, url: '{URL}'}}")
    assert json.loads(taken) == {"kind": "http", "url": URL}


@pytest.mark.parametrize(
    ("assistant", "told"),
    [
        ("{url: mine}", "line 3: 00_scope.assistant: 1 flaw.s. in the description"),
        (f"{{url: '{URL}', headers: {{X: '${{NO_SUCH_KEY}}'}}}}", "line 3: .*NO_SUCH_KEY is not set"),
        ("bot.yml", "line 3: .*description does not exist"),
        ("[a]", r"must be Assistant, found \['a'\]"),
        ("bot", "must be module:name, path/to/file.py:name or a description, found 'bot'"),
        ("bot.py:ask", "cannot be read: FileNotFoundError"),
    ],
)
def test_what_cannot_be_asked_is_told_before_anything_runs(load, assistant, told):
    with pytest.raises(ParameterError, match=told):
        load(assistant)


def test_whom_its_process_reaches(load, tmp_path):
    (tmp_path / "bot.yml").write_text("command: [python, bot.py]")
    described = {"00_scope": {"assistant": load(f"{{url: '{URL}'}}")}, "02_functionality": {}}
    assert _reached(described) == ["assistant.bank.example:443"]
    for own in ("bot.yml", "bot.py:ask"):
        assert _reached({"00_scope": {"assistant": own}}) == []
    assert _reached({"00_scope": described["00_scope"] | {"answers_log": "log.jsonl"}}) == []


@pytest.mark.parametrize(
    "name, rule, complaint",
    [
        ("judged_grounded", "low >= 0", "end of its range"),
        ("retrieval_recall", "high <= 0.8", "better the higher"),
        ("retrieval_recal", "low >= 0.8", "did you mean 'retrieval_recall'"),
        ("retrieval_recall in colour=red", "low >= 0.8", "no column of the cases 'colour'"),
        ("retrieval_recall", "low >= 80", "a share is written 0.8"),
        ("retrieval_recall", "about 0.8", "cannot be read"),
        ("retrieval_recall", "low >= 0.8, if asked", "fits only"),
    ],
)
def test_what_a_run_refuses_the_notebook_refuses_too(name, rule, complaint):
    with pytest.raises(ParameterError, match=complaint):
        named_values.check_gates({name: rule}, COLUMNS)


def test_sound_rules_are_given_back_in_order():
    rules = {"judged_grounded": "low >= 0.8", "retrieval_recall in language=es": "low >= 0.7"}
    assert [rule.name for rule in named_values.check_gates(rules, COLUMNS)] == list(rules)
