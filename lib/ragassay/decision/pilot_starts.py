"""What must be shown before a pilot starts: that grave findings are closed or held by their interim controls,
and that staff find the bad answers. The owner delivers it; who is independent of the owner confirms it."""

from collections.abc import Mapping

import pandas as pd

from ragassay.analysis.checks import CLEAR_UP_TO, TO_CLEAR
from ragassay.decision import independence, one_version
from ragassay.decision.earlier_findings import OPEN
from ragassay.decision.finding_texts import FROM_PROCESS
from ragassay.decision.reading import Reading
from ragassay.decision.recommendation import controls_of, named
from ragassay.decision.watched import GRAVE
from ragassay.stats import percent_text

STARTS = ["before it starts", "finding", "who delivers", "who confirms"]
CLOSED_OR_PROVEN = (
    f"Closed, or its control proven on {TO_CLEAR} cases without a failure (at most "
    f"{percent_text(CLEAR_UP_TO)} fail): {{control}}"
)
CLOSED_OR_SEARCHED = "Closed, or done and shown by a search of every indexed document: {control}"
OF_PROCESS = {  # source of a finding on how this validation was made -> what has to be shown
    independence.SOURCE: "Closed, or somebody who neither built nor owns the system confirms these and rates "
    "the answers.",
    one_version.SOURCE: "Closed, or the pilot uses one version, named beforehand, of which every answer is.",
}
OUTSIDER = "Whoever that is"
IN_FORCE = "Every other interim control in force, and briefed to all staff of the pilot."


def start_conditions(findings: pd.DataFrame, reading: Reading, owner: str, confirms: str) -> pd.DataFrame:
    """A row per interim control of the open Critical findings, one for those of the High ones, and that
    reading works, which is the control of those that have no other; columns STARTS."""
    rows = [row for row in findings.to_dict("records") if row["severity"] in GRAVE and row["status"] == OPEN]
    asked: dict[str, list[Mapping]] = {}
    for row in rows:
        for text in dict.fromkeys(_shown(row["severity"], each) for each in controls_of(row) if each):
            held = asked.setdefault(text, [])
            held += [] if any(each is row for each in held) else [row]
    others = [row for row in rows if not any(controls_of(row)) and not row["source"].startswith(FROM_PROCESS)]
    told = [(text, named(held)[0]) for text, held in asked.items()]
    told.append((reading_condition(reading), named(others)[0] or "all"))
    shown = [(*each, owner, confirms) for each in told]
    of_process = [row for row in rows if row["source"] in OF_PROCESS]
    shown += [(OF_PROCESS[row["source"]], named([row])[0], owner, OUTSIDER) for row in of_process]
    return pd.DataFrame(shown, columns=STARTS)


def reading_condition(reading: Reading) -> str:
    """The test of reading as a start condition; why there is none, where so few answers are bad."""
    kept = (
        f"of the answers that they use at most {percent_text(reading.ceiling)} are bad in any respect, and "
        f"{percent_text(reading.tolerated)} mislead"
    )
    if reading.most_through >= 1:
        return f"Reading need not be proven: even if staff used every answer, {kept}."
    if not reading.plans:
        return f"Reading cannot be proven: {reading.why_not()}."
    (none, n), *more = reading.plans
    others = "".join(f", or {through} of {size}" for through, size in more)
    through = percent_text(reading.most_through, 1)
    return (
        f"Reading proven: staff are given answers that raters rejected ({_source(reading, n)}), unmarked "
        f"among as many accepted ones, and let through {none or 'none'} of {n} rejected ones{others} (which "
        f"of these is fixed beforehand). So they let through at most {through} of the bad answers (95 %), "
        f"and {kept}."
    )


def _source(reading: Reading, needed: int) -> str:
    more = " and others, rated alike, of new questions" if needed > reading.rated.bad else ""
    return f"those of this run, {reading.rated.bad}{more}"


def _shown(severity: str, control: Mapping[str, str]) -> str:
    """What a start condition asks of a finding's control: no trial shows that documents are clear."""
    if severity != GRAVE[0]:
        return IN_FORCE
    form = CLOSED_OR_SEARCHED if control["shown_by"] == "documents" else CLOSED_OR_PROVEN
    return form.replace("{control}", control["control"])
