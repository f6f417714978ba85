"""The conditions that follow from criteria of the crosswalk that are not met, by what they come before."""

from ragassay.decision.recommendation import PILOT
from ragassay.report import crosswalk
from ragassay.report.crosswalk_criteria import BEFORE, SIGN_OFF, SIGNATURE
from ragassay.report.run_folder import Run

PRECEDE = (
    " A pilot is a use, and {signature} asks for a signed report before any: {first} precede a pilot too."
)


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


def order(run: Run) -> str:
    """That what comes before sign-off also precedes a pilot, where no use is allowed before the signature;
    "" where it is not so, or there is no pilot."""
    missed = crosswalk.unmet(run, crosswalk.rows_of(run) or [])
    signature = next((each.number for each in missed if each.criterion == SIGNATURE), "")
    first = ", ".join(each.number for each in missed if each.before == SIGN_OFF)
    if (run.decision or {}).get("recommendation") != PILOT or not (signature and first):
        return ""
    return PRECEDE.format(first=first, signature=signature)
