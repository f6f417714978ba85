"""The answers that fail a gate, by kind of error: each counted once in the row of a gate, and once over all
gates, however many it fails; and which findings share these gates."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ragassay.analysis.error_taxonomy import ASTRAY, GOOD
from ragassay.decision.closing.earlier_findings import OPEN, sources
from ragassay.decision.closing.finding_closure import joined_words
from ragassay.decision.findings.decline_kinds import BY_THE_GUIDE, OF_THE_CHOICE
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_GATE, Draft, gate_source
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import FAIL
from ragassay.tables import CATEGORIES, is_blank

TABLE = "Answers that fail a gate, by kind of error"
CRITICAL, EVERY = "any critical gate, each answer once", "any gate, each answer once"
GRAVEST = (*CATEGORIES[-2::-1], CATEGORIES[-1])  # kinds, the gravest first, what nobody judged last


@dataclass(frozen=True)
class FailingAnswers:
    """`table`: a row a failed gate, then each answer once over all critical gates, and over all; how many
    these are (`critical`, `every`), of `n` answers, and the findings that share a critical gate with others
    and are as grave as it only by that (`sharing`), with their severity by themselves; which of these
    are errors in the choice to answer or decline (`of_the_choice`); how many answers would lead their user
    astray (`astray`: misleading, should have declined, unsafe)."""

    table: pd.DataFrame
    critical: int
    every: int
    n: int
    sharing: Mapping[str, str]
    of_the_choice: Sequence[str] = ()
    astray: int = 0

    def note(self) -> str:
        """What stands below the table: why its rows do not add up, and how severity follows."""
        if self.table.empty:
            return ""
        told = f"In all {self.every} of {self.n} answers fail a gate, {self.critical} a critical one."
        once = f"An answer that fails several gates stands in the row of each: the rows do not add up. {told}"
        return f"{once} {self._severity()}".strip()

    def _severity(self) -> str:
        """Which findings are so grave only by gates that they share, and why."""
        told = [
            f"{joined_words(numbers)} {'are' if len(numbers) > 1 else 'is'} {severity} by "
            f"{'themselves' if len(numbers) > 1 else 'itself'}"
            for severity, numbers in self._by_severity().items()
        ]
        why = "what holds a tenth or more of the answers that fail a gate is as grave as the gate"
        return " ".join([f"{'; '.join(told)}: {why}.", *self._guide()]) if told else ""

    def _guide(self) -> list[str]:
        """Which of these weigh as they do in raters' gates by how raters count such a reply."""
        named = joined_words(list(self.of_the_choice))
        return [f"Of {named} {BY_THE_GUIDE}."] if named else []

    def _by_severity(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for number, severity in self.sharing.items():
            found.setdefault(severity, []).append(number)
        return found

    def in_short(self) -> str:
        """`145 of 264 answers fail a critical gate, each counted once`, and who is so grave only by sharing
        gates, for the summary; "" where none fails one."""
        numbers = list(self.sharing)
        are = "are" if len(numbers) > 1 else "is"
        shared = f"; {joined_words(numbers)} {are} so grave only by sharing gates" if numbers else ""
        astray = (
            f", {self.astray} of them misleading, unsafe or given where declining was right"
            if self.astray
            else ""
        )
        told = f"{self.critical} of {self.n} answers fail a critical gate, each counted once{astray}{shared}"
        return told if self.critical else ""


def count(
    gates: pd.DataFrame, drafts: Sequence[Draft], findings: pd.DataFrame, taxonomy: pd.DataFrame | None
) -> FailingAnswers:
    """The failing answers of the gates that failed.

    drafts : of these gates, each with `source` and `failing`; findings : with finding_id, source, also,
        status, severity and by_itself; taxonomy : case_id and category, where answers were classified
    """
    failed = {gate_source(row): row for row in _failed(gates)}
    own = [
        (failed[draft["source"]], set(draft["failing"]))
        for draft in drafts
        if draft["source"] in failed and draft["failing"]
    ]
    critical = set().union(*(cases for row, cases in own if row["critical"]))
    every = set().union(*(cases for _, cases in own))
    alone = _findings_of_gates(findings)
    rows = [(_named(row, alone), "yes" if row["critical"] else "no", cases) for row, cases in own]
    rows += [(CRITICAL, "yes", critical)] * bool(critical) + [(EVERY, "", every)] * (every > critical)
    kinds = _kinds(taxonomy)
    return FailingAnswers(
        _table(rows, kinds, _numbers(findings)),
        len(critical),
        len(every),
        max((int(row["n"]) for row, _ in own), default=0),
        sharing := _sharing(findings),
        _of_the_choice(findings, sharing),
        sum(kinds.get(case) in ASTRAY for case in critical),
    )


def _findings_of_gates(findings: pd.DataFrame) -> dict[str, str]:
    """Source of a gate on instruments -> the open finding that it is by itself."""
    rows = findings[findings["status"] == OPEN].to_dict("records")
    gates = [row for row in rows if str(row["source"]).startswith(FROM_GATE) and not _is_of_raters(row)]
    return {source: row["finding_id"] for row in gates for source in sources(row)}


def _named(row: Mapping, alone: Mapping[str, str]) -> str:
    """A gate's name, with its finding where that is the gate by itself: `retrieval recall (F10)`."""
    number = alone.get(gate_source(row))
    return f"{gate_texts.name(row)}{f' ({number})' if number else ''}"


def _failed(gates: pd.DataFrame) -> list[dict]:
    return gates[(gates["outcome"] == FAIL) & gates["decides"].astype(bool)].to_dict("records")


def _table(rows: Sequence[tuple], kinds: Mapping[str, str], numbers: Mapping[str, str]) -> pd.DataFrame:
    """A column for each kind of which there are any, the gravest first, headed by it and its finding."""
    counts = [Counter(kinds[case] for case in cases if case in kinds) for *_, cases in rows]
    named = [kind for kind in GRAVEST if any(count[kind] for count in counts)]
    heads = {kind: f"{kind} {numbers.get(kind, '')}".strip() for kind in named}
    told = [
        {"gate": gate, "critical": critical, "answers that fail": len(cases)}
        | {heads[kind]: count[kind] for kind in named}
        for (gate, critical, cases), count in zip(rows, counts, strict=True)
    ]
    return pd.DataFrame(told)


def _kinds(taxonomy: pd.DataFrame | None) -> dict[str, str]:
    """Case -> its category."""
    return {} if taxonomy is None else dict(zip(taxonomy["case_id"], taxonomy["category"], strict=True))


def _numbers(findings: pd.DataFrame) -> dict[str, str]:
    """Kind of error -> `(F4)`, the open finding that counts it; what no finding on errors counts is in that
    on the gates of raters."""
    rows = findings[findings["status"] == OPEN].to_dict("records")
    rest = next((f"({row['finding_id']})" for row in rows if _is_of_raters(row)), "")
    found = {source: f"({row['finding_id']})" for row in rows for source in sources(row)}
    return {kind: found.get(f"{FROM_ERRORS}{kind}", rest) for kind in CATEGORIES if kind != GOOD}


def _is_of_raters(row: Mapping) -> bool:
    source = str(row["source"])
    return source.startswith(FROM_GATE) and rated_by_people(source.removeprefix(FROM_GATE).partition("|")[0])


def _sharing(findings: pd.DataFrame) -> dict[str, str]:
    """The open findings that are graver than by themselves, with their severity by themselves."""
    return {
        row["finding_id"]: row["by_itself"]
        for row in findings[findings["status"] == OPEN].to_dict("records")
        if not is_blank(row.get("by_itself")) and row["by_itself"] != row["severity"]
    }


def _of_the_choice(findings: pd.DataFrame, numbers: Collection[str]) -> list[str]:
    """The findings with these numbers on errors in the choice to answer or decline."""
    rows = findings[findings["finding_id"].isin(list(numbers)) & findings["source"].isin(OF_THE_CHOICE)]
    return rows["finding_id"].tolist()
