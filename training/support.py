"""Fits the support model and writes its card:
python training/support.py [--data ../shared/data] [--out lib/ragassay/scores/support/support.json]

A logistic model over the features of `ragassay.scores.support.support_model`, each coefficient held to the
sign its meaning asks for, learned from people's judgements of whole answers: BEGIN (fully attributable or
not), WiCE (partly supported is not supported), SummEdits, and MTRAG (the rank of the mean faithfulness); and
from the right and wrong answers on tables that we wrote (bench/number_pairs.jsonl, the half `dev`). Every set
has its own intercept, so that how common support is in it decides nothing; the model keeps their mean,
SummEdits' domains counting as one.

The features of a case are kept in the cache (RAGASSAY_CACHE) under the hash of the case and of every file
that they are computed from, so that a second pass, as of bench/support.py, takes seconds.
"""

import argparse
import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as cache_of_calls
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ragassay
from ragassay.models import cache
from ragassay.scores.families.support import inspect
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Pending, Tools
from ragassay.scores.support import support_model

SUMMEDITS = ("news", "qmsumm", "sales_email", "samsum", "scitldr")
LICENCES = (
    {"begin": "CC BY 4.0", "wice": "ODC-BY, text CC BY-SA", "mtrag_human": "Apache-2.0"}
    | {f"summedits/{one}": "Apache-2.0" for one in SUMMEDITS}
    | {"numbers": "ours"}
)
PAIRS = Path(__file__).resolve().parents[1] / "bench" / "number_pairs.jsonl"
ROOMS = ("documents", "models", "scores")  # of the library: what the features are computed from
FITTED = ("support.json", "support.md")  # files of theirs that the fit writes
IN_PART = 0.5  # a claim that is partly supported: no for learning, left out where AUROC is measured
WICE = {"supported": 1.0, "partially_supported": IN_PART, "not_supported": 0.0}
# of a set in the fit, whatever its size; any other weighs 1
WEIGHTS = {"mtrag_human": 4.0, "wice": 1.5, "numbers": 0.5}
PART = 60  # cases whose features are computed and kept together
SHRINKAGE = 3.0  # of the squared coefficients, on features of unit variance; chosen of 0.1, 1, 3 and 10


@dataclass(frozen=True)
class Case:
    """An answer that people judged: its set, its document (cases of one document stay together), what they
    said (0 to 1), its material (whose system is who answered), and the collection its passages are of."""

    data: str
    document: str
    label: float
    material: Sample
    collection: str = ""

    @property
    def fold(self) -> int:
        """Which fifth it is measured in: a SummEdits domain each, documents of the other sets by their
        hash."""
        domain = self.data.removeprefix("summedits/")
        return (
            SUMMEDITS.index(domain)
            if domain in SUMMEDITS
            else int(hashlib.md5(self.document.encode()).hexdigest(), 16) % 5
        )


def cases(data: Path) -> list[Case]:
    """All answers that people judged, in the order of the files."""
    begin = [
        _case("begin", row, row["contexts"][0], row["label"] == "Fully attributable")
        for row in read(data / "begin/dev.jsonl.gz")
    ]
    wice = [_case("wice", row, row["id"], WICE[row["label"]]) for row in read(data / "wice/dev.jsonl.gz")]
    mtrag = [
        _case("mtrag_human", row, row["id"].split("<")[0], _faithful(row))
        for row in read(data / "mtrag_human/dev.jsonl.gz")
    ]
    edits = [
        _case(f"summedits/{one}", row, row["contexts"][0], int(row["label"]))
        for one in SUMMEDITS
        for row in read(data / f"summedits/{one}.jsonl.gz")
    ]
    return begin + wice + mtrag + edits


