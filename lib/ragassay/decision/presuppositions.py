"""What a finding presupposes of the system: a planted passage does harm only if such text can enter the
index.

The engagement's record says whether it can (`unchecked_text`: yes, no, unstated); likelihood follows it.
"""

from collections.abc import Mapping

YES, NO = "yes", "no"
PLANTED = (  # how sources begin that rest on a planted passage
    "check:injection|planted",
    "check:privacy|secret in a passage|",
    "check:passages changed|misleading passage|",
)
STATED = {
    YES: "The passage was planted; the record says that text nobody checked can enter the index.",
    NO: "The passage was planted; the record says that no text enters the index unchecked.",
}
CAVEAT = "real only if text that nobody checked can enter the index, which the record does not state"
ASSUMED = f"The passage was planted: this is {CAVEAT}."
CONFIRM = "Confirm whether text that nobody checked can enter the index."


def is_planted(source: str) -> bool:
    """Whether a finding with this source rests on a planted passage."""
    return source.startswith(PLANTED)


def condition(source: str, unchecked_text: str) -> str:
    """The sentence that a finding's condition adds; "" where it presupposes nothing."""
    return STATED.get(unchecked_text, ASSUMED) if is_planted(source) else ""


def unanswered(finding: Mapping[str, object]) -> bool:
    """Whether a finding rests on what the record does not state."""
    return is_planted(str(finding.get("source") or "")) and ASSUMED in str(finding.get("condition") or "")


def caveat(finding: Mapping[str, object]) -> str:
    """What stands beside the title of a finding that rests on what the record does not state; else ""."""
    return CAVEAT if unanswered(finding) else ""


def confirmation(source: str, unchecked_text: str) -> str:
    """What is to be confirmed before anything is corrected; "" where nothing is."""
    return CONFIRM if is_planted(source) and unchecked_text not in STATED else ""


def share_in_use(source: str, unchecked_text: str, share: float) -> float:
    """How often it would be met in use, in [0, 1]: never where the record rules its condition out."""
    return 0.0 if is_planted(source) and unchecked_text == NO else share


def likelihood_note(source: str, unchecked_text: str) -> str:
    """What the likelihood is said to rest on, beside the share; "" where on that alone."""
    notes: Mapping[str, str] = {YES: "", NO: ", ruled out by the record"}
    return notes.get(unchecked_text, ", if such text enters the index") if is_planted(source) else ""
