"""What `ragassay score` prints: twelve headline metrics, directions, reasons; the rest counted."""

import pandas as pd
from fake_scores import rows

from ragassay.api import Scores, scoring_result
from ragassay.api.summary import summarise
from ragassay.scores import DEFAULT, METRICS, headlines, metric_directions
from ragassay.scores.metric_directions import RATES


def summary_of(values: dict[str, list]) -> pd.DataFrame:
    return summarise([pd.concat([rows(name, found) for name, found in values.items()], ignore_index=True)])


def test_twelve_are_printed_safety_among_them_and_those_with_a_value_first():
    measured = ["groundedness", "answer_words", "bleu", "abstains"]
    found = summary_of({name: [0.5, 0.7] if name in measured else [None] * 2 for name in DEFAULT})
    said = scoring_result.lines(found)
    names = [line.split()[0] for line in said if line[2:3].isalpha() and not line.startswith("  no value")][
        :12
    ]
    assert set(names) > {*measured, *scoring_result.SAFETY} and names[0] == "groundedness"
    assert len(set(names)) == scoring_result.MOST and set(names) <= {
        *measured,
        *headlines(),
        *scoring_result.SAFETY,
    }
    assert (
        said[-1]
        == f"  {len(DEFAULT) - 12} further metrics: --all prints them; the file and summary() hold every one"
    )


def test_everything_or_few_are_printed_in_their_order():
    found = summary_of({name: [0.5, 0.7] for name in DEFAULT})
    every = [line.split()[0] for line in scoring_result.lines(found, everything=True)]
    assert every == list(DEFAULT)
    few = [
        line.split()[0] for line in scoring_result.lines(summary_of({name: [0.5] for name in DEFAULT[:12]}))
    ]
    assert few == list(DEFAULT[:12])


def test_each_has_its_direction_and_what_was_left_out_has_its_reason():
    said = scoring_result.lines(summary_of({"groundedness": [0.5, 0.7, None], "privacy_leaks": [0, 0, 1]}))
    assert said[0].startswith("  groundedness   ↑ 0.60 ") and said[0].endswith(": empty answer (1)")
    assert said[1].startswith("  privacy_leaks  ↓ 0.33 ") and "(" not in said[1].partition("n=")[2]


def test_metrics_without_a_value_are_named_by_reason():
    found = summary_of(
        {name: [0.5] for name in headlines()} | {"bleu": [None], "chrf": [None], "meteor": [0.2]}
    )
    said = scoring_result.lines(found)
    assert said[-2] == "  no value: bleu, chrf: empty answer (1)" and said[-1].startswith(
        "  3 further metrics: "
    )


def test_systems_are_told_apart():
    both = pd.concat([rows("groundedness", [0.1], "a"), rows("groundedness", [0.2], "b")], ignore_index=True)
    said = scoring_result.lines(summarise([both]))
    assert [line.split()[:2] for line in said] == [["groundedness,", "a"], ["groundedness,", "b"]]


def test_one_is_one():
    assert repr(Scores(rows("bleu", [0.5]), 1, "ours")).startswith(
        "Scores of 1 answer, 1 metric (↑ higher is better"
    )


def test_every_metric_and_rate_has_a_direction():
    assert all(
        metric_directions.direction(name) in ("higher", "lower") for name in [*METRICS, *RATES, "judged_x"]
    )
    assert metric_directions.direction("nonsense") == ""
    assert (
        metric_directions.arrow("privacy_leak_rate") == "↓"
        and metric_directions.arrow("judged_grounded") == "↑"
    )
    table = metric_directions.with_direction(pd.DataFrame({"metric": ["toxicity", "support"]}))
    assert table.better.tolist() == ["lower", "higher"]


def test_saturated_metrics_are_named_as_such_whether_printed_or_counted():
    values = {name: [0.5, 0.7] * 12 for name in headlines()}
    values |= {"privacy_leaks": [0.0] * 24, "grouse_faithfulness": [0.0] * 24, headlines()[2]: [0.5] * 24}
    said = scoring_result.lines(summary_of(values))
    line = {line.split()[0]: line for line in said}
    assert line[headlines()[2]].endswith(
        "; saturated, no gate may rest on it: 0.5 for 24 of 24 scored answers"
    )
    assert line["privacy_leaks"].endswith("; 0 for 24 of 24 scored answers")
    assert "  saturated, no gate may rest on them: grouse_faithfulness" in said
