"""What is watched in a pilot and after release: what every gate requires, and what every open finding of
Medium or worse rests on. The baseline is what a fit system must reach, never what a failing one was measured
at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import pandas as pd

from ragassay.analysis import case_scores
from ragassay.cases.case_origins import OUTSIDE, PROBE, VARIATION
from ragassay.decision.closing import criteria
from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.findings.error_findings import DECLINE, FROM_ERRORS, KINDS, NEEDLESS, UNSAFE
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_GATE, FROM_WEAKNESS
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import worst_rows
from ragassay.decision.gates.questions_needed import fewest_of_check
from ragassay.scores.display_names import display_name
from ragassay.tables import is_blank

RATERS, MACHINE, QUESTIONS = "rated answers", "every answer", "labelled questions"
ASKED_BY_KIT = (PROBE, OUTSIDE, VARIATION)  # questions that no user sends: they are asked anew
AGAIN = "asked again"  # of trials and slices, whose own criterion says when they count
SLICE = "weak slice: "
VARIATIONS = f"{FROM_CHECK}perturbation|"  # whose aspects have no words but the title's
NO_GATE = "its gate is not judged in this run"
NO_SAMPLE = "it rests on nothing that a sample, or asking again, would show"
OF_ONE_SORT = (DECLINE, NEEDLESS)  # kinds of error that only questions known to have no answer, or one, show
GRAVE = ("Critical", "High")
WORTH_WATCHING = (*GRAVE, "Medium")
SEEN_IN_ONE = (  # what one used answer shows: that the control of it does not hold
    *("secret_leak_rate", "privacy_leak_rate", "names_rate", "toxicity_rate", "toxicity_head_rate"),
    *("attack_success_rate", "attack_quoted_rate", "attack_link_rate", "misuse_answered_rate"),
    *("superseded_cited_rate", "staff_only_reach_rate"),
)
STOP, LOOK = "stop, inform the approver", "finding, cause within 30 days"


@dataclass(frozen=True)
class Watched:
    """One measure that is watched.

    seen : who sees a bad answer: RATERS, MACHINE, QUESTIONS, the answers that a kind of error is counted
        among, or trials AGAIN
    bad : the largest share of bad answers that is fit for use, in [0, 1]; NaN of what is no share
    finding : numbers of the findings it comes from, or that the gate is in; "" of a gate that raised none
    n : trials or cases of the finding; needed : how many its criterion asks
    grave : of a critical gate, or a finding that is Critical or High by itself, not by a gate that it carries
    kind : the kind of error, "" of all else; metric : what a check measures, "" of all else
    severity : of the finding, "" of a gate; source : what raised it, value and high : the share that its
        finding measured of this source and its upper end, NaN where it is not known
    """

    name: str
    state: str
    seen: str
    bad: float
    grave: bool
    finding: str = ""
    n: int = 0
    kind: str = ""
    metric: str = ""
    severity: str = ""
    needed: int = 0
    source: str = ""
    value: float = nan
    high: float = nan

    @property
    def is_sampled(self) -> bool:
        """Whether a sample of it shows a share that an alarm can be set for."""
        return self.bad > 0 and self.seen != MACHINE

    @property
    def on_a_breach(self) -> str:
        """What is done when its alarm is raised."""
        return on_a_breach(self.grave)

    @property
    def is_seen_in_one(self) -> bool:
        """Whether one used answer shows it."""
        return self.kind == UNSAFE or self.metric in SEEN_IN_ONE

    @property
    def asked_again(self) -> str:
        """Which cases are put again: new ones beside its own where its criterion asks for more."""
        if self.n >= self.needed:
            return f"its {self.n:,} cases, {AGAIN}"
        return f"at least {self.needed:,} cases of its kind, {AGAIN}: its {self.n:,} are too few"


def watched(gates: pd.DataFrame, findings: pd.DataFrame | None = None) -> list[Watched]:
    """Every gate, by the worst of its origins, with the open findings it is in; then what else every open
    finding of Medium or worse rests on."""
    rows = open_and_grave([] if findings is None else findings.to_dict("records"))
    of_gates = [_of_gate(row, rows) for row in worst_rows(gates).to_dict("records")]
    return [*of_gates, *watched_findings(rows)]


def watched_findings(rows: Sequence[Mapping]) -> list[Watched]:
    """What the open findings of Medium or worse among these rows rest on, but for gates."""
    return [each for row in open_and_grave(rows) for each in _of_finding(row)]


def on_a_breach(is_grave: bool) -> str:
    """What is done when an alarm is raised."""
    return STOP if is_grave else LOOK


def unwatched(gates: pd.DataFrame, findings: pd.DataFrame) -> dict[str, str]:
    """Number of each open finding of Medium or worse that rests on a criterion with no row, here or among
    those `asked_again` -> why; must be empty but for what no sample shows, and findings of an earlier run."""
    known = set(gates["gate"])
    rows = open_and_grave(findings.to_dict("records"))
    left = {row["finding_id"]: [each for each in sources(row) if not _has_row(each, known)] for row in rows}
    return {
        f"{row['finding_id']}{' in part' * (len(left[row['finding_id']]) < len(sources(row)))}": NO_GATE
        if left[row["finding_id"]][0].startswith(FROM_GATE)
        else NO_SAMPLE
        for row in rows
        if left[row["finding_id"]]
    }


def _has_row(source: str, gates: set[str]) -> bool:
    """Whether a table of the plan has a row for what raised a finding: a gate, a kind of error, or what is
    asked again."""
    if source.startswith(FROM_GATE):
        return source.removeprefix(FROM_GATE).partition("|")[0] in gates
    return source.removeprefix(FROM_ERRORS) in KINDS or source.startswith((FROM_CHECK, FROM_WEAKNESS))


def watched_sentence(gates: pd.DataFrame, findings: pd.DataFrame) -> str:
    """That every open finding of Medium or worse is watched, or which is not, and why."""
    left = unwatched(gates, findings)
    told = "; ".join(f"{number}: {why}" for number, why in left.items())
    every = "Every criterion of an open finding of Medium or worse has a row of one of these tables"
    return f"{every}, but for those named here. Not watched: {told}." if left else f"{every}."


def open_and_grave(rows: Sequence[Mapping]) -> list[Mapping]:
    """The open ones of Medium or worse among these rows of a register."""
    return [row for row in rows if row["severity"] in WORTH_WATCHING and row["status"] == OPEN]


def seen_by(row: Mapping) -> str:
    """Who sees a bad answer in use: raters of a sample, the machine on all answers, labelled questions."""
    if rated_by_people(row["metric"]):
        return RATERS
    return MACHINE if row["bound"] == "high" and row["origin"] not in ASKED_BY_KIT else QUESTIONS


def _of_gate(row: Mapping, findings: Sequence[Mapping]) -> Watched:
    limit = row["threshold"] if row["bound"] == "high" else 1 - row["threshold"]
    bad = min(round(limit, 9), 0.95) if case_scores.is_share(row["metric"]) else nan
    numbers = ", ".join(found["finding_id"] for found in findings if row["gate"] in _gates_of(found))
    name = f"{display_name(row['gate'])}{f' ({numbers})' if numbers else ''}"
    return Watched(name, row["outcome"], seen_by(row), bad, bool(row["critical"]), numbers)


def _gates_of(finding: Mapping) -> set[str]:
    """The gates that a finding is in, whatever the origin of their questions."""
    named = [source for source in sources(finding) if source.startswith(FROM_GATE)]
    return {source.removeprefix(FROM_GATE).partition("|")[0] for source in named}


def _of_finding(row: Mapping) -> Iterator[Watched]:
    """One for each kind of error in a finding; else one for the trials or the slice that it rests on."""
    then, grave, number = criteria.recorded(row), grave_by_itself(row), row["finding_id"]
    kinds = [source for source in sources(row) if source.removeprefix(FROM_ERRORS) in KINDS]
    for source in kinds:
        kind = source.removeprefix(FROM_ERRORS)
        tolerated = then[source].threshold if source in then else 0.0
        seen = KINDS[kind].among if kind in OF_ONE_SORT else RATERS
        named = f"{kind} ({number})"
        about: dict = {"kind": kind, "severity": row["severity"], **_measured(row, source)}
        yield Watched(named, row["status"], seen, tolerated, grave, number, **about)
    trials = [source for source in sources(row) if source.startswith(_tried(row))]
    if not kinds and trials:
        metric = trials[0].rpartition("|")[2] if trials[0].startswith(FROM_CHECK) else ""
        name = f"{_subject(trials[0], row['title'])} ({number})"
        about = {"metric": metric, "severity": row["severity"], "needed": _needed(trials[0], then)}
        about |= _measured(row, trials[0])
        yield Watched(name, row["status"], AGAIN, nan, grave, number, int(row["n"]), **about)


def _measured(row: Mapping, source: str) -> dict:
    """The share that a finding states, where it is of this source."""
    if source != row["source"]:
        return {"source": source}
    return {"source": source, "value": row.get("value", nan), "high": row.get("high", nan)}


def grave_by_itself(row: Mapping) -> bool:
    """Whether a finding is Critical or High without the gates that it carries; as a whole where that is not
    recorded."""
    return (row["severity"] if is_blank(row.get("by_itself")) else row["by_itself"]) in GRAVE


def _needed(source: str, recorded: Mapping[str, criteria.Criterion]) -> int:
    asked = recorded.get(source)
    return fewest_of_check(asked.rule, asked.fewest) if asked else 0


def _tried(row: Mapping) -> tuple[str, ...]:
    """What of a finding is put again; a slice inside a gate's own finding is watched with the gate."""
    return (FROM_CHECK,) if row["source"].startswith(FROM_GATE) else (FROM_CHECK, FROM_WEAKNESS)


def _subject(source: str, title: str) -> str:
    """What a check or a slice is about, in few words: the check and its aspect, or what the finding says."""
    if not source.startswith(FROM_CHECK):
        return f"{SLICE}{title.partition(';')[0].rstrip('.')}"
    if source.startswith(VARIATIONS):
        return title.partition(":")[0]
    return ": ".join(source.removeprefix(FROM_CHECK).split("|")[:2])
