"""What a notebook cell puts into the report: values are data, nothing hidden, nothing lost without a word."""

import json
import math
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay import show
from ragassay.show.display import SVG
from ragassay.show.plain_values import column_text
from ragassay.show.text_tables import TABLE
from ragassay.stats.intervals import Interval

HOSTILE = "<script>alert(1)</script>"


def bundle(shown):
    """Its data, as a kernel stores it."""
    made = shown._repr_mimebundle_()
    return json.loads(json.dumps(made[0] if isinstance(made, tuple) else made))


def plot():
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(2, 2))
    drawn.subplots().plot([0, 1], [0, 1])
    return drawn


@pytest.mark.parametrize(
    "value, text",
    [
        (0.8234, "0.823"), (1.2345, "1.23"), (12.345, "12.3"), (1234.5, "1,234"), (3.0, "3"), (-0.5, "−0.500"), (0.00002, "2.0e-05"), (0.0, "0"),
        (math.nan, "—"), (math.inf, "∞"), (None, "—"), (pd.NA, "—"), (pd.NaT, "—"), (True, "yes"), (np.False_, "no"), (1200, "1,200"), ([], "none"),
        (["a", "b"], "a, b"), (np.array([1, 2]), "1, 2"), ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'), (pd.Timestamp("2026-11-20"), "2026-11-20"),
        (Interval(0.82, 0.78, 0.86, 240, 6), "0.82 [0.78, 0.86] n=240, 6 not measured"),
    ],
)  # fmt: skip
def test_values_by_hand(value, text):
    assert show.value_text(value) == text


@pytest.mark.parametrize(
    "values, texts",
    [
        ([0.8, 0.75, 0.62, 0.009], ["0.80", "0.75", "0.62", "0.01"]),  # one small share among large ones
        ([0.009, 0.012, 0.0456, 0.3], ["0.009", "0.012", "0.046", "0.300"]),
        ([0.0, 1.0, 0.00002, 0.5], ["0.0000", "1.0000", "<0.0001", "0.5000"]),  # no powers of ten for shares
        ([53.44, 0.65, 0.009, 0.7], ["53.44", "0.65", "0.01", "0.70"]),  # another unit in the same column
        ([0.5, 0.004, 0.9, 0.7, 0.999], ["0.50", "<0.01", "0.90", "0.70", ">0.99"]),  # neither 0 nor 1
        (
            [0.999, 0.9963, 0.953, 1.0],
            ["0.9990", "0.9963", "0.9530", "1.0000"],
        ),  # similarities of near-duplicates
        ([1234.56, 12.3, 45.6], ["1,234.6", "12.3", "45.6"]),
        ([-0.5, 0.25], ["−0.50", "0.25"]),
        ([-0.5, 0.00002, 0.3, 0.4, 0.5], ["−0.50", "2.0e-05", "0.30", "0.40", "0.50"]),
        ([1.0, 2.0, math.nan, math.inf], ["1", "2", "—", "∞"]),
        ([math.nan, None], ["—", "—"]),
    ],
)
def test_decimals_of_a_column_by_hand(values, texts):
    assert column_text(values, True) == texts


@given(st.lists(st.floats(0, 1)))
def test_shares_keep_their_order_and_show_no_powers_of_ten(values):
    shown = column_text(sorted(values), True)
    assert not any("e" in text for text in shown)
    numbers = [float(text) for text in shown if text[0] not in "<>"]
    assert numbers == sorted(numbers)
    assert all(
        (value > 0) >= ("<" in text)
        and (value == 0 or float(text.strip("<>")) > 0)
        and (value < 1) >= (">" in text)
        and (value == 1 or text.strip("0") != "1.")
        for value, text in zip(sorted(values), shown, strict=True)
    )


def test_an_estimate_and_its_bounds_are_one_column():
    frame = pd.DataFrame(
        {
            "metric": ["judged_grounded", "answer_words", "support"],
            "value": [0.7576, 29.0, np.nan],
            "low": [0.7012, 27.0, np.nan],
            "high": [0.8081, 31.54, np.nan],
            "n": [264, 384, 0],
            "flip_rate": [0.2586, 0.0, 0.1],
            "flip_rate_low": [0.1526, 0.0, np.nan],
            "flip_rate_high": [0.39, 0.0034, np.nan],
        }
    )
    shown = show.table(frame, "Scores", widths={"metric": 2, "low": 3}, align={"value": "c"})
    assert shown.columns == ["metric", "value [95 % interval]", "n", "share that changes [95 % interval]"]
    assert shown.rows == [
        ["grounded (raters)", "0.76 [0.70, 0.81]", "264", "0.26 [0.15, 0.39]"],
        ["length in words", "29.0 [27.0, 31.5]", "384", "0.000 [0.000, 0.003]"],
        ["support by the passages", "—", "0", "0.10 [no interval]"],
    ]
    assert (shown.align, shown.widths) == (["l", "c", "r", "r"], [2, 3, 1, 1])


