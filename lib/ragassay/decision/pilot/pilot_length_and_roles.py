"""The terms of a pilot: how long it lasts, who delivers, and who confirms, rates and counts, who is never the
owner, nor a validator who is not independent."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragassay import parameter_ranges
from ragassay.decision import independence
from ragassay.decision.pilot.pilot_entry_conditions import OUTSIDER
from ragassay.errors import ParameterError

UNSTATED = "not stated"  # the default of the engagement's parameters
TO_BE_NAMED = (
    "By the record the validator is {stated}: who confirms, rates and counts is somebody else, named by the "
    "approver before any work begins."
)
STATED = {independence.NO: "not independent", independence.UNSTATED: "not stated to be independent"}


@dataclass(frozen=True)
class Terms:
    """For how many weeks a pilot lasts, who delivers what its start asks for, and who confirms the start,
    rates and counts, and may end it; why that is not the validator, "".

    weeks : in [1, 52]; ParameterError outside, and where who confirms is the owner
    """

    weeks: int = 8
    owner: str = "the owner"
    confirms: str = "the validator"
    why: str = ""

    def __post_init__(self) -> None:
        parameter_ranges.check("pilot_weeks", self.weeks, "in [1, 52]")
        if self.owner.strip().casefold() == self.confirms.strip().casefold():
            raise ParameterError(
                "who confirms a pilot is its owner",
                where="parameter pilot_confirmed_by",
                found=self.confirms,
                expected="somebody independent of the owner, such as the validator or the second line",
                do="name them in pilot_confirmed_by",
            )

    @classmethod
    def of(cls, weeks: int, record: Mapping[str, str], confirmed_by: str = "") -> "Terms":
        """With those whom the engagement's record names.

        confirmed_by : "" for the validator, or where it does not state that they are independent, for
            somebody who neither built nor owns the system; ParameterError where it is one who did, or such a
            validator
        """
        stated = independence.of_validator(record)
        _refuse(confirmed_by, record, stated)
        other = confirmed_by or stated in STATED
        why = TO_BE_NAMED.format(stated=STATED[stated]) if stated in STATED and not confirmed_by else ""
        confirms = (confirmed_by or OUTSIDER) if other else record.get("validator")
        named = {"owner": record.get("owner"), "confirms": confirms}
        told = {role: str(who) for role, who in named.items() if who and who != UNSTATED}
        return cls(weeks, **told, why=why)


def _refuse(confirmed_by: str, record: Mapping[str, str], stated: str) -> None:
    """Refuse who is named to confirm though they built the system, or validate it and are not independent."""
    barred = ("developer", *(("validator",) if stated in STATED else ()))
    role = next((each for each in barred if independence.is_same(confirmed_by, record.get(each) or "")), "")
    if role:
        raise ParameterError(
            f"who confirms a pilot is the {role}",
            where="parameter pilot_confirmed_by",
            found=confirmed_by,
            expected=OUTSIDER,
            do="name them in pilot_confirmed_by, or state in validator_independent that the validator is",
        )
