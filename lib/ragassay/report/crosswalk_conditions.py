"""The conditions that follow from criteria of the crosswalk that are not met, by what they come before."""

from ragassay.report import crosswalk
from ragassay.report.crosswalk_criteria import BEFORE
from ragassay.report.run_folder import Run


def conditions(run: Run, *, named: bool = True) -> dict[str, str]:
    """Before what (`BEFORE`) -> the conditions that hold until then, by number and, if named, in words; only
    those that there are."""
    missed = crosswalk.unmet(run, crosswalk.rows_of(run) or [])
    told = {
        before: "; ".join(f"{each.number} ({each.criterion})" if named else each.number for each in those)
        for before in BEFORE
        if (those := [each for each in missed if each.before == before])
    }
    return told if named else {before: text.replace(";", ",") for before, text in told.items()}


def conditions_line(run: Run, *, named: bool = True) -> str:
    """The conditions of the crosswalk by what they come before, in a sentence; "" where there are none."""
    told = "; ".join(f"before {before} {those}" for before, those in conditions(run, named=named).items())
    return f"Conditions of the crosswalk ([chapter](#crosswalk)): {told}." if told else ""
