"""How well does `support` agree with people? AUROC or Spearman with 95 % intervals (bootstrap by document) on
answers it has not learned from.

Each fifth of the cases (training/support.py: a SummEdits domain each, documents of the other sets by hash) is
judged by a model fitted on the other four; a set is also judged by a model that saw nothing of that set, and
MTRAG's conversations, answerers and collections by models that saw nothing of theirs. Then, how often a long
answer spoilt by rule falls below itself (spoilt_answers.py).
Beside it: entailment alone, counting words alone, and how far support is beyond the last.
The figures are kept in bench/support.json, from which the documentation has them.

python bench/support.py. The head `entailment` has learned nothing from these sets. `numbers` are the pairs on
tables that we wrote, the half `dev`; table_numbers.py has the others.
Data: `../shared/data` (begin, wice, mtrag_human, summedits); not part of the project.
"""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragassay.scores import support_model
from ragassay.scores.shared_instruments import Tools

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
import spoilt_answers

from support_agreement import SEEN, agreement, judged, mean_auroc
from support_cases import Case, inputs, learned_from

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ALONE = {"entailment": "entailed", "words found": "words_found"}
PARTS = {  # of MTRAG
    "conversation": lambda case: case.document,
    "answerer": lambda case: case.material.system,
    "collection": lambda case: case.collection,
}
DRAWS = 500
FIGURES = Path(__file__).with_name("support.json")
Figure = dict[str, str | float]
CARD = FIGURES.parents[1] / "lib/ragassay/scores/support.md"
WRONG_BELOW, WRONG = "not supported, of those below 0.5", "not supported, of all"
BELOW = "support below the answer's, spoilt: "
LIMIT = (
    "It sees words and sentences: an answer pieced together from the passages may pass, and false\n"
    "sentences in the passages' own words score above true ones in other words\n"
    "(`bench/judged_answers.py`). Of faithful long answers (mtrag_human) spoilt by rule, the share whose\n"
    "support falls below the answer's (`bench/spoilt_answers.py`):"
)
BESIDE = "\n## Beside counting words\n\n"
COLUMNS = ("support", "support, set unseen", "words found alone", LEAD := "support less words found alone")


def main() -> int:
    """Print the tables, or the reason why there are none."""
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not here; see the docstring for the sources")
        return 0
    cases = learned_from(DATA)
    table = inputs(cases, Tools())
    kept = ~np.isnan(table).any(axis=1)
    print(f"{len(cases)} cases, {int((~kept).sum())} without context sentences left out")
    figures = report([case for case, one in zip(cases, kept, strict=True) if one], table[kept])
    figures += below(cases)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    card = CARD.read_text(encoding="utf-8").split(BESIDE)[0]
    CARD.write_text(card + BESIDE + beside(figures) + limits(figures), encoding="utf-8")
    return 0


def report(cases: list[Case], table: NDArray) -> list[Figure]:
    """Print and return every figure."""
    sets = np.array([case.data for case in cases])
    scores = scored(cases, table, sets)
    figures = []
    for name, score in scores.items():
        print(f"\n{name}")
        for one in sorted(set(sets)):
            if not np.isnan(score[sets == one]).any():
                figures.append(figure(name, one, agreement(one), cases, score, sets == one))
        if not np.isnan(score).any():
            edits = np.char.startswith(sets, "summedits")
            figures.append(figure(name, "summedits, mean of domains", mean_auroc, cases, score, edits))
    figures += beyond(cases, scores, sets) + suspected(cases, scores["support"], sets)
    balanced(cases, scores["support"], sets)
    return figures


def scored(cases: list[Case], table: NDArray, sets: NDArray) -> dict[str, NDArray]:
    """Log-odds or value of every case under each name; NaN where the name does not judge it."""
    folds = np.array([case.fold for case in cases])
    scores = {"support": judged(cases, table, folds), "support, set unseen": judged(cases, table, sets, SEEN)}
    for name, part in PARTS.items():
        parts = np.array([part(case) for case in cases])
        scores[f"support, {name} unseen"] = judged(cases, table, parts, only=sets == "mtrag_human")
    scores |= {f"{name} alone": table[:, support_model.NAMES.index(one)] for name, one in ALONE.items()}
    without = tuple(name for name in support_model.NAMES if name != ALONE["entailment"])
    return scores | {"support without entailment": judged(cases, table, folds, use=without)}


def beyond(cases: list[Case], scores: dict[str, NDArray], sets: NDArray) -> list[Figure]:
    """How far support agrees better with people than counting words does, by set; print and return it."""
    print("\nsupport less words found alone")
    both = np.column_stack([scores["support"], scores["words found alone"]])
    return [
        figure(LEAD, one, partial(lead, agreement(one)), cases, both, sets == one)
        for one in sorted(set(sets))
    ]


def suspected(cases: Sequence[Case], score: NDArray, sets: NDArray) -> list[Figure]:
    """How many of the answers whose support is below 0.5 people call not, or not wholly, supported, by set
    with such labels; print and return it, and the share that people call so of all."""
    print("\nnot supported, of those below 0.5 and of all")
    joined = np.array([SEEN.get(one, one) for one in sets.tolist()])
    labelled = [one for one in sorted(set(joined)) if one != "mtrag_human"]
    return [
        figure(name, one, measure, cases, score, joined == one)
        for name, measure in ((WRONG_BELOW, _wrong_below), (WRONG, _wrong))
        for one in labelled
    ]


