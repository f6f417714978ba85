"""How well does `support` agree with people? AUROC or Spearman with 95 % intervals (bootstrap by document) on
answers it has not learned from. Writes bench/support.json, and the end of lib/ragassay/scores/support.md.

Each fifth of the cases (training/support.py: a SummEdits domain each, documents of the other sets by hash)
is judged by a model fitted on the other four; a set is also judged by a model that saw nothing of it. Beside
that: entailment alone, counting words alone, and how far support is beyond the last. Then, how often a long
answer that people found faithful falls below itself once it is spoilt; nothing is tuned on that:

foreign : the answer to another question; digits : every number changed; negated : every verb of being negated
salad : words of the passages in random order; crossed : halves of two sentences of the passages, joined

The head `entailment` has learned nothing from these sets. `numbers` are the pairs on tables that we wrote,
the half `dev`; table_numbers.py has the others.
Data: `../shared/data` (begin, wice, mtrag_human, summedits); not part of the project.
"""

import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from ragassay.scores.families import support as support_model
from ragassay.scores.families.support import support
from ragassay.scores.metric import NotApplicable, Tools, compute_together
from ragassay.scores.prepared_answer import Sample

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training"))

import support as training  # noqa: E402
from support_cases import SUMMEDITS, Case, inputs, learned_from  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
SEEN = {f"summedits/{one}": "summedits" for one in SUMMEDITS}
ALONE = {"entailment": "entailed", "words found": "words_found"}
DRAWS = 500
FIGURES = Path(__file__).with_name("support.json")
CARD = ROOT / "lib/ragassay/scores/support.md"
BELOW = "support below the answer's, spoilt: "
LEAD = "support less words found alone"
COLUMNS = ("support", "support, set unseen", "words found alone", LEAD)
BESIDE = "\n## Beside counting words\n\n"
LIMIT = (
    "It sees words and sentences: an answer pieced together from the passages may pass, and false\n"
    "sentences in the passages' own words may score above true ones in other words. Of faithful long\n"
    "answers (mtrag_human) spoilt by rule, the share whose support falls below the answer's\n"
    "(`bench/support.py`):"
)
FAITHFUL, LEAST = 0.85, 3  # label and sentences of an answer that is spoilt
KINDS = ("foreign", "digits", "negated", "salad", "crossed")
VERB = re.compile(r"\b(is|are|was|were|can|will|may|should|must|has|have)\b(?! not)")
Figure = dict[str, str | float]


def main() -> None:
    """Print the tables and write them."""
    if not DATA.is_dir():
        sys.exit(f"skipped: {DATA} is not here; see the docstring for the sources")
    cases = learned_from(DATA)
    table = inputs(cases, Tools())
    kept = ~np.isnan(table).any(axis=1)
    print(f"{len(cases)} cases, {int((~kept).sum())} without context sentences left out")
    figures = report([case for case, one in zip(cases, kept, strict=True) if one], table[kept]) + below(cases)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    card = CARD.read_text(encoding="utf-8").split(BESIDE)[0]
    CARD.write_text(card + BESIDE + beside(figures) + limits(figures), encoding="utf-8")


def report(cases: list[Case], table: NDArray) -> list[Figure]:
    """Every figure of agreement, by set; of SummEdits also the mean of its domains."""
    sets = np.array([case.data for case in cases])
    folds = np.array([case.fold for case in cases])
    scores = {"support": judged(cases, table, folds)}
    scores["support, set unseen"] = judged(cases, table, np.array([SEEN.get(one, one) for one in sets]))
    scores |= {f"{name} alone": table[:, support_model.NAMES.index(one)] for name, one in ALONE.items()}
    edits, figures = np.char.startswith(sets, "summedits"), []
    for name, score in scores.items():
        figures += [figure(name, one, agreement(one), cases, score, sets == one) for one in sorted(set(sets))]
        figures.append(figure(name, "summedits, mean of domains", mean_auroc, cases, score, edits))
    both = np.column_stack([scores["support"], scores["words found alone"]])
    for one in sorted(set(sets)):
        figures.append(figure(LEAD, one, partial(lead, agreement(one)), cases, both, sets == one))
    return figures


def judged(cases: Sequence[Case], table: NDArray, parts: NDArray) -> NDArray:
    """Log-odds of every case by a model fitted on the cases of the other parts."""
    score = np.full(len(cases), np.nan)
    for part in sorted(set(parts.tolist())):
        rest = parts != part
        fitted = training.fit(table[rest], [cases[i] for i in np.flatnonzero(rest)])
        score[~rest] = training.log_odds(table[~rest], fitted)
    return score


def agreement(name: str) -> Callable[[Sequence[Case], NDArray], float]:
    """Spearman for MTRAG, AUROC for the others."""
    return spearman if name == "mtrag_human" else auroc


def spearman(cases: Sequence[Case], score: NDArray) -> float:
    return float(spearmanr(score, [case.label for case in cases]).statistic)


def auroc(cases: Sequence[Case], score: NDArray) -> float:
    """How often a supported case scores above an unsupported one; partly supported cases are left out."""
    label = np.array([case.label for case in cases])
    whole = (label == 0) | (label == 1)
    return float(roc_auc_score(label[whole], score[whole]))


