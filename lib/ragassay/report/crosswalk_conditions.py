"""The conditions that follow from criteria of the crosswalk that are not met, by what they come before."""

from ragassay.decision.closing.finding_phases import RELEASE, START
from ragassay.decision.recommendation import PILOT
from ragassay.report import crosswalk
from ragassay.report.crosswalk_criteria import BEFORE, OF_RELEASE, SIGN_OFF, SIGNATURE
from ragassay.report.run_folder import Run

PRECEDE = (
    " A pilot is a use, and {signature} asks for a signed report before any: {first} precede a pilot too."
)


def conditions_by_place(run: Run) -> dict[str, list[str]]:
    """Place of `finding_phases.PLACES` -> the numbers of the conditions that hold before it: those before
    sign-off or any use come before a pilot, where one is recommended."""
    has_pilot = (run.decision or {}).get("recommendation") == PILOT
    place_of = {before: RELEASE if before == OF_RELEASE or not has_pilot else START for before in BEFORE}
    missed = [each for each in _unmet(run) if each.before in place_of]
    return {
        place: [each.number for each in missed if place_of[each.before] == place]
        for place in (START, RELEASE)
    }


def conditions(run: Run) -> dict[str, str]:
    """Before what (`BEFORE`) -> the conditions that hold until then, by number and in words; only those that
    there are."""
    missed = _unmet(run)
    told = {
        before: "; ".join(f"{each.number} ({each.criterion})" for each in missed if each.before == before)
        for before in BEFORE
    }
    return {before: those for before, those in told.items() if those}


def conditions_line(run: Run) -> str:
    """The conditions of the crosswalk by what they come before, in a sentence; "" where there are none."""
    told = "; ".join(f"before {before} {those}" for before, those in conditions(run).items())
    return f"Conditions of the crosswalk ([chapter](#crosswalk)): {told}." if told else ""


def order(run: Run) -> str:
    """That what comes before sign-off also precedes a pilot, where no use is allowed before the signature;
    "" where it is not so, or there is no pilot."""
    missed = _unmet(run)
    signature = next((each.number for each in missed if each.criterion == SIGNATURE), "")
    first = ", ".join(each.number for each in missed if each.before == SIGN_OFF)
    if (run.decision or {}).get("recommendation") != PILOT or not (signature and first):
        return ""
    return PRECEDE.format(first=first, signature=signature)


def _unmet(run: Run) -> list[crosswalk.Unmet]:
    return crosswalk.unmet(run, crosswalk.rows_of(run) or [])
