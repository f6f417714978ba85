"""What was set aside is said where gates are."""

from types import SimpleNamespace

import pandas as pd

from ragassay.report import gate_table
from ragassay.report.blocks import plain

ASIDE = {"gate": "out_of_scope_declined", "rule": "low >= 0.8", "reason": "it cannot be asked of a log"}
JUDGED = {"gate": "m", "metric": "m", "slice": "all", "outcome": "pass"}


def run(*aside: dict) -> SimpleNamespace:
    return SimpleNamespace(decision={"set_aside": list(aside)}, table=lambda name: pd.DataFrame([JUDGED]))


def test_the_chapter_of_gates_lists_them():
    (table,) = gate_table._set_aside(run(ASIDE))
    assert [plain(cell) for cell in table.rows[0]] == list(ASIDE.values())
    assert gate_table._set_aside(run()) == [] == gate_table._set_aside(SimpleNamespace(decision={}))


def test_a_gate_of_each_origin_says_which():
    row = {"gate": "m", "metric": "m", "bound": "low", "threshold": 0.8, "outcome": "pass", "n": 9}
    row |= {"value": 0.9, "low": 0.8, "high": 1.0, "reason": ""}
    assert gate_table._gate(row | {"origin": "own"})[1] == "m, own questions"
    assert gate_table._gate(row | {"slice": "language=es"})[1] == "m in language=es"
