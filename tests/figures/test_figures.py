"""Every figure: the same bytes twice, hostile labels, refusals; nothing leaks out of the style."""

import functools
import io
import re
import warnings
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest

from ragassay import figures

HOSTILE = [
    "cost $5 and $\\frac{1}{0}$ $",
    "_hidden_",
    "two\nlines\r\nand\ttab",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "x" * 1000,
    "",
    "<script>alert('1')</script> & ]]>",
    "NUL \x00 BEL \x07",
    "\u4e2d\u6587 \U0001f680",
    "%s {0} \\n \\usepackage",
]


def rows_of(levels, metric="groundedness", by="topic") -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        [
            {"metric": metric, by: level, "value": value}
            for level in levels
            for value in [*rng.beta(5, 2, 12), np.nan]
        ]
    )


def estimates(labels) -> pd.DataFrame:
    middle = np.linspace(0.4, 0.8, len(labels))
    return pd.DataFrame(
        {
            "slice": labels,
            "value": middle,
            "low": middle - 0.1,
            "high": middle + 0.1,
            "n": range(20, 20 + len(labels)),
        }
    )


def differences(kinds) -> pd.DataFrame:
    made = estimates(kinds).rename(columns={"value": "difference", "slice": "kind"})
    return made.assign(
        metric="groundedness",
        difference=made["difference"] - 0.6,
        low=made["low"] - 0.6,
        high=made["high"] - 0.6,
        intensity=np.nan,
        worse=[True] + [False] * (len(made) - 1),
    )


def doses(kinds) -> pd.DataFrame:
    return pd.concat([differences(kinds).assign(intensity=level) for level in (1.0, 2.0, 3.0)])


def a_map(labels):
    rng = np.random.default_rng(2)
    chunks = pd.DataFrame(
        {
            "topic": np.repeat(labels, 5),
            "x": rng.normal(size=5 * len(labels)),
            "y": rng.normal(size=5 * len(labels)),
        }
    )
    return figures.topic_map(chunks, pd.DataFrame({"topic": labels, "label": labels, "n_chunks": 5}))


def curve(n=60, unlabelled=0):
    score = np.linspace(0.2, 0.9, n)
    probability = 1 / (1 + np.exp(-12 * (score - 0.55)))
    labels = (np.random.default_rng(3).random(n) < probability).astype(float)
    labels[:unlabelled] = np.nan
    return score, probability, labels


def bins() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "probability": [0.2, 0.5, 0.9],
            "observed": [0.1, 0.55, 0.95],
            "low": [0.02, 0.4, 0.85],
            "high": [0.3, 0.7, 0.99],
            "n": [30, 40, 30],
        }
    )


WITH_LABELS = {
    "bars": lambda labels: figures.forest_plot(estimates(labels), unit=labels[0], reference=0.7),
    "dose": lambda labels: figures.dose_response_plot(doses(labels)),
    "dots": lambda labels: figures.dots_by_topic(
        pd.concat([rows_of(labels), rows_of(labels, metric=labels[0])]), unit=labels[0]
    ),
    "map": a_map,
}
DRAWN = {
    **{name: lambda draw=draw: draw(["T1", "T2", "T3", "T4"]) for name, draw in WITH_LABELS.items()},
    "reliability": lambda: figures.reliability_diagram(bins(), np.linspace(0, 1, 100)),
    "conformal": lambda: figures.conformal_regions(*curve(), 0.3),
    "conformal_both": lambda: figures.conformal_regions(*curve(), 0.7),
}


def svg(drawn) -> bytes:
    page = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "ragassay", "svg.fonttype": "path"}):
        drawn.figure.savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None})
    return page.getvalue()


