"""What an accuracy over wordings owes to the draw: beside it the first wordings and all questions, each origin by
itself."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from analysis.test_blame_tables import judged_wordings
from analysis.test_wordings_checks import cases, two_origins
from ragassay.analysis import blame_tables, wordings_and_draw
from ragassay.cases.case_origins import GENERATED, OWN


def of_origins(judged: pd.DataFrame, asked: pd.DataFrame) -> list[wordings_and_draw.OfOrigin]:
    grouped = blame_tables.summarize_by_origin(judged, asked, seed=0)
    return wordings_and_draw.of_origins(judged, asked, grouped, seed=0)


def asked_once(first: int, right: list[int], **columns) -> pd.DataFrame:
    """Questions in one wording, from `c<first>` on, answered rightly or not."""
    rows = judged_wordings(len(right), (1,)).assign(correct=np.array(right, dtype=float))
    ids = [f"c{first + n}" for n in range(len(right))]
    return rows.assign(case_id=ids, group_id=ids, question=[f"asked {name}" for name in ids], **columns)


def test_hard_questions_drawn_by_chance_are_told_from_wordings_that_do_harm():
    """Formerly 30 % over all wordings stood alone, and nothing said that the first wordings had 30 % too."""
    drawn = judged_wordings(10, (0, 0, 0)).assign(correct=lambda rows: (rows["group_id"] < "c3") * 1.0)
    judged = pd.concat([drawn, asked_once(10, [1] * 45 + [0] * 45)], ignore_index=True)
    [found] = of_origins(judged, cases(*[OWN] * 100))
    assert (found.first.value, found.wordings.value, found.every.value) == (0.3, 0.3, 0.48)
    assert (found.first.n, found.wordings.n, found.every.n) == (10, 30, 100)
    told = wordings_and_draw.beside_all([found])
    assert "own questions 30 % [7, 65] of 10 in the first wording, 30 % [" in told
    assert "of 30 over all wordings, 48 % [38, 58] of all 100 answerable questions (p = 0.3" in told
    assert wordings_and_draw.worse_than_first([found]) == "", "the wording does no harm here"


def test_the_chance_of_the_draw_is_that_of_drawing_without_return():
    drawn = judged_wordings(10, (0, 0)).assign(correct=lambda rows: (rows["group_id"] < "c3") * 1.0)
    judged = pd.concat([drawn, asked_once(10, [1] * 45 + [0] * 45)], ignore_index=True)
    [found] = of_origins(judged, cases(*[OWN] * 100))
    chances = hypergeom(100, 48, 10).pmf(np.arange(11))
    assert found.p == pytest.approx(chances[chances <= chances[3] * (1 + 1e-9)].sum())


def test_what_could_not_be_drawn_is_not_among_all_questions():
    aside = pd.concat([
        asked_once(30, [0] * 5, answerable=False), asked_once(35, [0] * 5).assign(turn=2),
        asked_once(40, [0] * 5).assign(correct=np.nan),
    ])  # fmt: skip
    judged = pd.concat([judged_wordings(30, (1, 1)).assign(turn=1), aside], ignore_index=True)
    [found] = of_origins(judged, cases(*[OWN] * 45))
    assert (found.every.n, found.every.value, found.p) == (30, 1.0, 1.0)
    assert "of all 30 answerable questions, which were all drawn" in str(found)


def test_questions_of_one_group_are_one_draw():
    judged = judged_wordings(20, (1, 1))
    pairs = judged["group_id"].str[1:].astype(int) // 2
    [apart] = of_origins(judged.assign(correct=pairs % 2 * 1.0), cases(*[OWN] * 20))
    tied = judged.assign(correct=pairs % 2 * 1.0, group_id="g" + pairs.astype(str))
    [together] = of_origins(tied, cases(*[OWN] * 20))
    assert together.every.high - together.every.low > apart.every.high - apart.every.low


def test_an_accuracy_below_that_of_the_first_wording_stands_in_the_chapter():
    judged, asked = two_origins()
    found = of_origins(judged, asked)
    assert {each.origin for each in found} == {GENERATED, OWN}
    said = wordings_and_draw.worse_than_first(found)
    assert "own questions" in said and "generated" not in said
    assert "100 % [88, 100] of 30 in the first wording" in said and "p =" not in said


@pytest.mark.parametrize("right", [(1,), (0,)])
def test_where_nothing_was_asked_in_several_wordings_nothing_is_said(right):
    found = of_origins(judged_wordings(3, right), cases(*[OWN] * 3))
    assert (
        found == [] and wordings_and_draw.beside_all(found) == wordings_and_draw.worse_than_first(found) == ""
    )
