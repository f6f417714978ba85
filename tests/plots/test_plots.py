"""Every figure: on a small table the marks that it should have, on an empty one Axes that say why, hostile text drawn."""

import io

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from ragassay import plots

HOSTILE = ["$\\frac{", "<script>alert(1)</script>", "\u202ertl \x00 \U0001f680"]
ESTIMATES = pd.DataFrame(
    {
        "slice": HOSTILE,
        "mean": [0.5, 0.6, np.nan],
        "low": [0.4, np.nan, np.nan],
        "high": [0.7, np.nan, np.nan],
    }
)
ESTIMATES = ESTIMATES.assign(n=[9, 1200, 0], weak=[True, False, False])
DOSES = pd.DataFrame(
    {
        "kind": np.repeat(HOSTILE, 2),
        "intensity": [1.0, 2.0] * 3,
        "difference": -0.1,
        "low": -0.2,
        "high": 0.0,
        "worse": True,
    }
)
MAP = pd.DataFrame({"x": range(6), "y": 0.0, "topic": np.repeat(HOSTILE, 2)})
DOTS = pd.DataFrame({"value": np.linspace(0, 1, 24), "topic": HOSTILE * 8, "metric": np.repeat(HOSTILE, 8)})
KINDS = pd.DataFrame({"category": ["good", "unsafe", HOSTILE[0]], "n": [5, 0, 2]})
ASKED = pd.DataFrame(
    {"answerable": [1, 1, 1, 0, 0], "answered": [1, 1, 0, 1, 0], "score": [0.9, 0.8, 0.1, 0.5, 0.2]}
)
HELD = pd.DataFrame(
    {"score": np.linspace(0, 1, 20), "p": np.linspace(0, 1, 20), "y": [0.0, 1.0] * 9 + [1.0, np.nan]}
)
BOXES = pd.DataFrame(
    {"node": HOSTILE, "step": [0, 1, 0], "lane": [0, 0, 1], "note": [None, "14 of 30 failures", None]}
)
ARROWS = [(HOSTILE[0], HOSTILE[1]), (HOSTILE[2], HOSTILE[1])]

DRAWN = {
    "forest": (
        lambda frame: plots.forest(frame, x="mean", y="slice", hue="weak", reference=0.5, percent=True),
        ESTIMATES,
    ),
    "dose_response": (plots.dose_response, DOSES),
    "topic_map": (plots.topic_map, MAP),
    "dots": (lambda frame: plots.dots(frame, x="value", y="topic", col="metric"), DOTS),
    "answers_bar": (plots.answers_bar, KINDS),
    "reliability": (
        lambda frame: plots.reliability_diagram(frame.get("y", []), frame.get("p", []), bins=4),
        HELD,
    ),
    "conformal": (
        lambda frame: plots.conformal_regions(frame, x="score", p="p", y="y", threshold=(0.3, 0.6)),
        HELD,
    ),
    "two_by_two": (plots.two_by_two, ASKED),
    "tradeoff": (lambda frame: plots.tradeoff(frame, score="score", answered="answered"), ASKED),
    "flow": (lambda frame: plots.flow(frame, ARROWS), BOXES),
}


@pytest.fixture(autouse=True)
def _closed():
    plots.use_style()
    yield
    plt.close("all")


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in [*ax.texts, *ax.get_yticklabels()] if text.get_text()]


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("draw, frame", DRAWN.values(), ids=DRAWN)
def test_a_table_with_hostile_text_is_drawn(draw, frame):
    axes = np.ravel(draw(frame))
    assert all(isinstance(ax, Axes) and (ax.has_data() or ax.texts) for ax in axes)
    axes[0].figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize("draw, frame", DRAWN.values(), ids=DRAWN)
@pytest.mark.parametrize("has_columns", [True, False])
def test_an_empty_table_gives_axes_that_say_why(draw, frame, has_columns):
    (ax,) = np.ravel(draw(frame.head(0) if has_columns else pd.DataFrame()))
    assert isinstance(ax, Axes) and len(ax.texts) == 1


def test_a_forest_has_a_row_a_level_its_n_and_the_flagged_in_red():
    ax = plots.forest(ESTIMATES, x="mean", y="slice", hue="weak", reference=0.5)
    assert len(ax.get_yticks()) == 3 and {"n=9", "n=1,200"} <= set(texts(ax))
    paints = [line.get_markeredgecolor() for line in ax.lines if line.get_marker() not in ("None", "")]
    assert paints.count(plots.style.FLAGGED) == 1
    assert plots.forest(ESTIMATES.set_index("slice"), x="mean", y="slice", ax=ax) is ax


def test_dots_have_a_panel_a_metric_and_pool_the_smallest_topics():
    assert len(plots.dots(DOTS, x="value", y="topic", col="metric")) == 3
    many = pd.DataFrame({"value": 0.5, "topic": [f"t{at}" for at in range(20)] + ["t0"]})
    (ax,) = plots.dots(many, x="value", y="topic")
    assert len(ax.get_yticks()) == 14 and ax.get_yticklabels()[-1].get_text() == "7 others"


def test_two_by_two_counts_the_questions():
    assert {"right: 67 % (2)", "wrong: 50 % (1)"} <= set(texts(plots.two_by_two(ASKED)))


def test_the_curve_of_declining_starts_by_answering_all_and_ends_by_declining_all():
    x, y = plots.tradeoff(ASKED, score="score", answered="answered").lines[0].get_xydata().T
    assert (x[0], y[0]) == (0, 1) and (x[-1], y[-1]) == (1, 0)
    assert any(np.allclose(point, (1 / 3, 0.5)) for point in zip(x, y, strict=True))
