"""Metrics of an engagement's own: named, scored, refused; what goes wrong is an error of its row alone."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ragassay
from ragassay import provenance
from ragassay.analysis.case_scores import value_range
from ragassay.api.open_run import open_run
from ragassay.cli.files import score as score_command
from ragassay.errors import ParameterError
from ragassay.models.judge_messages import Reply
from ragassay.run.named_values import flaws
from ragassay.run.parameters import Parameter
from ragassay.scores import METRICS, choose, own_metrics, score
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_registry import direction
from ragassay.scores.score import ERROR, NOT_APPLICABLE, NOT_MEASURED, SCORED

FILE = """
import ragassay

@ragassay.metric("brevity", range=(0, 1), better="high")
def short(answer):
    \"\"\"1 for an empty answer, 0 from ten words on.

    More of it.
    \"\"\"
    return max(0, 1 - len(answer.answer.split()) / 10)

@ragassay.metric(range=(0, 500), better="low", needs=["contexts"], refusals=True)
def passages(answer):
    return len(answer.contexts)

@ragassay.judged("Is it polite? {answer} (asked: {question})", range=(1, 5))
def polite():
    "how polite the judge finds it"
"""
ANSWERS = pd.DataFrame(
    {
        "case_id": ["a", "b"],
        "system": "s",
        "question": "What is the fee?",
        "answer": ["The fee is five dollars.", "Nine words are one word less than ten words."],
        "contexts": [["The fee is $5."], None],
    }
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_metrics.py").write_text(FILE)
    yield tmp_path
    for name in [*own_metrics._SPECS]:
        METRICS.pop(name), own_metrics._SPECS.pop(name)


def measured(names, answers=ANSWERS, **options) -> pd.DataFrame:
    return score(answers, metrics=own_metrics.resolve(names), **options)


def test_a_metric_of_a_file_is_scored_and_has_a_card():
    found = measured(["my_metrics.py:brevity", "my_metrics.py:passages"]).set_index(["case_id", "metric"])
    assert found.loc[("a", "brevity"), "value"] == 0.5 and found.loc[("b", "brevity"), "value"] == 0.1
    assert found.loc[("a", "passages"), "value"] == 1
    assert found.loc[("b", "passages"), "state"] == NOT_MEASURED
    card = METRICS["brevity"]
    assert card.meaning == "1 for an empty answer, 0 from ten words on" and card.source == own_metrics.SOURCE
    assert value_range("passages") == (0, 500) and direction("passages") == "lower"
    assert display_name("brevity") == "brevity" and not card.reads_key


def test_the_api_and_the_command_take_it_beside_ours(folder):
    scores = ragassay.score(ANSWERS, metrics=["answer_words", "my_metrics.py:brevity"]).to_pandas()
    assert set(scores["metric"]) == {"answer_words", "brevity"} and (scores["state"] == SCORED).all()
    ANSWERS.to_json(folder / "answers.jsonl", orient="records", lines=True)
    options = ["answers.jsonl", "--metrics", "my_metrics.py:brevity,answer_words", "--out", "scores.csv"]
    done = CliRunner().invoke(score_command, options)
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(folder / "scores.csv")["metric"]) == {"answer_words", "brevity"}
    assert "brevity" in choose("support, my_metrics.py:brevity")


@pytest.mark.parametrize(
    "value, state",
    [(float("nan"), NOT_APPLICABLE), (np.float32("nan"), NOT_APPLICABLE), (np.int64(1), SCORED), ("good", ERROR), (float("inf"), ERROR), (1e9, ERROR), ([1], ERROR), (np.array([0.5]), ERROR), (ZeroDivisionError(), ERROR), (RecursionError(), ERROR)],
)  # fmt: skip
def test_whatever_it_gives_stops_nothing(value, state):
    @ragassay.metric()
    def odd(answer):
        if answer.case_id == "a":
            return 0.5
        if isinstance(value, BaseException):
            raise value
        return value

    found = measured([odd])
    assert found["state"].tolist() == [SCORED, state] and bool(found["reason"][1]) == (state != SCORED)
    found["reason"][1].encode()


@pytest.mark.parametrize(
    "reply, value",
    [('{"value": "yes"}', 5), ("No.", 1), ('{"value": 3.5}', 3.5), ("4", 4), ('{"value": 7}', None),
     ("It is polite.", None), (None, None)],
)  # fmt: skip
def test_a_judge_says_yes_no_or_a_number(reply, value):
    asked = []

    def judge(requests):
        asked.extend(requests)
        return [Reply(reply, "" if reply else "refused")] * len(requests)

    found = measured(["my_metrics.py:polite"], ANSWERS.head(1), instruments={"judge": judge}).iloc[0]
    assert found["state"] == (ERROR if value is None else SCORED)
    assert value is None or found["value"] == value
    assert (
        "<<ANSWER" in asked[0].user and ANSWERS["answer"][0] in asked[0].user and "1 to 5" in asked[0].system
    )


@pytest.mark.parametrize(
    "code, named",
    [("", "gone.py:brevity"), ("1 / 0", "my_metrics.py:a"), ("def a(:", "my_metrics.py:a"), ("@ragassay.metric('A b')\ndef a(x): return 1", "my_metrics.py:a"), ("@ragassay.metric(range=(0, float('nan')))\ndef a(x): return 1", "my_metrics.py:a"), ("@ragassay.metric(needs='colour')\ndef a(x): return 1", "my_metrics.py:a"), ("@ragassay.judged('good?')\ndef a(): 1", "my_metrics.py:a")],
)  # fmt: skip
def test_what_cannot_be_a_metric_is_refused(folder, code, named):
    (folder / "my_metrics.py").write_text(f"import ragassay\n{code}\n")
    with pytest.raises(ParameterError):
        own_metrics.resolve([named])
    parameter = Parameter("metrics", "Metrics", "", "")
    assert len(flaws(parameter, ["support", named], {})) == 1
    assert METRICS["support"].family == "support"


def test_a_parameter_file_names_it_in_a_list_and_in_a_gate():
    metrics, gates = Parameter("metrics", "Metrics", "", ""), Parameter("gates", "Gates", {}, "")
    assert metrics.as_taken(["support", "my_metrics.py:brevity"]) == "support, my_metrics.py:brevity"
    assert flaws(metrics, ["support", "my_metrics.py:brevity"], {}) == []
    assert flaws(gates, {"brevity": "low >= 0.2"}, {}) == []
    assert flaws(gates, {"brevity": "low >= 2"}, {}) != []


def test_later_notebooks_know_it_without_its_code(folder):
    run = open_run(folder / "run")
    run.write("scores", measured(["my_metrics.py:brevity", "my_metrics.py:polite"]))
    record = provenance.load(folder / "run", own_metrics.RECORD)
    assert record["brevity"]["spec"] == "my_metrics.py:brevity" and len(record["brevity"]["sha256"]) == 64
    for name in record:
        METRICS.pop(name), own_metrics._SPECS.pop(name)
    own_metrics.of_run(folder / "run")
    assert [*own_metrics._SPECS] == ["brevity", "polite"]
    assert direction("brevity") == "higher" and METRICS["polite"].models == ("judge",)
    assert score(ANSWERS, metrics=["brevity"])["value"].tolist() == [0.5, 0.1]


def test_a_changed_file_is_not_the_one_that_was_scored(folder):
    open_run(folder / "run").write("scores", measured(["my_metrics.py:brevity"]))
    METRICS.pop("brevity"), own_metrics._SPECS.pop("brevity")
    (folder / "my_metrics.py").write_text(FILE + "# changed")
    own_metrics.of_run(folder / "run")
    assert score(ANSWERS, metrics=["brevity"])["state"].tolist() == [ERROR, ERROR]
