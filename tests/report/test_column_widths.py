"""Column widths: no word is broken that fits, nothing runs off the page."""

import pytest

from ragassay.report.blocks import data_table
from ragassay.report.column_widths import HALF, TALL, WIDE, fit_columns


@pytest.mark.parametrize("columns", [1, 2, 5, 9, 16, 39])
@pytest.mark.parametrize("room", [(TALL, WIDE), (TALL, 0), (HALF, 0)])
def test_a_table_never_leaves_the_page(columns, room):
    names = [f"measurement_number_{n}" for n in range(columns)]
    rows = [["0.82 [0.78, 0.86]"] * columns] * 30
    fit = fit_columns(data_table("x", names, rows, align="r" * columns), *room)
    assert sum(fit.widths) <= room[fit.is_turned] + 0.1
    assert len(fit.widths) == columns and min(fit.widths) > 0


def test_a_few_short_columns_stay_upright_and_whole():
    row = ["wasserstein_completeness", "0.82 [0.78, 0.86]"]
    fit = fit_columns(data_table("x", ["metric", "value"], [row], align="lr"))
    assert (fit.is_turned, fit.is_split) == (False, False) and fit.widths[0] > 100


def test_long_names_break_at_their_joints_before_the_page_turns():
    fit = fit_columns(
        data_table("x", [f"number_of_cases_{n}" for n in range(8)], [["1"] * 8], align="r" * 8), TALL, WIDE
    )
    assert (fit.is_turned, fit.is_split) == (False, True)


def test_weights_are_kept_but_no_word_is_broken_for_them():
    fit = fit_columns(data_table("x", ["a", "b"], [["wasserstein_completeness", "b"]], widths=[1, 99]))
    assert fit.widths[0] > 100 and sum(fit.widths) == pytest.approx(TALL)


def test_running_text_gets_the_room():
    fit = fit_columns(data_table("x", ["name", "n", "reason"], [["relevant", "12", "word " * 80]] * 9))
    assert fit.widths[2] > 2 * (fit.widths[0] + fit.widths[1])
    assert sum(fit.widths) == pytest.approx(TALL)
