"""Fits the support model and writes its card:
python training/support.py [--data ../shared/data] [--out lib/ragassay/scores/support.json]

A logistic model over the features of `ragassay.scores.families.support`, each coefficient held to the
sign its meaning asks for, learned from people's judgements of whole answers: BEGIN (fully attributable or
not), WiCE (partly supported is not supported), SummEdits, and MTRAG (the rank of the mean faithfulness); and
from the right and wrong answers on tables that we wrote (bench/number_pairs.jsonl, the half `dev`). Every set
has its own intercept, so that how common support is in it decides nothing; the model keeps their mean,
SummEdits' domains counting as one.

The squared coefficients are shrunk by 1, chosen of 0.01 to 100: by models fitted without the set, the mean
agreement with people over the five sets is 0.803, 0.804, 0.807 (at 1), 0.803 and 0.797.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data import arguments
from ragassay.scores.families import support as support_model
from ragassay.scores.metric import Tools
from support_cases import IN_PART, SUMMEDITS, Case, inputs, learned_from

LICENCES = (
    {"begin": "CC BY 4.0", "wice": "ODC-BY, text CC BY-SA", "mtrag_human": "Apache-2.0"}
    | {f"summedits/{one}": "Apache-2.0" for one in SUMMEDITS}
    | {"numbers": "ours"}
)
# of a set in the fit, whatever its size; any other weighs 1
WEIGHTS = {"mtrag_human": 4.0, "wice": 1.5, "numbers": 0.5}
SHRINKAGE = 1.0  # of the squared coefficients, on features of unit variance


def fit(
    table: NDArray, found: Sequence[Case], use: Sequence[str] = support_model.NAMES
) -> support_model.Model:
    """The model that makes these judgements likeliest, with the coefficients of the features not in `use`
    held at 0: a shrunk one says how the features stand to each other, and one slope for all, which is not
    shrunk, how far they decide (Cox 1958, Two further applications of a model for binary regression)."""
    means, scales = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-9)
    sets = sorted({case.data for case in found})
    own = np.array([[case.data == one for one in sets] for case in found], dtype=float)
    design = np.hstack([(table - means) / scales, own])
    label, weight = targets(found), own @ np.array([WEIGHTS.get(one, 1.0) for one in sets] / own.sum(axis=0))
    by_hand = np.array(support_model.NAMES) == "departures"
    bounds = [_bounds(sign, name in {*use} - {"departures"}) for name, sign in support_model.FEATURES.items()]
    shrunk = np.repeat([SHRINKAGE, 0.0], [table.shape[1], len(sets)])
    held = _likeliest(design, label, weight, shrunk, bounds)[: table.shape[1]]
    along = np.hstack([design[:, : table.shape[1]] @ held[:, None], own])
    slope, *own_intercepts = _likeliest(along, label, weight, np.zeros(len(sets) + 1), [(0.0, None)])
    intercept = _mean_intercept(dict(zip(sets, own_intercepts, strict=True)))
    coefficients = np.where(by_hand, -support_model.DEPARTS * scales, slope * held)
    return support_model.Model(means, scales, coefficients, intercept)


def _likeliest(
    design: NDArray, label: NDArray, weight: NDArray, shrunk: NDArray, bounds: list[tuple]
) -> NDArray[np.float64]:
    """The coefficients of the columns of `design`, those without bounds free."""
    from scipy.optimize import minimize

    free = [(None, None)] * (design.shape[1] - len(bounds))
    given, options = (design, label, weight, shrunk), {"maxiter": 1000}
    start, where = np.zeros(design.shape[1]), bounds + free
    return minimize(_loss, start, given, jac=True, bounds=where, method="L-BFGS-B", options=options).x


def _mean_intercept(own: dict[str, float]) -> float:
    """The mean of the sets' intercepts; the domains of one collection (SummEdits) count as one set."""
    sets: dict[str, list[float]] = {}
    for name, value in own.items():
        sets.setdefault(name.partition("/")[0], []).append(float(value))
    return float(np.mean([np.mean(values) for values in sets.values()]))


