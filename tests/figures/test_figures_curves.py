"""Figures of the calibration curves: the same bytes twice, alt texts with the key numbers, hostile names, refusals."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest

from ragassay.calibration import calibrators
from ragassay.figures import curves as figures

HOSTILE = [
    "cost $5 and $\\frac{1}{0}$ $",
    "<script>alert('1')</script>",
    "NUL \x00 \u202e",
    "x" * 1000,
    "",
    "%s {0}",
]


def labelled(n=120, seed=0):
    draw = np.random.default_rng(seed)
    score = draw.uniform(size=n)
    return score, (draw.random(n) < score).astype(float)


def fitted(names=("logistic", "beta", "isotonic", "boosted")):
    kinds = ("logistic", "beta", "isotonic", "boosted")
    return {name: calibrators.fit(kinds[place % 4], *labelled()) for place, name in enumerate(names)}


def kinds(names=("logistic", "beta", "isotonic")) -> pd.DataFrame:
    rows = [(name, "scored", 0.5 + 0.01 * place, 0.02, place == 0) for place, name in enumerate(names)]
    table = pd.DataFrame(rows, columns=["kind", "state", "log_loss", "standard_error", "chosen"])
    return pd.concat(
        [table, pd.DataFrame([("boosted", "not_measured", np.nan, np.nan, False)], columns=table.columns)],
        ignore_index=True,
    )


def ordinal():
    score = labelled()[0]
    return score, calibrators.fit(
        "ordinal", score, 1 + np.floor(3.99 * np.clip(score + 0.2 * np.sin(50 * score), 0, 1))
    )


DRAWN = {
    "curves": lambda: figures.fitted_curves(*labelled(), fitted(), chosen="beta", unit="support"),
    "losses": lambda: figures.log_losses(kinds()),
    "levels": lambda: figures.level_probabilities(*ordinal(), unit="support"),
}
KEY_NUMBERS = {
    "curves": ["n=120 labels", "beta (chosen) 0.", "logistic 0.", "from support"],
    "losses": [
        "n=3 kinds",
        "logistic 0.500 (standard error 0.020)",
        "Chosen: logistic",
        "Not measured: boosted",
    ],
    "levels": ["4 levels along support", "n=120 labels", "1: 0.", "4: 0."],
}


def svg(drawn) -> bytes:
    page = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "ragassay", "svg.fonttype": "path"}):
        drawn.figure.savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None})
    return page.getvalue()


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_bytes_twice_and_the_key_numbers(name):
    before = dict(matplotlib.rcParams)
    one, two = DRAWN[name](), DRAWN[name]()
    assert svg(one) == svg(two) and dict(matplotlib.rcParams) == before
    assert all(words in one.alt for words in KEY_NUMBERS[name]), one.alt


def test_curves_lie_where_they_predict():
    score, label = labelled()
    made = fitted()
    axes = figures.fitted_curves(score, label, made, chosen="isotonic").figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    for name, curve in made.items():
        line = lines[f"{name} (chosen)" if name == "isotonic" else name]
        assert line.get_ydata() == pytest.approx(curve.predict(line.get_xdata()))


def test_levels_are_stacked_to_one():
    axes = figures.level_probabilities(*ordinal()).figure.axes[0]
    tops = [max(path.vertices[:, 1].max() for path in area.get_paths()) for area in axes.collections]
    assert tops[-1] == pytest.approx(1) and tops == sorted(tops)


def test_hostile_names_and_missing_values_are_drawn_safely():
    score, label = labelled()
    assert svg(
        figures.fitted_curves(
            np.r_[score, np.nan], np.r_[label, 1], fitted(HOSTILE), chosen=HOSTILE[0], unit=HOSTILE[1]
        )
    )
    drawn = figures.log_losses(kinds(HOSTILE))
    assert svg(drawn) and "\x00" not in drawn.alt and "\u202e" not in drawn.alt


def test_refuses_what_cannot_be_drawn():
    score, label = labelled()
    for draw in (
        lambda: figures.fitted_curves(score, label, {}),
        lambda: figures.fitted_curves([np.nan], [1.0], fitted()),
        lambda: figures.log_losses(kinds(())),
        lambda: figures.level_probabilities([np.nan], ordinal()[1]),
    ):
        with pytest.raises(ValueError, match="nothing to draw"):
            draw()