def _wrong_below(cases: Sequence[Case], odds: NDArray) -> float:
    below = odds < 0
    return float(np.mean([case.label < 1 for case, one in zip(cases, below, strict=True) if one]))


def _wrong(cases: Sequence[Case], _: NDArray) -> float:
    return float(np.mean([case.label < 1 for case in cases]))


def beside(figures: Sequence[Figure]) -> str:
    """The card's table: a row per set, with the sets where counting words is as good named."""
    at = {(one["score"], one["set"]): one for one in figures}
    sets = [one["set"] for one in figures if one["score"] == LEAD]
    rows = [f"| {one} | {' | '.join(_cell(at[name, one]) for name in COLUMNS)} |" for one in sets]
    even = [str(one) for one in sets if float(at[LEAD, one]["low"]) <= 0]
    said = "By `bench/support.py`, on what it did not learn from: Spearman for mtrag_human, else AUROC."
    head = f"| set | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}"
    same = f"Counting the words found in the passages is not shown to be worse on: {', '.join(even)}."
    return "\n".join([said, same, "", head, *rows]) + "\n"


def below(cases: Sequence[Case]) -> list[Figure]:
    """How often the shipped model scores a spoilt copy below the answer; printed, with 95 % intervals."""
    print("\nshare of spoilt copies of faithful long answers below the answer")
    chosen = [case for case in cases if spoilt_answers.is_spoilt(case)]
    answers, tools, figures = [case.material for case in chosen], Tools(), []
    own = np.array(spoilt_answers.values(answers, tools))
    for kind in spoilt_answers.KINDS:
        places, made = zip(*spoilt_answers.spoilt(answers, kind), strict=True)
        less = (spoilt_answers.values(made, tools) < own[list(places)]).astype(float)
        of, every = [chosen[place] for place in places], np.ones(len(places), dtype=bool)
        figures.append(figure(BELOW + kind, "mtrag_human", lambda _, share: share.mean(), of, less, every))
    return figures


def limits(figures: Sequence[Figure]) -> str:
    """What the card says of spoilt answers."""
    found = [one for one in figures if str(one["score"]).startswith(BELOW)]
    said = "; ".join(f"{str(one['score']).removeprefix(BELOW)} {_cell(one)} (n={one['n']})" for one in found)
    return f"\n## Limits\n\n{LIMIT}\n\n{said}\n"


def _cell(one: Figure) -> str:
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def lead(measure: Callable, cases: Sequence[Case], pair: NDArray) -> float:
    """How far the first of two scores (n, 2) is above the second by a measure."""
    return measure(cases, pair[:, 0]) - measure(cases, pair[:, 1])


def figure(
    name: str, place: str, measure: Callable, cases: Sequence[Case], score: NDArray, use: NDArray
) -> Figure:
    """The figure of one set with its interval from draws of documents; printed as well."""
    chosen = [case for case, one in zip(cases, use, strict=True) if one]
    value, (low, high) = measure(chosen, score[use]), interval(measure, chosen, score[use])
    print(f"  {place:28} {value:.3f} [{low:.3f}, {high:.3f}] n={len(chosen)}", flush=True)
    rounded = {"value": round(value, 3), "low": round(float(low), 3), "high": round(float(high), 3)}
    return {"score": name, "set": place, **rounded, "n": len(chosen)}


def interval(measure: Callable, cases: Sequence[Case], score: NDArray) -> NDArray:
    """95 % percentile interval: documents drawn with replacement within each set."""
    draw = np.random.default_rng(0)
    places: dict[str, dict[str, list[int]]] = {}
    for place, case in enumerate(cases):
        places.setdefault(case.data, {}).setdefault(case.document, []).append(place)
    groups = [list(found.values()) for found in places.values()]
    values = []
    for _ in range(DRAWS):
        drawn = [
            place for group in groups for one in draw.choice(len(group), len(group)) for place in group[one]
        ]
        values.append(measure([cases[place] for place in drawn], score[drawn]))
    return np.nanpercentile(values, [2.5, 97.5])


def balanced(cases: Sequence[Case], score: NDArray, sets: NDArray) -> None:
    """Print SummEdits' balanced accuracy at the threshold that is best on the other domains."""
    print("\nsupport, SummEdits: balanced accuracy at the threshold best on the other domains")
    domains, label = sorted(SEEN), np.array([case.label for case in cases])
    for one in domains:
        others = np.isin(sets, domains) & (sets != one)
        cut = max(np.unique(score[others]), key=lambda at: accuracy(label[others], score[others] >= at))
        figure(
            "support, balanced accuracy",
            one,
            lambda found, values, at=cut: accuracy(np.array([case.label for case in found]), values >= at),
            cases,
            score,
            sets == one,
        )


def accuracy(label: NDArray, said: NDArray) -> float:
    """Mean of the shares of supported and of unsupported cases that are called so."""
    return float((said[label == 1].mean() + (~said[label == 0]).mean()) / 2)


if __name__ == "__main__":
    sys.exit(main())