def numbers(half: str) -> list[Case]:
    """The right and the wrong answer of every pair on tables of a half, in turn."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [
        _case("numbers", {"id": f"{place} {said}", "query": row["question"], "answer": row[said]}
              | {"contexts": row["passages"]}, row["passages"][0], said == "correct")
        for place, row in enumerate(rows) if row["half"] == half
        for said in ("correct", "wrong")
    ]  # fmt: skip


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def inputs(found: Sequence[Case], tools: Tools, kept_as: str = "") -> NDArray[np.float64]:
    """The model's features of every case (n, number of FEATURES); NaN where there is nothing to judge.

    kept_as : what else than the case and the code decides them: a head that `tools` have in another's place
    """
    recipe = f"support features {code()} {kept_as}"
    keys = [cache.key(recipe, repr(case.material)) for case in found]
    known = cache.get(keys)
    for start in range(0, len(found), PART):
        part = [place for place in range(len(found))[start : start + PART] if keys[place] not in known]
        table = _computed([found[place] for place in part], tools)
        new = {keys[place]: row for place, row in zip(part, table, strict=True)}
        cache.put(new)
        known |= new
    return np.array([known[key] for key in keys], dtype=float)


def _computed(found: Sequence[Case], tools: Tools) -> NDArray[np.float32]:
    """The features of cases that are not in the cache, in the precision that it keeps."""
    table, waiting = np.full((len(found), len(support_model.NAMES)), np.nan), list(range(len(found)))
    while waiting:
        tools.settle()
        tools.collect(True)
        waiting = [place for place in waiting if not _entered(table, place, found[place], tools)]
        tools.collect(False)
    return table.astype(np.float32)


@cache_of_calls
def code() -> str:
    """The hash of every file of the library that the features are computed from."""
    found, base = hashlib.sha256(), Path(ragassay.__file__).parent
    for path in sorted(path for room in ROOMS for path in (base / room).rglob("*.*")):
        if path.is_file() and "__pycache__" not in path.parts and path.name not in FITTED:
            found.update(f"{path.relative_to(base)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def _entered(table: NDArray, place: int, case: Case, tools: Tools) -> bool:
    """Put a case's features into the table; False if it waits for an instrument."""
    try:
        findings, chances, _ = inspect(case.material, tools)
        table[place] = list(support_model.features(findings, chances).values())
    except NotApplicable:
        pass
    except Pending:
        return False
    return True


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
    bounds = [_bounds(feature.sign, feature.name in use) for feature in support_model.FEATURES]
    held = _likeliest(design, label, weight, table.shape[1], bounds)[: table.shape[1]]
    along = np.hstack([design[:, : table.shape[1]] @ held[:, None], own])
    slope, *own_intercepts = _likeliest(along, label, weight, 0, [(0.0, None)])
    intercept = _mean_intercept(dict(zip(sets, own_intercepts, strict=True)))
    return support_model.Model(means, scales, slope * held, intercept)


def _likeliest(
    design: NDArray, label: NDArray, weight: NDArray, shrunk: int, bounds: list[tuple]
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
    """One record per feature: name, coefficient for one standard deviation, mean, scale, meaning."""
    rows = zip(support_model.FEATURES, fitted.coefficients, fitted.means, fitted.scales, strict=True)
    return [
        {
            "name": one.name,
            "coefficient": round(b, 6),
            "mean": round(mean, 6),
            "scale": round(scale, 6),
            "sign": one.sign,
            "meaning": one.meaning,
        }
        for one, b, mean, scale in rows
    ]


def page(stored: dict) -> str:
    """The model's card: every coefficient with its meaning, and what it was learned from."""
    lines = [
        "# The support model",
        "",
        "Log-odds of support = intercept + sum of coefficient * (value - mean) / scale. Fit: "
        "`training/support.py`, measured: `bench/support.py`.",
        "Learned from: "
        + "; ".join(
            f"{one['name']} ({one['rows']} rows, {one['licence']})" for one in stored["training_data"]
        )
        + ".",
        "",
        "| feature | coefficient | mean | scale | meaning |",
        "|---|---:|---:|---:|---|",
        f"| intercept | {stored['intercept']:.3f} | | | mean of the sets' own, SummEdits as one |",
    ]
    rows = [
        f"| {row['name']} | {row['coefficient']:.3f} | {row['mean']:.3f} | {row['scale']:.3f} | "
        f"{row['meaning']} |"
        for row in stored["features"]
    ]
    return "\n".join([*lines, *rows]) + "\n"


def _loss(
    values: NDArray, design: NDArray, label: NDArray, weight: NDArray, shrunk: int
) -> tuple[float, NDArray]:
    """Weighted negative log-likelihood plus shrinkage of the first `shrunk` values, and its gradient."""
    odds = design @ values
    gradient = design.T @ (weight * (1 / (1 + np.exp(-odds)) - label))
    gradient[:shrunk] += SHRINKAGE * values[:shrunk]
    return float(
        (weight * (np.logaddexp(0, odds) - label * odds)).sum() + SHRINKAGE * (values[:shrunk] ** 2).sum() / 2
    ), gradient


def _bounds(sign: int, used: bool) -> tuple[float | None, float | None]:
    return (None if used and sign <= 0 else 0.0, None if used and sign >= 0 else 0.0)


def _case(data: str, row: dict, document: str, label: float) -> Case:
    return Case(
        data,
        document,
        float(label),
        Sample(
            row["id"],
            row.get("system") or data,
            answer=row["answer"],
            question=row.get("query"),
            contexts=tuple(row["contexts"]),
        ),
        row.get("collection") or data,
    )


def _faithful(row: dict) -> float:
    return (float(np.mean([int(vote) for vote in row["human"]["faithfulness"].values()])) - 1) / 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("lib/ragassay/scores/support/support.json"))
    given = parser.parse_args()
    found = cases(given.data) + numbers("dev")
    table = inputs(found, Tools())
    kept = ~np.isnan(table).any(axis=1)
    fitted = fit(table[kept], [case for case, one in zip(found, kept, strict=True) if one])
    data = [
        {"name": one, "licence": LICENCES[one], "rows": sum(case.data == one for case in found)}
        for one in sorted(LICENCES)
    ]
    stored = {
        "script": "training/support.py",
        "intercept": round(fitted.intercept, 6),
        "training_data": data,
        "features": card(fitted),
    }
    given.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    given.out.with_suffix(".md").write_text(page(stored), encoding="utf-8")
    print(page(stored))


if __name__ == "__main__":
    main()