def targets(found: Sequence[Case]) -> NDArray[np.float64]:
    """What the model is to say of each case: the label, in part being no; of MTRAG, whose judgements lie high
    and close together, their rank."""
    from scipy.stats import rankdata

    label = np.array([0.0 if case.label == IN_PART and case.data == "wice" else case.label for case in found])
    ranked = np.array([case.data == "mtrag_human" for case in found])
    label[ranked] = (rankdata(label[ranked]) - 0.5) / max(1, ranked.sum())
    return label


def log_odds(table: NDArray, fitted: support_model.Model) -> NDArray[np.float64]:
    """The model's log-odds for every row (n,)."""
    return (table - fitted.means) / fitted.scales @ fitted.coefficients + fitted.intercept


def card(fitted: support_model.Model) -> list[dict]:
    """One record per feature: name, coefficient for one standard deviation, mean, scale, sign."""
    found = []
    for i, (name, sign) in enumerate(support_model.FEATURES.items()):
        numbers = {"coefficient": fitted.coefficients, "mean": fitted.means, "scale": fitted.scales}
        rounded = {one: round(float(values[i]), 6) for one, values in numbers.items()}
        found.append({"name": name} | rounded | {"sign": sign})
    return found


def page(stored: dict) -> str:
    """The model's card: every coefficient with its sign, and what it was learned from."""
    data = (f"{one['name']} ({one['rows']} rows, {one['licence']})" for one in stored["training_data"])
    lines = [
        "# The support model",
        "",
        "Log-odds of support = intercept + sum of coefficient * (value - mean) / scale. Fit: "
        "`training/support.py`, measured: `bench/support.py`; `departures` is set by hand.",
        f"Learned from: {'; '.join(data)}.",
        "",
        "| feature | coefficient | mean | scale | sign |",
        "|---|---:|---:|---:|---|",
        f"| intercept | {stored['intercept']:.3f} | | | mean of the sets' own, SummEdits as one |",
    ]
    rows = [
        f"| {row['name']} | {row['coefficient']:.3f} | {row['mean']:.3f} | {row['scale']:.3f} | "
        f"{row['sign']} |"
        for row in stored["features"]
    ]
    return "\n".join([*lines, *rows]) + "\n"


def _loss(
    values: NDArray, design: NDArray, label: NDArray, weight: NDArray, shrunk: NDArray
) -> tuple[float, NDArray]:
    """Weighted negative log-likelihood, each value shrunk by its own weight, and its gradient."""
    odds = design @ values
    gradient = design.T @ (weight * (1 / (1 + np.exp(-odds)) - label)) + shrunk * values
    loss = (weight * (np.logaddexp(0, odds) - label * odds)).sum() + (shrunk * values**2).sum() / 2
    return float(loss), gradient


def _bounds(sign: int, used: bool) -> tuple[float | None, float | None]:
    return (None if used and sign <= 0 else 0.0, None if used and sign >= 0 else 0.0)


def main() -> None:
    given = arguments(__doc__, Path("lib/ragassay/scores/support.json"))
    found = learned_from(given.data)
    table = inputs(found, Tools())
    kept = ~np.isnan(table).any(axis=1)
    fitted = fit(table[kept], [case for case, one in zip(found, kept, strict=True) if one])
    data = [
        {"name": one, "licence": LICENCES[one], "rows": sum(case.data == one for case in found)}
        for one in sorted(LICENCES)
    ]
    stored = {"script": "training/support.py", "intercept": round(fitted.intercept, 6)}
    stored |= {"training_data": data, "features": card(fitted)}
    given.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    given.out.with_suffix(".md").write_text(page(stored), encoding="utf-8")
    print(page(stored))


if __name__ == "__main__":
    main()
