"""A tool's own scores come along with its answers, under its name, and go back where the tool keeps them."""

import pytest

from answers.tool_records import P1, SCORED, A, Q, row_of
from ragassay.answers.log_formats import SCHEMAS, detect, export, resolve, tool_scores
from ragassay.answers.log_formats.values import Unfit
from ragassay.errors import ParameterError

EVERY = pytest.mark.parametrize("name", sorted(SCORED))
WRITTEN = ("ragas", "deepeval", "mlflow", "inspect_ai", "ours")


def given(row: dict) -> dict[str, float | None]:
    return {name: value for name, value in row.items() if tool_scores.is_given(name)}


@EVERY
def test_a_tools_scores_come_along(name):
    record, wanted = SCORED[name]
    assert detect([record]).name == name and given(row_of(record)) == wanted


@pytest.mark.parametrize("to", WRITTEN)
@EVERY
def test_scores_written_for_another_tool_are_read_again(name, to):
    """Their values are the same; a name that the other tool writes without its own owner keeps it."""
    row = row_of(SCORED[name][0])
    again = given(row_of(export(row, SCHEMAS[to]), SCHEMAS[to]))
    assert {key: value for key, value in again.items() if key in given(row)} == {
        key: value for key, value in given(row).items() if value is not None
    }


def test_a_column_that_the_user_names_is_a_score():
    record = {"question": Q, "answer": A, "contexts": [P1], "Trust me": "0.25", "other": 1}
    schema = resolve([record], "here", mapping={"score:trust": "Trust me"})
    assert given(row_of(record, schema)) == {"given:trust": 0.25}
    with pytest.raises(ParameterError, match="score:NAME"):
        resolve([record], "here", mapping={"skore:trust": "Trust me"})


@pytest.mark.parametrize("value", [7_259_001_000, -1, "-1", "inf"])
def test_a_score_outside_its_range_is_refused(value):
    with pytest.raises(Unfit):
        tool_scores.as_score("ragas:faithfulness", value)
    assert tool_scores.as_score("ragas:faithfulness", "0.5") == 0.5
