"""The instruments of a run examined: what each may be believed, as one frame a question."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay import models, provenance
from ragassay.examination import minimal_pairs, scorers, unit_test_suite
from ragassay.examination.examine import SEED, examine
from ragassay.examination.further_tables import by_failure_mode
from ragassay.examination.judge_agreement import between_judges, marks_of_suite
from ragassay.examination.metric_exclusion import FATAL, excluded_metrics
from ragassay.examination.unit_test_suite import UnitTest

MARKS = ["mark", "n", "value", "low", "high"]
OF_RULES = ["rules", "rules_low", "rules_high"]
OF_JUDGE = [*MARKS, "measure", "agreement", "agreement_low", "agreement_high", "identical"]
NUMBERS = [name for name in OF_JUDGE if name not in ("mark", "measure")]


class Instruments(NamedTuple):
    """What an examination found; frames without a row where nothing was examined.

    marks : of the offline metrics of GroUSE, the share of unit tests marked rightly (value) beside that of
        two rules which read nothing (rules); all six marks first
    failure_modes : share found of each failure, and of false alarms among faultless tests
    pairs : by metric, the share of pairs of answers with a changed number, date, negation or name that it
        tells apart, least first; 0.5 is guessing; barred: whether it failed
    barred : metric, reason: which failed, and may stand in no gate (`metric_exclusion`)
    """

    marks: pd.DataFrame
    failure_modes: pd.DataFrame
    pairs: pd.DataFrame
    barred: pd.DataFrame


def examine_instruments(
    suite: str = "", *, metrics: Iterable[str] = minimal_pairs.FAITHFUL, wanted: bool = True
) -> Instruments:
    """The offline metrics on unit tests, and on minimal pairs those of `metrics` that claim to see whatever
    the passages do not hold.

    suite : unit tests in GroUSE's format; "" stands for the bundled 144
    wanted : False examines nothing

    Example: `examine_instruments().marks`

    Source: GroUSE sections 4.1 and 4.2, table 6.
    """
    tests, known = _tests(suite, wanted), set(metrics)
    rules = examine(tests, scorers.rules_alone)
    found = examine(tests, scorers.offline) if tests else rules
    asked_of = [name for name in minimal_pairs.FAITHFUL if tests and name in known]
    pairs = minimal_pairs.examine(minimal_pairs.read() if asked_of else [], asked_of)
    fatal = [kind for kind in dict.fromkeys(pairs["kind"]) if kind.lower().startswith(FATAL)]
    told = minimal_pairs.by_metric(pairs, fatal).sort_values("value", kind="stable", ignore_index=True)
    excluded = excluded_metrics(found, rules, pairs=pairs) if tests else {}
    of_rules = rules.summary()[["value", "low", "high"]].set_axis(OF_RULES, axis=1)
    marks = found.summary().rename(columns={"name": "mark"}).join(of_rules)
    marks = marks[marks["what"] != "type"][[*MARKS, *OF_RULES]].reset_index(drop=True)
    modes = by_failure_mode(found)
    barred = pd.DataFrame(list(excluded.items()), columns=["metric", "reason"])
    told = told.assign(barred=told["metric"].isin(excluded))
    shown = (marks, modes) if tests else (marks.head(0), modes.head(0))
    return Instruments(*shown, told, barred)


def examine_judge(
    suite: str, endpoint: str, model: str, *, seed: int = 0, wanted: bool = True
) -> pd.DataFrame:
    """What a language model marks rightly on the unit tests, and how far it agrees with the offline metrics:
    OF_JUDGE, a row a mark; no row where none is named. `measure`: Spearman of grades, macro-F1 of the others;
    identical: share of tests with the same mark."""
    judge = models.judge.make_judge(endpoint, model, seed=seed)
    if judge is None or not wanted:
        return pd.DataFrame(columns=OF_JUDGE).astype(dict.fromkeys(NUMBERS, float))
    tests = _tests(suite, wanted)
    found = examine(tests, scorers.judged_by(judge))
    both = (marks_of_suite(each) for each in (found, examine(tests, scorers.offline)))
    alike = between_judges(*both, rng=np.random.default_rng(SEED)).drop(columns=["n", "left_out", "reason"])
    names = {"value": "agreement", "low": "agreement_low", "high": "agreement_high"}
    marks = found.summary().rename(columns={"name": "mark"})
    return marks[marks["what"] == "metric"].merge(alike.rename(columns=names), on="mark")[OF_JUDGE]


def _tests(suite: str, wanted: bool) -> list[UnitTest]:
    file = provenance.reads_input(suite) if suite else unit_test_suite.BUNDLED
    return unit_test_suite.read(file) if wanted else []
