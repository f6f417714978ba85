"""What is watched in a pilot and after release: what every gate requires, and what the Critical and High
findings rest on. The baseline is what a fit system must reach, never what a failing one was measured at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan

import pandas as pd

from ragassay.cases.origins import OUTSIDE, PROBE, VARIATION
from ragassay.decision import criteria, gate_texts
from ragassay.decision.earlier_findings import OPEN, sources
from ragassay.decision.error_findings import DECLINE, FROM_ERRORS, KINDS, NEEDLESS
from ragassay.decision.finding_texts import FROM_CHECK, FROM_WEAKNESS
from ragassay.decision.gate_grammar import rated_by_people
from ragassay.decision.gates import worst_rows
from ragassay.scores.names import display_name

RATERS, MACHINE, QUESTIONS = "rated answers", "every answer", "labelled questions"
ASKED_BY_KIT = (PROBE, OUTSIDE, VARIATION)  # questions that no user sends: they are asked anew
AGAIN = "asked again"  # of trials and slices, whose own criterion says when they count
SLICE = "weak slice: "
OF_ONE_SORT = (DECLINE, NEEDLESS)  # kinds of error that only questions known to have no answer, or one, show
GRAVE = ("Critical", "High")
STOP, LOOK = "stop, inform the approver", "finding, cause within 30 days"


@dataclass(frozen=True)
class Watched:
    """One measure that is watched.

    seen : who sees a bad answer: RATERS, MACHINE, QUESTIONS, the answers that a kind of error is counted
        among, or trials AGAIN
    bad : the largest share of bad answers that is fit for use, in [0, 1]; NaN of what is no share
    finding : number of the finding it comes from; "" of a gate
    n : trials or cases of the finding
    """

    name: str
    state: str
    seen: str
    bad: float
    grave: bool
    finding: str = ""
    n: int = 0

    @property
    def is_sampled(self) -> bool:
        """Whether a sample of it shows a share that an alarm can be set for."""
        return self.bad > 0 and self.seen != MACHINE

    @property
    def on_a_breach(self) -> str:
        """What is done when its alarm is raised."""
        return STOP if self.grave else LOOK


def watched(gates: pd.DataFrame, findings: pd.DataFrame | None = None) -> list[Watched]:
    """Every gate, by the worst of its origins, then every open Critical or High finding that is no gate's."""
    rows = [] if findings is None else findings.to_dict("records")
    grave = [row for row in rows if row["severity"] in GRAVE and row["status"] == OPEN]
    found = [each for row in grave for each in _of_finding(row)]
    return [*map(_of_gate, worst_rows(gates).to_dict("records")), *found]


def seen_by(row: Mapping) -> str:
    """Who sees a bad answer in use: raters of a sample, the machine on all answers, labelled questions."""
    if rated_by_people(row["metric"]):
        return RATERS
    return MACHINE if row["bound"] == "high" and row["origin"] not in ASKED_BY_KIT else QUESTIONS


def _of_gate(row: Mapping) -> Watched:
    limit = row["threshold"] if row["bound"] == "high" else 1 - row["threshold"]
    bad = min(round(limit, 9), 0.95) if gate_texts.is_share(row["metric"]) else nan
    return Watched(display_name(row["gate"]), row["outcome"], seen_by(row), bad, bool(row["critical"]))


def _of_finding(row: Mapping) -> Iterator[Watched]:
    """One for each kind of error in a finding; else one for the trials or the slice that it rests on."""
    then, grave = criteria.recorded(row), row["severity"] == "Critical"
    kinds = [source for source in sources(row) if source.removeprefix(FROM_ERRORS) in KINDS]
    for source in kinds:
        kind = source.removeprefix(FROM_ERRORS)
        tolerated = then[source].threshold if source in then else 0.0
        seen = KINDS[kind].among if kind in OF_ONE_SORT else RATERS
        yield Watched(
            f"{kind} ({row['finding_id']})", row["status"], seen, tolerated, grave, row["finding_id"]
        )
    trials = [source for source in sources(row) if source.startswith((FROM_CHECK, FROM_WEAKNESS))]
    if not kinds and trials:
        name = f"{_subject(trials[0], row['title'])} ({row['finding_id']})"
        yield Watched(name, row["status"], AGAIN, nan, grave, row["finding_id"], int(row["n"]))


def _subject(source: str, title: str) -> str:
    """What a check or a slice is about, in few words: the check and its aspect, or what the finding says."""
    if not source.startswith(FROM_CHECK):
        return f"{SLICE}{title.rstrip('.')}"
    return ": ".join(source.removeprefix(FROM_CHECK).split("|")[:2])
