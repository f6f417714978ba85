"""How grave a failed gate is, and how grave a finding is by its own measurement at gates whose failing cases
it shares with others: as these gates would be if its own cases alone failed them."""

from collections.abc import Collection, Mapping, Sequence
from math import isnan

from ragassay.stats import Interval, clopper_pearson
from ragassay.tables import SEVERITIES

LEAST = SEVERITIES[-1]  # where its own cases alone make no gate fail
ROUNDING = 1e-9  # of a threshold taken from 1


def gate_severity(how: str, critical: bool) -> str:
    """How grave a gate is that missed on its `value`, on its `bound` alone, or is `incomplete`."""
    grave = {("value", True): "Critical", ("value", False): "High", ("bound", True): "High"}
    return grave.get((how, critical), "Medium")


def tolerated(row: Mapping) -> float:
    """The share that may fail, in [0, 1], by the threshold of a gate."""
    return float(1 - row["threshold"] if row["bound"] == "low" else row["threshold"])


def threshold(row: Mapping, failing: Sequence[str], share: float) -> dict:
    """What a gate tolerates beside what it found; share : that fails, in [0, 1], NaN of other measures."""
    found = {"share": share, "n": int(row["n"]), "failing": list(failing)}
    return {"tolerated": tolerated(row), "critical": bool(row["critical"]), **found}


def severity_alone(gates: Sequence[Mapping], own: Collection[str]) -> str:
    """The gravest of what each gate would be if, of the cases that fail it, only a finding's own did."""
    found = [_at(gate, met, own) for gate in gates for met in gate.get("thresholds", ())]
    return min(found, key=SEVERITIES.index, default=LEAST)


def _at(gate: Mapping, met: Mapping, own: Collection[str]) -> str:
    """How grave one gate would be, never graver than it is; where a case fails in part, the part that misses
    is shared out by the number of cases. The interval is exact (Clopper-Pearson)."""
    failing = dict.fromkeys(met["failing"])
    mine = sum(case in own for case in failing)
    if mine and mine == len(failing):
        return str(gate["severity"])
    if not mine or isnan(met["share"]):
        return LEAST
    bad = round(met["share"] * met["n"] * mine / len(failing))
    missed = _missed(clopper_pearson(bad, met["n"]), met["tolerated"])
    alone = gate_severity(missed, met["critical"]) if missed else LEAST
    return str(max(alone, gate["severity"], key=SEVERITIES.index))


def _missed(share: Interval, most: float) -> str:
    if share.value > most + ROUNDING:
        return "value"
    return "bound" if share.high > most + ROUNDING else ""
