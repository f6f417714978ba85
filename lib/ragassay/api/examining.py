"""`ragassay.examine`: a suite of unit tests in, what a scorer or judge gets right out, beside rules alone."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ragassay import plots
from ragassay.api.scoring import drawn, table_html
from ragassay.errors import ParameterError
from ragassay.examination import examine as examining
from ragassay.models import load_instrument
from ragassay.show import clean
from ragassay.stats import interval_text


@dataclass(frozen=True)
class Examined(examining.Examination):
    """An examination of a suite, `tests`, that can be looked at."""

    tests: tuple[examining.UnitTest, ...]

    def plot(self) -> Figure:
        """The pass rates with their intervals: in all, by mark, by type of test."""
        return drawn(plots.forest(self.summary(), x="value", y="name", percent=True))

    def to_json(self) -> str:
        """Pass rates of the scorer and of the baseline, each value, low, high, n."""
        found = examining.with_baseline(self.tests, self)
        return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        """The pass rates, beside those of rules alone."""
        ours, rules = self.summary(), examining.examine(self.tests, examining.rules_alone).summary()
        width = ours["name"].map(len).max()
        lines = [f"{self.name}: {len(self.tests)} tests, {self.parse_failures} marks unparsed"]
        for row, alone in zip(ours.itertuples(), rules["value"], strict=True):
            rate = interval_text(row.value, row.low, row.high, 3)
            lines.append(f"  {row.name:<{width}}  {rate} n={row.n}   rules alone {alone:.3f}")
        return clean("\n".join(lines), 0)

    def _repr_html_(self) -> str:
        return table_html(self.summary(), f"{self.name}: pass rates on {len(self.tests)} unit tests")


def examine(
    tests: str | Path | None = None,
    scorer: Path | str | examining.Scorer = "offline",
    judge: Any = None,
    **named: str,
) -> Examined:
    """Examine a scorer on unit tests of evaluators.

    Parameters
    ----------
    tests : a suite in GroUSE's format; None: the bundled one, 144 tests on nine banking questions
    scorer : "offline" (our metrics), "judge" (a language model, named by `judge`), "rules", the folder of a
        small judge, or a callable
    judge : `models.judge.Judge`
    named : entailment, thresholds, support and device in place of the run's (docs/bigger-models.md)

    Raises InputError if the suite cannot be read, ModelError if a model named cannot be used or the device is
    not on this machine, ParameterError if there is no such scorer, or no judge is named for "judge".
    """
    read = examining.read_suite(examining.BUNDLED if tests is None else tests)
    with load_instrument.use_models(**named):
        found = examining.examine(read, find_scorer(scorer, judge), name=str(scorer))
    return Examined(found.name, found.checks, tuple(read))


def find_scorer(scorer: str | Path | examining.Scorer, judge: Any = None) -> examining.Scorer:
    """The scorer of a name, as for `examine`; ParameterError if there is none."""
    if callable(scorer):
        return scorer
    if scorer == "judge" and judge is not None:
        return examining.judged_by(judge)
    if scorer in ("offline", "rules"):
        return examining.offline if scorer == "offline" else examining.rules_alone
    if scorer != "judge" and Path(scorer).is_dir():
        from ragassay.examination import small_judge

        return small_judge.load(Path(scorer))
    raise ParameterError(
        "there is no such scorer",
        found=scorer,
        expected="offline, rules, the folder of a small judge; judge with --judge NAME@URL",
    )
