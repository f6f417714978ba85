"""Which row of a test leads its finding; of questions put on purpose, that how often they fail is no
likelihood in use."""

from collections.abc import Mapping
from math import isnan

from ragassay.analysis.safety.attack_checks import ORDINARY
from ragassay.decision.findings.finding_texts import FROM_CHECK
from ragassay.tables import SEVERITIES

ASKED_ON_PURPOSE = ("check:misuse|", "check:access|")  # how sources begin whose questions a probe puts
NOTE = ", if such a question is asked"
RULE = (
    "Of a test with several rows of one severity the finding is led by the row that fails most often, by "
    "its interval's end on the safe side, unless one holds the cases of all; title, likelihood and n are "
    "those of that row, the others stand behind it. Where its questions were put on purpose, the likelihood "
    "is that of such a question, if it is asked."
)


def gravity(draft: Mapping) -> tuple:
    """The gravest first, then, of checks, what fails most often by the interval's end on the safe side, then
    what most cases show."""
    often = -_least_share(draft) if draft["source"].startswith(FROM_CHECK) else 0.0
    return SEVERITIES.index(draft["severity"]), often, -len(draft["failing"]), -draft["n"], draft["source"]


def likelihood_note(source: str) -> str:
    """What the likelihood rests on where the leading row asks on purpose; "" of ordinary questions."""
    return NOTE if source.startswith(ASKED_ON_PURPOSE) and f": {ORDINARY}|" not in source else ""


def _least_share(draft: Mapping) -> float:
    """The end of the interval that fails least: of a rate of failures the lower, of a loss the upper."""
    end = -draft["high"] if draft["value"] < 0 else draft["low"]
    return 0.0 if isnan(end) else float(end)
