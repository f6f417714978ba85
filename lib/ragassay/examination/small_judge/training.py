"""Train, hold out, evaluate, write: traces in, a folder with the judge and its card out."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay.errors import LabelError
from ragassay.examination import examine as examining
from ragassay.examination import unit_test_suite as suites
from ragassay.examination.scorers import Scorer
from ragassay.examination.small_judge import judge, traces
from ragassay.examination.small_judge.alignment import alignment
from ragassay.examination.small_judge.card import Card
from ragassay.examination.small_judge.traces import Traces
from ragassay.scores.shared_instruments import Tools

FEWEST, FEWEST_QUESTIONS = 20, 5
HELD_OUT = 0.2  # share of the questions kept for evaluation
SuitePath = str | Path


@dataclass(frozen=True)
class Trained:
    """A judge as trained, what it was measured to be, and the folder that holds both."""

    judge: Scorer
    card: Card
    folder: Path


def train(
    marked: str | Path | Traces,
    out: str | Path,
    *,
    seed: int,
    held_out: float = HELD_OUT,
    balanced: bool = False,
    projected: int = judge.PROJECTED,
    suite: SuitePath = suites.BUNDLED,
    tools: Tools | None = None,
) -> Trained:
    """Heads on the frozen encoder that give a language model's marks, evaluated on questions left out and on
    a suite of unit tests.

    The judge written is the one evaluated: it has not learned from the held-out answers.

    Parameters
    ----------
    marked : a file for `traces.read`, or traces already read
    out : folder for small_judge.json, card.json and CARD.md
    held_out : share of the questions left out for evaluation, all answers of a question together
    balanced : every class of a mark weighs alike in training
    projected : principal components of the vectors used beside the features; 0 for none
    suite : unit tests in GroUSE's format; the bundled ones unless others are named

    Raises
    ------
    InputError
        If the traces or the suite cannot be read.
    LabelError
        If there are fewer than 20 traces or 5 questions, or a line cannot be learned from.
    ValueError
        If held_out does not lie between 0 and 1.

    Source
    ------
    GroUSE sections 5.1 and 5.2, tables 3 and 4, appendix H.
    """
    given = marked if isinstance(marked, Traces) else traces.read(marked)
    learning, held = split(given, held_out, np.random.default_rng(seed))
    suites.read(suite)  # a suite that cannot be read is refused before anything is trained
    small = judge.fit(learning, projected=projected, balanced=balanced, tools=tools)
    card = evaluate(
        small,
        learning,
        held,
        {"kind": "heads", "seed": seed, "balanced": balanced, "projected": projected},
        suite,
    )
    small.save(out)
    return Trained(small, card, card.save(out))


def split(given: Traces, held_out: float, rng: np.random.Generator) -> tuple[Traces, Traces]:
    """The traces to learn from and those held out, by question. Raises as `train`."""
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must lie strictly between 0 and 1; found {held_out}")
    questions = np.unique([row["input"] for row in given.rows])
    if len(given) < FEWEST or len(questions) < FEWEST_QUESTIONS:
        found = f"{len(given)} traces of {len(questions)} questions"
        raise LabelError(
            "too few traces to train a judge",
            found=found,
            expected=f"{FEWEST} of {FEWEST_QUESTIONS} questions, or more",
        )
    n = min(max(round(held_out * len(questions)), 1), len(questions) - 2)
    left = set(rng.permutation(questions)[:n].tolist())
    places = [row["input"] in left for row in given.rows]
    kept, held = ([i for i, out in enumerate(places) if out is wanted] for wanted in (False, True))
    return given.part(kept), given.part(held)


def evaluate(small: Scorer, learning: Traces, held: Traces, settings: dict, suite: SuitePath) -> Card:
    """Agreement on the answers held out, and pass rates on the suite beside those of rules alone."""
    rng = np.random.default_rng(settings["seed"])
    agreement = alignment(held, small(held.rows), rng=rng)
    tests = suites.read(suite)
    found = examining.examine(tests, small, name="small judge")
    parts = {"learned": learning, "held out": held}
    balance = pd.concat([part.balance.assign(part=name) for name, part in parts.items()], ignore_index=True)
    instruments, notes = examining.with_baseline(tests, found), _notes(learning, balance)
    measured = (balance, agreement, instruments)
    return Card(settings, len(learning), len(held), *measured, Path(suite).name, notes)


def _notes(learning: Traces, balance: pd.DataFrame) -> tuple[str, ...]:
    learned = balance[(balance.part == "learned") & (balance.given != "unparsed")]
    by_mark = dict(list(learned.groupby("mark", sort=False)))
    alone = [
        f"{mark}: only {part.given.iloc[0]} was ever given, so the judge gives nothing else"
        for mark, part in by_mark.items()
        if len(part) == 1
    ]
    rare = [
        f"{row.mark}: {row.given} was given {row.n} times, too seldom to learn"
        for row in learned.itertuples()
        if row.n < 5
    ]
    missing = [
        f"{mark}: {n} of {len(learning)} learning traces had no readable mark"
        for mark, n in learning.parse_failures.items()
        if n
    ]
    return tuple(alone + rare + missing)
