"""Who gives the marks of an examination: our offline metrics, a language model, or rules alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from ragassay.examination.unit_test_suite import MARKS, METRIC_OF
from ragassay.scores.score import NOT_APPLICABLE, SCORED, score
from ragassay.scores.text_reading import citation_grammar
from ragassay.scores.text_reading.answer_state import declines, read

Marks: TypeAlias = dict[str, float | None]
Scorer: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], list[Marks]]
# Rows of a suite (input, references, actual_output, expected_output) to their marks. None is null; a mark
# left out could not be read. A scorer that gives only four has the two derived ones by which of these are
# null.


def offline(rows: Sequence[Mapping[str, Any]]) -> list[Marks]:
    """The metrics of `METRIC_OF`, each as a gate may act on it: no language model.

    As the source shows a judge the true answer, they see it too (`reference_answer`).
    """
    return _of_metrics(rows, METRIC_OF, {})


def judged_by(judge: Any) -> Scorer:
    """The same metrics asked of a language model (judge_grouse_* and the like; `models.judge.Judge`); a reply
    that cannot be read is a mark left out.
    """
    names = {mark: f"judge_{metric}" for mark, metric in METRIC_OF.items()}
    return lambda rows: _of_metrics(rows, names, {"instruments": {"judge": judge}})


def rules_alone(rows: Sequence[Mapping[str, Any]]) -> list[Marks]:
    """What two rules know, "is it a refusal?" and "does every sentence cite?";
    everything else is taken for granted.

    The baseline of every examination: most checks of a suite are about form, and a rule for form passes them.
    """
    return [_by_rule(row) for row in rows]


def answers_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows of a suite as an answers table, cases numbered as they come."""
    return pd.DataFrame(
        {
            "case_id": [f"test-{number:04d}" for number in range(1, len(rows) + 1)],
            "system": "suite",
            "repeat": 0,
            "question": [row["input"] for row in rows],
            "answer": [row["actual_output"] for row in rows],
            "contexts": [list(row["references"]) for row in rows],
            "reference_answer": [row["expected_output"] for row in rows],
        }
    )


def _of_metrics(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], settings: Mapping[str, Any]
) -> list[Marks]:
    mark_of = {name: mark for mark, name in names.items()}
    marks: dict[str, Marks] = {}
    for row in score(answers_of(rows), metrics=list(mark_of), **settings).itertuples():
        of_row = marks.setdefault(row.case_id, {})
        if row.state in (SCORED, NOT_APPLICABLE):
            of_row[mark_of[row.metric]] = float(row.value) if row.state == SCORED else None
    return list(marks.values())


def _by_rule(row: Mapping[str, Any]) -> Marks:
    from ragassay.documents import sentences

    cited = citation_grammar.parse(row["actual_output"], sentences, frozenset())
    informing = [ids for text, ids in cited if not declines(text)]
    cites = float(all(bool(ids) for ids in informing))
    if not read(row["actual_output"]).refuses:
        return {"answer_relevancy": 5.0, "completeness": 5.0, "usefulness": None, "faithfulness": cites}
    adds = {"usefulness": 1.0, "faithfulness": cites} if informing else dict.fromkeys(MARKS[2:])
    return {"answer_relevancy": None, "completeness": None, **adds}
