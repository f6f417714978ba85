"""Column widths: no word is broken that fits, nothing runs off the page."""

import pytest

from ragassay.report.block_builders import data_table
from ragassay.report.column_widths import TALL, WIDE, fit_columns
from ragassay.report.typst_text import breakable, printable, string


@pytest.mark.parametrize("columns", range(1, 40))
def test_a_table_never_leaves_the_page(columns):
    fit = fit_columns(
        data_table(
            "x",
            [f"measurement_number_{n}" for n in range(columns)],
            [["0.82 [0.78, 0.86]"] * columns] * 3,
            align="r" * columns,
        )
    )
    assert sum(fit.widths) <= (WIDE if fit.is_turned else TALL) + 0.1
    assert len(fit.widths) == columns and min(fit.widths) > 0


def test_a_few_short_columns_stay_upright_and_whole():
    fit = fit_columns(
        data_table("x", ["metric", "value"], [["wasserstein_completeness", "0.82 [0.78, 0.86]"]], align="lr")
    )
    assert (fit.is_turned, fit.is_split, fit.size) == (False, False, 8.6)
    assert fit.widths[0] > 100


def test_long_names_break_at_their_joints_before_the_page_turns():
    fit = fit_columns(data_table("x", [f"number_of_cases_{n}" for n in range(8)], [["1"] * 8], align="r" * 8))
    assert (fit.is_turned, fit.is_split) == (False, True)


@pytest.mark.parametrize("rows, is_turned", [(7, False), (40, True)])
def test_only_a_table_that_fills_it_gets_a_turned_page(rows, is_turned):
    names = ["n_chunks", "instruction", "multi_step", "definition", "inference", "multiple_choice"] * 3
    assert fit_columns(data_table("x", names, [["12"] * 18] * rows, align="r" * 18)).is_turned == is_turned


def test_weights_are_kept_but_no_word_is_broken_for_them():
    fit = fit_columns(data_table("x", ["a", "b"], [["wasserstein_completeness", "b"]], widths=[1, 99]))
    assert fit.widths[0] > 100 and sum(fit.widths) == pytest.approx(TALL)


def test_long_words_get_places_to_break():
    assert breakable("W" * 60, 26) == "\u200b".join(["W" * 26, "W" * 26, "W" * 8])
    assert breakable("a_b" + "c" * 30, 26).startswith("a_\u200bb")
    assert breakable("number_of_cases", 26) == "number_of_cases"
    assert breakable("number_of_cases", 26, is_split=True) == "number_\u200bof_\u200bcases"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("中", "⟨U+4E2D⟩"),
        ("␀", "⟨NUL⟩"),
        ("␡", "⟨DEL⟩"),
        ("\ue000", "⟨U+E000⟩"),
        ("é≥—", "é≥—"),
        ("\x00", "⟨U+0000⟩"),
    ],
)
def test_what_the_fonts_lack_is_spelled_out(text, shown):
    assert printable(text) == shown


def test_a_literal_cannot_be_left():
    assert string('a" + b \\ #c\n') == '"a\\" + b \\\\ #c\\n"'


def test_running_text_gets_room():
    cells = [
        "answer_relevancy",
        "relevant",
        *["0.82"] * 7,
        "there are too few labelled scores to calibrate with confidence",
    ]
    names = [
        "metric",
        "dimension",
        "n",
        "accepted",
        "auroc",
        "brier",
        "calibration_error",
        "coverage",
        "decided",
        "reason",
    ]
    fit = fit_columns(data_table("x", names, [cells], align="ll" + "r" * 7 + "l"))
    assert fit.widths[-1] > 9 * fit.size and not fit.is_turned
