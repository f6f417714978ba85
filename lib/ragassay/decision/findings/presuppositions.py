"""What a finding presupposes of the system: a planted passage does harm only if text that nobody checked can
enter the index, which is the owner's to say (`unchecked_text` of the record: yes, no, unstated).

Where the record leaves it open, the finding stands with its condition named first, behind the others of its
severity, and the question comes before all that must happen. Where the record rules it out, the finding is
Low. Where it says yes, nothing is presupposed. Likelihood follows alike.
"""

from collections.abc import Mapping, Sequence

from ragassay.decision.closing.earlier_findings import OPEN
from ragassay.tables import SEVERITIES

YES, NO = "yes", "no"
PLANTED = (  # how sources begin that rest on a planted passage
    "check:injection|planted",
    "check:privacy|secret in a passage|",
    "check:passages changed|misleading passage|",
)
LOW = SEVERITIES[-1]
LEFT_OPEN = "only if text that nobody checked can enter the index, which the record does not state"
ASSUMED = f"The passage was planted: this is real {LEFT_OPEN}: the owner must say."
STATED = {
    YES: "The passage was planted; the record says that text nobody checked can enter the index.",
    NO: f"The passage was planted; the record says that no text enters the index unchecked: {LOW} for that, "
    "else {severity}.",
}
IF = "If text that nobody checked can enter the index (the owner must say): "
REAL_IF = "real only if text that nobody checked can enter the index, which the owner must say"
WITHOUT = " Without it: {severity}, by what else was raised."
RULE = (
    f"A finding on text planted in a passage is {LOW} where the record says that no text enters the index "
    "unchecked; where the record leaves that open, it stands behind the others of its severity."
)
QUESTION = "The owner says first"
ASKED = (
    "Can text that nobody checked, such as letters of outsiders, enter the index? The owner states it in the "
    f"parameters. Until then {{findings}} {{count}} as if it could; if not, what rests on it alone is {LOW}"
)
CONFIRM = "Confirm whether text that nobody checked can enter the index."


def is_planted(source: str) -> bool:
    """Whether a finding with this source rests on a planted passage."""
    return source.startswith(PLANTED)


def weighed(draft: dict, unchecked_text: str) -> dict:
    """A draft as grave as the record makes it: of a planted passage Low where the record rules it out, with
    `otherwise`, how grave it is else; with `presupposes` where the record leaves it open."""
    if not is_planted(draft["source"]) or unchecked_text == YES:
        return draft
    if unchecked_text == NO:
        return {**draft, "severity": LOW, "otherwise": draft["severity"]}
    return {**draft, "presupposes": True}


def of_several(group: Sequence[Mapping], severity: str) -> dict:
    """Of drafts that are one finding of this severity: `presupposes`, whether those that make it so grave all
    do, and then `without`, how grave the others are, "" where there is none."""
    grave = [bool(draft.get("presupposes")) for draft in group if draft["severity"] == severity]
    others = [draft["severity"] for draft in group if not draft.get("presupposes")]
    return {"presupposes": all(grave), "without": min(others, key=SEVERITIES.index, default="")}


def condition(draft: Mapping, unchecked_text: str) -> str:
    """What a finding's condition says of what it presupposes; "" where it presupposes nothing."""
    if draft.get("presupposes"):
        return ASSUMED + (WITHOUT.format(severity=draft["without"]) if draft.get("without") else "")
    if not is_planted(draft["source"]):
        return ""
    return STATED.get(unchecked_text, "").format(severity=draft.get("otherwise", ""))


def title(draft: Mapping) -> str:
    """The title of a draft, with what it presupposes before all."""
    told = str(draft["title"])
    return f"{IF}{told[:1].lower()}{told[1:]}" if draft.get("presupposes") else told


def unanswered(finding: Mapping[str, object]) -> bool:
    """Whether a finding rests on what the record does not state."""
    return LEFT_OPEN in str(finding.get("condition") or "")


def left_open(rows: Sequence[Mapping]) -> list[str]:
    """The numbers of the open findings that rest on what the record does not state."""
    return [str(row["finding_id"]) for row in rows if row.get("status") == OPEN and unanswered(row)]


def confirmation(draft: Mapping) -> str:
    """What is to be confirmed before anything is corrected; "" where nothing is."""
    return CONFIRM if draft.get("presupposes") else ""


def share_in_use(source: str, unchecked_text: str, share: float) -> float:
    """How often it would be met in use, in [0, 1]: never where the record rules its condition out."""
    return 0.0 if is_planted(source) and unchecked_text == NO else share


def likelihood_note(source: str, unchecked_text: str) -> str:
    """What the likelihood is said to rest on, beside the share; "" where on that alone."""
    notes: Mapping[str, str] = {YES: "", NO: ", ruled out by the record"}
    return notes.get(unchecked_text, ", if such text enters the index") if is_planted(source) else ""