def test_a_long_table_says_how_much_is_left_out():
    frame = pd.DataFrame({"n": range(60)})
    shown = show.table(frame, "Many", file="tables/scores.parquet")
    assert (len(shown.rows), shown.n_rows_total, shown.more) == (
        25,
        60,
        "… and 35 more rows in tables/scores.parquet",
    )
    assert show.table(frame, "Many", limit=0).more == ""
    assert show.table(frame.head(26), "Many").more == "… and 1 more row not shown"


def test_a_table_is_escaped_for_jupyterlab_and_raw_for_the_report():
    data = bundle(show.table(pd.DataFrame({HOSTILE: [HOSTILE]}), HOSTILE, note=HOSTILE))
    assert data[TABLE]["rows"] == [[HOSTILE]]
    assert "<script" not in data["text/html"]
    assert "&lt;script&gt;" in data["text/html"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"align": {"other": "l"}},
        {"align": {"n": "x"}},
        {"widths": [1, 2]},
        {"widths": {"other": 1}},
        {"widths": [0]},
    ],
)
def test_a_table_refuses_what_does_not_fit(wrong):
    with pytest.raises(ValueError, match="fit"):
        show.table(pd.DataFrame({"n": [1]}), "Caption", **wrong)


def test_the_same_figure_gives_the_same_file(tmp_path):
    shown = [
        show.figure(plot(), "Caption", alt="A rising line.", name="line", run_dir=folder)
        for folder in (tmp_path / "a", tmp_path / "b")
    ]
    files = [(tmp_path / part / "figures" / "line.svg").read_bytes() for part in "ab"]
    assert files[0] == files[1] == shown[0].svg.encode()
    ElementTree.fromstring(files[0])
    data, metadata = shown[0]._repr_mimebundle_()
    assert (metadata[SVG]["alt"], metadata["file"], data[SVG]) == (
        "A rising line.",
        "figures/line.svg",
        shown[0].svg,
    )


def test_a_figure_of_axes_is_closed(tmp_path):
    from matplotlib import pyplot

    _, axes = pyplot.subplots()
    show.figure(axes, "Caption", alt="Empty axes.", name="axes", run_dir=tmp_path)
    assert not pyplot.get_fignums()


def test_a_sentence_keeps_words_and_values_apart():
    shown = show.say("**{n}** of {total:,} are {text}", n=3, total=1200, text="*not* <b>")
    assert bundle(shown) == {"text/markdown": r"**3** of 1,200 are \*not\* \<b\>"}


def test_a_sentence_refuses_a_forgotten_or_an_unused_value():
    with pytest.raises(ValueError, match="totl"):
        show.say("{totl}", total=1)
    with pytest.raises(ValueError, match="total"):
        show.say("words", total=1)


def test_what_is_absent_says_so_in_its_place(tmp_path):
    frame, why = pd.DataFrame({"a": [1]}), "The labels are too few {to say}."
    absent = [
        show.table(frame, "Scores", absent=why),
        show.figure(None, "Scores", name="scores", run_dir=tmp_path, absent=why),
        show.say("{n} answers", n=1, absent=why),
    ]
    assert absent == [show.note("limit", why)] * 3 and list(tmp_path.iterdir()) == []
    sentence = show.say("There is one system.")
    assert show.table(frame, "Scores", absent=sentence) is sentence
    assert show.table(frame, "Scores", absent="") == show.table(frame, "Scores")


def test_a_heading_states_a_result_and_its_values_are_data():
    shown = show.heading("Retrieval finds {share:.0%} of {what}", share=0.87, what=HOSTILE)
    assert (
        shown.markdown.startswith("## Retrieval finds 87\N{NO-BREAK SPACE}% of")
        and HOSTILE not in shown.markdown
    )


@pytest.mark.parametrize("template", ["", " ", "two\nlines", "{missing} values"])
def test_a_heading_is_one_line_whose_values_are_given(template):
    with pytest.raises(ValueError, match=r"heading is one line|missing"):
        show.heading(template)


SHARES = pd.DataFrame(
    {
        "metric": ["judged_grounded", "answer_words", "support"],
        "value": [0.757, 33.3, float("nan")],
        "low": [0.70, 31.3, float("nan")],
        "high": [0.81, 35.6, float("nan")],
        "rules": [0.84, 2.0, float("nan")],
    }
)


def test_shares_are_told_in_per_cent_and_what_is_no_share_in_its_units():
    shown = show.table(SHARES, "Shares", percent=["value", "rules"])
    assert [row[1] for row in shown.rows] == ["76 % [70, 81]", "33.3 [31.3, 35.6]", "—"]
    assert [row[2] for row in shown.rows] == ["84 %", "2", "—"]
    named = SHARES.head(1).assign(metric="grounded (raters)")  # in words: the notebook knows that it is one
    assert show.table(named, "Shares", percent=["value"]).rows[0][1] == "76 % [70, 81]"
