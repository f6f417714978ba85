"""Chooses the thresholds of entailment, one per use, and writes them with their curves:
python training/thresholds.py [--data ../shared/data] [--out lib/ragassay/models/thresholds.json]
[--page docs/thresholds.md]
or, for a model of entailment of one's own:
python training/thresholds.py --entailment FOLDER[#LABEL,LABEL,LABEL] --out FILE [--page FILE] [--device cuda]

Every data set weighs alike, whatever its size and its share of positives: rates are taken within a set and
averaged. A use is measured on each set at the threshold chosen on the others.
"""

import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import data
import threshold_pairs
from ragassay import models
from ragassay.models import entailment_thresholds as calibrated
from ragassay.models import load_instrument
from ragassay.scores.metric import Tools
from threshold_pairs import Item

GRID = np.round(np.arange(0.01, 1.0, 0.01), 2)
SHOWN = np.round(np.arange(0.1, 1.0, 0.1), 1)  # thresholds of the printed curves
DRAWS = 500
FALSE_ALARMS = 0.05
SHIPPED, PAGE = Path("lib/ragassay/models/thresholds.json"), Path("docs/thresholds.md")
Sets = Mapping[str, Sequence[Item]]


class Use(NamedTuple):
    """What a threshold serves, which scores and sets it is chosen on, by which criterion and why."""

    scores: str
    sets: tuple[str, ...]
    criterion: str
    why: str


BALANCED = "greatest balanced accuracy"
FEW_ALARMS = f"least with a false positive rate of at most {FALSE_ALARMS:g}"
_JUDGED = ("begin", "wice", "summedits")
USES = {
    "claims": Use(
        "claims", _JUDGED, BALANCED,
        "a rate of supported claims errs as much by a claim wrongly held as by one wrongly refused",
    ),
    "citations": Use(
        "citations", _JUDGED, BALANCED,
        "a share of supported citations errs as much either way",
    ),
    "citation_similarity": Use(
        "similarity", _JUDGED, BALANCED,
        "a share of supported citations errs as much either way",
    ),
    "contradiction": Use(
        "both", ("snli", "semi-automatic-wiki", "breaking"), FEW_ALARMS,
        "most near sentences do not contradict each other, and each that is listed costs a reader's time",
    ),
    "grouse_by_reference": Use(
        "both", ("occ_handbook", "grouse_topics", "breaking"), FEW_ALARMS,
        "one sentence called contradicted costs the whole answer its mark",
    ),
    "grouse_by_passage": Use(
        "one", ("occ_handbook", "snli", "semi-automatic-wiki"), FEW_ALARMS,
        "one sentence called contradicted costs the whole answer its mark",
    ),
}  # fmt: skip


def rates(sets: Sets, grid: NDArray = GRID) -> tuple[NDArray, NDArray]:
    """Share of the positive and of the negative items at or above each threshold, mean of the sets; (m,)."""
    found = [_shares(items, grid) for items in sets.values()]
    return np.mean([one[0] for one in found], axis=0), np.mean([one[1] for one in found], axis=0)


def _shares(items: Sequence[Item], grid: NDArray) -> tuple[NDArray, NDArray]:
    score, label = np.array([item[2] for item in items]), np.array([item[1] for item in items])
    return tuple((score[label == wanted][:, None] >= grid).mean(axis=0) for wanted in (1, 0))


