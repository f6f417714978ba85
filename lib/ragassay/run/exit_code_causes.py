"""Why a run ended with its exit code: the gates and findings that made it so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ragassay.decision.gates import FAIL, INCOMPLETE
from ragassay.errors import KitError
from ragassay.report.decision_words import gate_words
from ragassay.run import gate_results

GATE, FINDING, NOTEBOOK = "gate", "finding", "notebook"
WORDS = {
    (GATE, FAIL): "{n} failed gate(s): {names}",
    (GATE, INCOMPLETE): "{n} gate(s) without enough evidence: {names}",
    (FINDING, "open"): "{n} open grave finding(s): {names}",
    (NOTEBOOK, "not executed"): "{n} notebook(s) not executed: {names}",
}


@dataclass(frozen=True)
class Cause:
    """One gate, finding or notebook: its name, what became of it, and why in words."""

    kind: str
    name: str
    outcome: str
    reason: str = ""

    def as_record(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


def of_run(run_dir: Path, exit_code: int) -> list[Cause]:
    """The causes of a finished run's exit code: failed gates that decide and open grave findings of 2, gates
    without enough evidence of 3; none of 0, or where its tables do not tell."""
    if exit_code == gate_results.PASSED:
        return []
    try:
        results = gate_results.read(run_dir)
    except KitError:
        return []
    wanted = FAIL if exit_code == gate_results.FAILED else INCOMPLETE
    gates = [row for row in results.gates if row["decides"] and row["outcome"] == wanted]
    findings = results.findings if wanted == FAIL else []
    return [
        *(Cause(GATE, f"{row['gate']} [{row['origin']}]", wanted, gate_words(row)) for row in gates),
        *map(_of_finding, findings),
    ]


def of_notebooks(names: Iterable[str]) -> list[Cause]:
    """That these notebooks have to be executed still."""
    why = "it was left out; `ragassay run` without --only executes it"
    return [Cause(NOTEBOOK, name, "not executed", why) for name in names]


def _of_finding(row: Mapping[str, str]) -> Cause:
    return Cause(FINDING, f"{row['finding_id']} ({row['severity']})", "open", row["title"])


def in_words(causes: Sequence[Cause]) -> str:
    """The causes in a line, each kind with its names; "" without any."""
    groups: dict[tuple[str, str], list[str]] = {}
    for cause in causes:
        groups.setdefault((cause.kind, cause.outcome), []).append(cause.name)
    return "; ".join(WORDS[key].format(n=len(names), names=", ".join(names)) for key, names in groups.items())
