"""A judge named at the terminal: checked before anything is read, said what it would take before anything is
sent, and what it took after.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.answers.answer_batches import ROWS_AT_ONCE, read_case_facts
from ragassay.api.scoring import Source, metric_names, open_batches
from ragassay.errors import ParameterError
from ragassay.models.judge import Budget, Judge, make_judge
from ragassay.scores import METRICS
from ragassay.scores.score import dry_run as estimate_budget

OF_A_JUDGE = ("journal", "seed", "price_in", "price_out")


def take_judge(options: dict[str, Any], metrics: Sequence[str] | str, dry_run: bool = False) -> Judge | None:
    """The judge that the options of a verb name, None where none is named; its options are taken out.

    Raises
    ------
    ParameterError
        If it is named and none of the metrics needs one, or a dry run is asked for without one.
    ModelError
        If the endpoint is no address, or only one of endpoint and model is named.
    """
    url, name = options.pop("judge"), options.pop("judge_model")
    judge = make_judge(url, name, **{one: options.pop(one) for one in OF_A_JUDGE if one in options})
    if judge is None and dry_run:
        what = "a dry run is of a judge, and none is named"
        raise ParameterError(what, do="name one: --judge URL --judge-model NAME")
    if judge is not None and not any("judge" in METRICS[name].models for name in metric_names(metrics)):
        what = "a judge is named, and none of the metrics needs one"
        raise ParameterError(what, found=metrics, do="--metrics judge, or judge_... by name")
    return judge


def budget_of(
    answers: Source,
    judge: Judge,
    *,
    metrics: Sequence[str] | str = "judge",
    cases: Source | None = None,
    schema: str = "",
    mapping: Mapping[str, str] | None = None,
    batch: int = ROWS_AT_ONCE,
) -> Budget:
    """The most that judging these answers would take; nothing is sent.

    Parameters and errors as in `ragassay.score`.
    """
    opened = open_batches(answers, schema, mapping, batch)
    known = None if cases is None else read_case_facts(cases)
    return estimate_budget(opened, metric_names(metrics), judge, known)


def describe_budget(budget: Budget, judge: Judge) -> str:
    """A dry run in lines: calls and tokens, and what they cost where prices are given."""
    priced = "cost: not known; give --price-in and --price-out"
    if judge.price_in or judge.price_out:
        cost = budget.cost(judge.price_in, judge.price_out)
        prices = f"at {judge.price_in:g} per million tokens sent and {judge.price_out:g} per million received"
        priced = f"cost: at most {cost:,.4f} {prices}"
    head = f"dry run: nothing was sent to {judge.endpoint}, model {judge.model}"
    return "\n".join([head, str(budget), priced])


def describe_spending(judge: Judge) -> str:
    """What the judge was asked and what it took, in a line."""
    return f"judge {judge.model} at {judge.endpoint}: {judge.spent}"