def mean_auroc(cases: Sequence[Case], score: NDArray) -> float:
    sets = np.array([case.data for case in cases])
    kinds = ([case for case in cases if case.data == one] for one in sorted(set(sets)))
    return float(np.mean([auroc(kind, score[sets == kind[0].data]) for kind in kinds]))


def lead(measure: Callable, cases: Sequence[Case], pair: NDArray) -> float:
    """How far the first of two scores (n, 2) is above the second by a measure."""
    return measure(cases, pair[:, 0]) - measure(cases, pair[:, 1])


def below(cases: Sequence[Case]) -> list[Figure]:
    """How often the shipped model scores a spoilt copy below the answer."""
    chosen = [case for case in cases if is_spoilt(case)]
    answers, tools, figures = [case.material for case in chosen], Tools(), []
    own = np.array(values(answers, tools))
    for kind in KINDS:
        places, made = zip(*spoilt(answers, kind), strict=True)
        less = (values(made, tools) < own[list(places)]).astype(float)
        of, every = [chosen[place] for place in places], np.ones(len(places), dtype=bool)
        figures.append(figure(BELOW + kind, "mtrag_human", lambda _, share: share.mean(), of, less, every))
    return figures


def is_spoilt(case) -> bool:
    """Whether a case's answer is one that is spoilt: of MTRAG, long and faithful."""
    long = len(case.material.answer_sentences) >= LEAST and case.material.context_sentences
    return bool(case.data == "mtrag_human" and case.label >= FAITHFUL and long)


def spoil(one: Sample, other: Sample, kind: str, draw: random.Random) -> str:
    """The answer spoilt in this way; `other` is the answer to another question."""
    answer = one.answer or ""
    if kind == "foreign":
        return other.answer or ""
    if kind == "digits":
        return re.sub(r"\d", lambda found: str((int(found[0]) + draw.randint(1, 9)) % 10), answer)
    if kind == "negated":
        return VERB.sub(r"\1 not", answer)
    if kind == "salad":
        words = [word for passage in one.contexts or () for word in passage.split()]
        made = [" ".join(draw.choices(words, k=len(each.text.split()))) for each in one.answer_sentences]
        return " ".join(f"{text}." for text in made)
    halves = [each.text.split() for each in one.context_sentences if len(each.text.split()) > LEAST]
    pairs = [draw.sample(halves, 2) for _ in one.answer_sentences] if len(halves) > 1 else []
    joined = [" ".join(start[: len(start) // 2] + end[len(end) // 2 :]) for start, end in pairs]
    return " ".join(text.rstrip(".") + "." for text in joined)


def spoilt(answers: Sequence[Sample], kind: str, seed: int = 0) -> list[tuple[int, Sample]]:
    """The spoilt copies of a kind, each with the place of its answer; an answer that stays as it was has
    none."""
    draw, made = random.Random(f"{seed} {kind}"), []
    for place, one in enumerate(answers):
        strangers = [other for other in answers if set(other.contexts or ()).isdisjoint(one.contexts or ())]
        text = spoil(one, draw.choice(strangers), kind, draw) if strangers else ""
        if text and text != one.answer:
            made.append((place, replace(one, answer=text)))
    return made


def values(samples: Sequence[Sample], tools: Tools) -> list[float]:
    """`support` of every sample; NaN where it does not apply."""

    def value(sample: Sample) -> float:
        try:
            return float(support(sample, tools)[0])
        except NotApplicable:
            return float("nan")

    return compute_together([partial(value, sample) for sample in samples], tools)


def figure(
    name: str, place: str, measure: Callable, cases: Sequence[Case], score: NDArray, use: NDArray
) -> Figure:
    """The figure of one set with its 95 % interval, documents drawn with replacement within each set."""
    chosen, score = [cases[i] for i in np.flatnonzero(use)], score[use]
    places: dict[str, dict[str, list[int]]] = {}
    for row, case in enumerate(chosen):
        places.setdefault(case.data, {}).setdefault(case.document, []).append(row)
    groups = [list(found.values()) for found in places.values()]
    draw, values = np.random.default_rng(0), []
    for _ in range(DRAWS):
        drawn = [row for group in groups for one in draw.choice(len(group), len(group)) for row in group[one]]
        values.append(measure([chosen[row] for row in drawn], score[drawn]))
    low, high = np.nanpercentile(values, [2.5, 97.5])
    rounded = {"value": round(measure(chosen, score), 3), "low": round(low, 3), "high": round(high, 3)}
    found = {"score": name, "set": place, **rounded, "n": len(chosen)}
    print(f"  {name:32} {place:28} {_cell(found)} n={len(chosen)}", flush=True)
    return found


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


def limits(figures: Sequence[Figure]) -> str:
    """What the card says of spoilt answers."""
    found = [one for one in figures if str(one["score"]).startswith(BELOW)]
    said = "; ".join(f"{str(one['score']).removeprefix(BELOW)} {_cell(one)} (n={one['n']})" for one in found)
    return f"\n## Limits\n\n{LIMIT}\n\n{said}\n"


def _cell(one: Figure) -> str:
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


if __name__ == "__main__":
    main()
