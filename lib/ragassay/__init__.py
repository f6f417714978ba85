"""ragassay: model-risk validation of retrieval-augmented generation.

documents -> cases -> answers -> scores -> labels -> calibration -> analysis -> decision -> report

documents   : a folder of files, cut into passages
cases       : strata of the passages, questions on them, perturbations of the questions
answers     : the system under test asked, or its logs read
scores      : metrics of the answers, one row per case and metric
labels      : what raters say of the answers, and how far they agree
calibration : from a score to what a rater would say, with stated error rates
examination : unit tests of the instruments
analysis    : weakness, robustness, comparison
decision    : gates, findings, monitoring
report      : the document a validator signs

`ragassay.open_run(dir)` gives a run's tables as data frames. What the notebooks call takes one's own, too:
`from ragassay import raters, calibration, conformal, inference, robustness, safety, bias, slices, diagnosis,
gates, findings, plots`.
`ragassay.score(answers, metrics=[...])` scores answers from a file, a DataFrame or records.
`ragassay.calibrate(scores, labels, metric=..., dimension=...)` turns a score into the probability that people
accept, with conformal sets. `ragassay.diagnose(results)` tells gaps of knowledge from want of robustness and
says which module fails. `ragassay.examine(suite)` says what a scorer or judge gets right. They stand in
`ragassay.api`. `ragassay.parameter_form(file, section)` shows a form for the parameters of a notebook.
`ragassay.readable(frame)` shows a table in words. `@ragassay.metric`
and `@ragassay.judged` make metrics of one's own.
"""

from typing import Any

__version__ = "0.1.0"
DOORS = {
    "open_run": "ragassay.api.open_run",
    "score": "ragassay.api",
    "calibrate": "ragassay.api",
    "apply_calibration": "ragassay.api",
    "diagnose": "ragassay.api",
    "examine": "ragassay.api.examining",
    "parameter_form": "ragassay.run.parameter_file",
    "metric": "ragassay.scores.own_metrics",
    "judged": "ragassay.scores.own_metrics",
    "readable": "ragassay.show",
}  # what may be called from here, and where it is: loaded when first asked for

ROOMS = {  # modules by their own name: `from ragassay import conformal`
    name: f"ragassay.{room}.{name}"
    for room, names in {
        "labels": "raters",
        "calibration": "conformal inference",
        "analysis": "bias diagnosis robustness safety slices",
        "decision": "findings gates",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in DOORS and name not in ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name in ROOMS:
        return importlib.import_module(ROOMS[name])
    return getattr(importlib.import_module(DOORS[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *DOORS, *ROOMS])