@functools.cache
def drawn_once(name):
    """The drawing of that name and its SVG, for all tests that look at one."""
    drawn = DRAWN[name]()
    return drawn, svg(drawn)


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_bytes_twice_and_nothing_leaks(name):
    before = dict(matplotlib.rcParams)
    assert drawn_once(name)[1] == svg(DRAWN[name]())
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", WITH_LABELS)
def test_hostile_labels_are_drawn_and_harm_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = WITH_LABELS[name](HOSTILE)
        root = ElementTree.fromstring(svg(drawn))
    assert (
        float(root.get("width").removesuffix("pt")) < 9 * 72
        and float(root.get("height").removesuffix("pt")) < 11 * 72
    )
    assert not re.search("[\x00-\x1f\u202e\ud800-\udfff]", drawn.alt) and len(drawn.alt) < 3000


def test_mathtext_is_never_parsed():
    figure = WITH_LABELS["bars"](["$x^2$", "$y$"]).figure
    texts = [text for text in figure.findobj(matplotlib.text.Text) if "$" in text.get_text()]
    assert texts and not any(text.get_parse_math() for text in texts)


@pytest.mark.parametrize(
    "draw, complaint",
    [
        (lambda: figures.forest_plot(estimates([]), unit="x"), "table of estimates"),
        (lambda: figures.dose_response_plot(differences("ab")), "at two levels or more"),
        (
            lambda: figures.dots_by_topic(rows_of([]).reindex(columns=["metric", "topic", "value"])),
            "table of scores",
        ),
        (
            lambda: figures.dots_by_topic(pd.concat([rows_of("a", metric=name) for name in "wxyz"])),
            "at most 3 metrics",
        ),
        (
            lambda: figures.topic_map(
                pd.DataFrame(columns=["topic", "x", "y"]),
                pd.DataFrame({"topic": ["a"], "label": ["a"], "n_chunks": [1]}),
            ),
            "passages",
        ),
        (lambda: figures.reliability_diagram(bins().head(0), []), "reliability"),
        (lambda: figures.conformal_regions([np.nan], [0.5], [1], 0.3), "scores with a probability"),
        (lambda: figures.conformal_regions([0.5], [0.5], [1], float("nan")), "q_hat"),
    ],
)
def test_what_is_empty_is_refused_by_name(draw, complaint):
    with pytest.raises(ValueError, match=complaint):
        draw()


@pytest.mark.parametrize(
    "q_hat, regions",
    [
        (0.3, {"accept", "reject", "review"}),
        (0.7, {"accept", "reject", "review"}),
        (np.inf, {"review"}),
        (1.0, {"review"}),
        (0.0, {"review"}),
    ],
)
def test_the_regions_are_those_of_the_sets(q_hat, regions):
    from ragassay.calibration import conformal

    score, probability, labels = curve()
    drawn = figures.conformal_regions(score, probability, labels, q_hat)
    decided = [conformal.decide(each) for each in conformal.sets(probability, q_hat)]
    for name in ("accept", "reject", "review"):
        assert f"{name} {decided.count(name)} " in drawn.alt
    assert {name for name in ("accept", "reject", "review") if decided.count(name)} == regions


def test_borders_are_scores():
    score, probability = np.arange(10) / 10, np.linspace(0.05, 0.95, 10)
    drawn = figures.conformal_regions(score, probability, probability > 0.5, [0.7, 0.6])
    assert "reject 4 (40 %)" in drawn.alt and "accept 3 (30 %)" in drawn.alt
    words = " ".join(text.get_text() for text in drawn.figure.axes[0].texts)
    assert "(n=4)\nbelow 0.35" in words and "from 0.65" in words and "probability" not in words


def test_the_answers_bar_tells_every_kind():
    counts = pd.DataFrame({"category": ["good", "partial", "unsafe"], "n": [119, 0, 1]})
    drawn = figures.answers_bar(counts)
    words = [text.get_text() for text in drawn.figure.axes[0].texts]
    assert "good" in words and "unsafe 1 (0.8 %)" in words
    with pytest.raises(figures.style.NothingToDraw):
        figures.answers_bar(counts.head(0))
