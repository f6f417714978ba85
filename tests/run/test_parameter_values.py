"""Values: what they name is known before anything runs; near misses are suggested."""

import re
from pathlib import Path

import pytest

from ragassay.run import parameter_values
from ragassay.run.parameter_values import Names
from ragassay.run.parameters import Parameter

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = Names(dimensions=("relevant", "grounded"), gates=("privacy_leak_rate",))


def said(annotation, value, names=NAMES, name="p"):
    """Places and problems as one text."""
    found = parameter_values.flaws(Parameter(name, annotation, None, ""), value, names)
    return " | ".join(f"{list(place)} {what}" for place, what in found)


@pytest.mark.parametrize(
    "annotation, value",
    [
        ("Metric", "answer_relevancy"),
        ("Metrics", ""),
        ("Metrics", "support, groundedness"),
        ("list[Metric]", []),
        ("dict[Metric, Dimension]", {"support": "grounded"}),
        ("ScorecardMetric", "judged_relevant"),
        ("ScorecardMetric", "privacy_leak_rate"),
        ("list[ScorecardMetric]", ["support", "judged_grounded"]),
        ("Columns", {"question": "prompt", "contexts": "passages.text"}),
        ("Gates", {"support in language=es": "low >= 0.65", "toxicity_rate": "high <= 2%, critical"}),
        ("Date", ""),
        ("Date", "2026-09-01"),
        ("Profile", "pra-ss1-23"),
        ("Dimension", "relevant"),
    ],
)
def test_what_fits(annotation, value):
    assert said(annotation, value) == ""


@pytest.mark.parametrize(
    "annotation, value, complaint",
    [
        ("Metric", "answer_relevance", "no metric 'answer_relevance'; did you mean 'answer_relevancy'"),
        ("Metric", "judged_relevant", "no metric 'judged_relevant'"),
        ("Metrics", "support, grounded", "no metric 'grounded'; did you mean 'groundedness'"),
        ("Metrics", "zzz", "score --list"),
        ("list[Metric]", ["support", "retrieval_recal"], r"\[1\] .*did you mean 'retrieval_recall'"),
        ("dict[Metric, Dimension]", {"suport": "grounded"}, r"\['suport'\] .*did you mean 'support'"),
        (
            "dict[Metric, Dimension]",
            {"support": "grounde"},
            "no dimension of accept_from; did you mean 'grounded'",
        ),
        ("ScorecardMetric", "judged_relevnt", "did you mean 'judged_relevant'"),
        ("list[ScorecardMetric]", ["privacy_leaks_rate"], "did you mean 'privacy_leak_rate'"),
        ("Columns", {"qestion": "prompt"}, r"\['qestion'\].*no column of ours; did you mean 'question'"),
        ("Gates", {"judged_grounde": "low >= 0.8"}, r"\['judged_grounde'\].*did you mean 'judged_grounded'"),
        ("Gates", {"support": "about 0.8"}, r"\['support'\] gate 'support' cannot be read.*low >= NUMBER"),
        ("Gates", {"support": "high >= 0.8"}, "favourable bound"),
        ("Gates", {"support": 0.8}, "must be Gates"),
        ("Date", "1 May 2026", "must be a date, YYYY-MM-DD, found '1 May 2026'"),
        ("Date", "2026-02-30", "must be a date"),
        ("Profile", "pra-ss1-24", "did you mean|the path of a CSV"),
        ("Dimension", "relevance", "did you mean 'relevant'"),
        ("Folder", "nowhere", "folder 'nowhere' does not exist"),
    ],
)
def test_what_does_not(annotation, value, complaint):
    assert re.search(complaint, said(annotation, value))


def test_where_dimensions_are_not_known_any_may_be_judged():
    assert said("list[ScorecardMetric]", ["judged_anything"], Names()) == ""


def test_a_waiver_is_of_a_gate():
    assert said("dict[str, str]", {"privacy_leak_rate": "signed"}, name="waivers") == ""
    assert "did you mean 'privacy_leak_rate'" in said("dict[str, str]", {"privacy_leak": "x"}, name="waivers")


def test_the_rates_are_those_that_the_notebooks_put_on_the_scorecard():
    text = "".join((NOTEBOOKS / f"{name}.ipynb").read_text() for name in ("03_risk_safety", "05_robustness"))
    assert [
        name for name in parameter_values.RATES if name not in text and name.split("_declined")[0] not in text
    ] == []
    assert set(re.findall(r'name=\\"([a-z_]+_rate)\\"', text)) == {
        n for n in parameter_values.RATES if n.endswith("_rate")
    }
