"""Train, hold out, evaluate, write: traces in, a folder with the judge and its card out."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay.errors import LabelError
from ragassay.examination import examine as examining
from ragassay.examination import unit_test_suite as suites
from ragassay.examination.judge_agreement import between_judges, marks_of_traces
from ragassay.examination.scorers import Scorer
from ragassay.examination.small_judge import judge, traces
from ragassay.examination.small_judge.traces import Traces
from ragassay.scores.shared_instruments import Tools

FEWEST, FEWEST_QUESTIONS = 20, 5
HELD_OUT = 0.2  # share of the questions kept for evaluation
SuitePath = str | Path
JSON = "card.json"


@dataclass(frozen=True)
class Card:
    """What a reader must know before believing a small judge.

    balance : mark, given, n, part (learned, held out); alignment : see `judge_agreement.between_judges`
    instruments : `examine.with_baseline`: pass rates on the suite, and those of rules alone
    notes : what could not be learned, in words
    """

    settings: dict[str, Any]
    n_learned: int
    n_held_out: int
    balance: pd.DataFrame
    alignment: pd.DataFrame
    instruments: dict[str, Any]
    suite: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it; what is undefined is null."""
        plain = {
            "settings": self.settings,
            "n_learned": self.n_learned,
            "n_held_out": self.n_held_out,
            "suite": self.suite,
        }
        tables = {"balance": _records(self.balance), "alignment": _records(self.alignment)}
        return plain | tables | {"instruments": self.instruments, "notes": list(self.notes)}

    def save(self, folder: str | Path) -> Path:
        """Write card.json into the folder; the folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        (Path(folder) / JSON).write_text(text + "\n", encoding="utf-8")
        return Path(folder)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [
        {str(name): value.item() if isinstance(value, np.generic) else value for name, value in row.items()}
        for row in rows
    ]


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
    suite: SuitePath = suites.BUNDLED,
    tools: Tools | None = None,
) -> Trained:
    """Heads on the frozen encoder that give a language model's marks, evaluated on questions left out and on
    a suite of unit tests.

    The judge written is the one evaluated: it has not learned from the held-out answers.

    Parameters
    ----------
    marked : a file for `traces.read`, or traces already read
    out : folder for small_judge.json and card.json
    held_out : share of the questions left out for evaluation, all answers of a question together
    suite : unit tests in GroUSE's format; the bundled ones unless others are named

    Raises
    ------
    InputError
        If the traces or the suite cannot be read.
    LabelError
        If there are fewer than 20 traces or 5 questions, or a line cannot be learned from.
    ValueError
        If held_out does not lie between 0 and 1.

    Source: GroUSE sections 5.1 and 5.2, tables 3 and 4, appendix H.
    """
    given = marked if isinstance(marked, Traces) else traces.read(marked)
    learning, held = split(given, held_out, np.random.default_rng(seed))
    suites.read(suite)  # a suite that cannot be read is refused before anything is trained
    small = judge.fit(learning, tools=tools)
    card = evaluate(small, learning, held, {"kind": "heads", "seed": seed}, suite)
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
    given = marks_of_traces(held.rows, small(held.rows))
    agreement = between_judges(marks_of_traces(held.rows, held.marks), given, rng=rng)
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
        f"{mark}: only {part.given.iloc[0]} was ever given"
        for mark, part in by_mark.items()
        if len(part) == 1
    ]
    rare = [f"{row.mark}: {row.given} given {row.n} times" for row in learned.itertuples() if row.n < 5]
    missing = [
        f"{mark}: {n} of {len(learning)} traces without a readable mark"
        for mark, n in learning.parse_failures.items()
        if n
    ]
    return tuple(alone + rare + missing)