def balanced(sets: Sets) -> float:
    """The threshold of greatest balanced accuracy; the middle one of several."""
    found, alarms = rates(sets)
    best = np.flatnonzero(np.isclose(found - alarms, (found - alarms).max()))
    return float(GRID[best[len(best) // 2]])


def few_alarms(sets: Sets) -> float:
    """The least threshold whose false positive rate is at most FALSE_ALARMS."""
    return float(GRID[int(np.argmax(rates(sets)[1] <= FALSE_ALARMS))])


CHOOSE: dict[str, Callable[[Sets], float]] = {BALANCED: balanced, FEW_ALARMS: few_alarms}


def measure(sets: Sets, at: float | NDArray) -> dict[str, Any]:
    """Recall, false positive rate, balanced accuracy, and the precision where positives are as common as
    negatives."""
    found, alarms = (one[0] for one in rates(sets, np.array([at])))
    both = found + alarms
    return {
        "recall": float(found),
        "false_positive_rate": float(alarms),
        "precision": float(found / both) if both else float("nan"),
        "balanced_accuracy": float((1 + found - alarms) / 2),
    }


def resampled(items: Sequence[Item], draw: np.random.Generator) -> list[Item]:
    """The items of a set, whole groups drawn again."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item[0], []).append(item)
    every = list(groups.values())
    while True:
        drawn = [item for i in draw.integers(len(every), size=len(every)) for item in every[i]]
        if len({item[1] for item in drawn}) == 2:
            return drawn


def with_interval(figure: Callable[[Sets], float], sets: Sets) -> list[float]:
    """A figure with its 95 % percentile interval over whole groups."""
    draw, drawn = np.random.default_rng(data.SEED), []
    for _ in range(DRAWS):
        drawn.append(figure({name: resampled(items, draw) for name, items in sets.items()}))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return [round(float(one), 3) for one in (figure(sets), low, high)]


def chosen(use: Use, sets: Sets) -> dict[str, Any]:
    """All that is written of one use: its threshold, each set left out, the curve."""
    choose = CHOOSE[use.criterion]
    found = at_threshold(sets, choose, use.criterion, use.why)
    curve = [
        {"threshold": float(at)} | rounded(measure(sets, at)) for at in sorted({*SHOWN, found["threshold"]})
    ]
    return found | {"left_out": {name: left_out(name, sets, choose) for name in sets}, "curve": curve}


def at_threshold(sets: Sets, choose: Callable[[Sets], float], criterion: str, why: str) -> dict[str, Any]:
    """The threshold with its interval, and the rates at it."""
    value, low, high = with_interval(choose, sets)
    sizes = {name: len(items) for name, items in sets.items()}
    about = {"criterion": criterion, "why": why, "sets": sizes}
    rates_there = {"at_threshold": rounded(measure(sets, value))}
    return {"threshold": value, "interval": [low, high]} | about | rates_there


def rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {key: round(one, 3) for key, one in figures.items()}


def left_out(name: str, sets: Sets, choose: Callable[[Sets], float]) -> dict[str, Any]:
    """A set at the threshold chosen on the others."""
    at = choose({other: items for other, items in sets.items() if other != name})
    found: dict[str, Any] = {"threshold": at}
    for key in ("recall", "false_positive_rate", "balanced_accuracy"):
        found[key] = with_interval(lambda given, key=key: measure(given, at)[key], {name: sets[name]})
    return found


def scored(kind: str, folder: Path) -> dict[str, list[Item]]:
    """The judged items of a kind."""
    if kind not in ("one", "both"):
        return threshold_pairs.judged_answers(folder, kind, Tools())
    pairs = threshold_pairs.judged_pairs(folder).items()
    return {name: threshold_pairs.contradicted(rows, kind == "both", models.entail) for name, rows in pairs}


def page(stored: Mapping[str, Any], named: str = "") -> str:
    """The card: every threshold, each set left out; `named`: the model in place of the heads."""
    learned = f"By the model {named}; what it has learned from is not known here." if named else OF_HEADS
    uses = stored["uses"]
    lines = ["# Thresholds of entailment", "", INTRODUCTION, "", learned, ""]
    lines += ["| use | threshold | criterion |", "|---|---|---|"]
    for name, one in uses.items():
        lines.append(f"| {name} | {_spelled([one['threshold'], *one['interval']])} | {one['criterion']} |")
    lines += ["", "Each set at the threshold chosen on the others:", ""]
    lines += ["| use | set left out | n | threshold | balanced accuracy |", "|---|---|---:|---:|---|"]
    for name, one in uses.items():
        for part, row in one["left_out"].items():
            figures = f"{row['threshold']:.2f} | {_spelled(row['balanced_accuracy'])}"
            lines.append(f"| {name} | {part} | {one['sets'][part]} | {figures} |")
    return "\n".join(line if line.startswith("|") else textwrap.fill(line, 108) for line in lines) + "\n"


INTRODUCTION = (
    "Written by `training/thresholds.py`; the curves are in `lib/ragassay/models/thresholds.json`. "
    "Intervals: 95 %, whole documents or premises drawn again. Every set weighs alike. "
    "Why these criteria: decision 29."
)
OF_HEADS = (
    "No head has learned a label or a text of BEGIN, WiCE and SummEdits, nor a label of the other pairs (of "
    "nli/train, other hypotheses of the same premises may have been learned)."
)


def _spelled(value: Sequence[float]) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*value)


def main() -> None:
    given, uses = data.arguments(__doc__, SHIPPED, page="", entailment="", device=""), {}
    if given.entailment and given.out == SHIPPED:
        sys.exit("thresholds of a model of your own need a file of their own: --out FILE")
    with load_instrument.use_models(entailment=given.entailment, device=given.device):
        for name, use in USES.items():
            found = scored(use.scores, given.data)
            uses[name] = chosen(use, {one: found[one] for one in use.sets})
        stored = {"script": "training/thresholds.py", "networks": calibrated.networks(), "uses": uses}
    given.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    card, told = page(stored, given.entailment), given.page or ("" if given.entailment else PAGE)
    if told:
        Path(told).write_text(card, encoding="utf-8")
    print(card)


if __name__ == "__main__":
    main()
