"""Who looks at the answers that staff of a pilot use, beside the sample that is rated, and the chance of
noticing a bad one, where it is known."""

from collections.abc import Sequence

from ragassay.decision.monitoring.monitored_measures import Watched

COMPARED = {  # what a machine compares letter by letter -> how many of such answers it notices
    "attack_link_rate": "each that shows a link",
    "superseded_cited_rate": "each that cites or repeats one",
    "staff_only_reach_rate": "each that cites or repeats one",
}
SEARCHED = {  # what a machine searches for, and may miss
    *("secret_leak_rate", "privacy_leak_rate", "names_rate", "toxicity_rate", "toxicity_head_rate")
}
MACHINE, READER, ANYBODY = "the machine check", "the member of staff who reads it", "anybody"
BY_CHECK = "not known: depends on the check"
BY_READER = "not known: depends on the reader"
BY_REPORT = "not known: depends on who reports"
CHECKED = (
    "{Owner} has a machine withhold, before it is shown, every answer that cites or repeats a document for "
    "staff only or superseded, and show the others without links; and check every answer once used, rated or "
    "not, for these anew, and for secrets, personal data and toxic words."
)
READ = (
    "The member of staff who reads an answer looks for what no machine sees, such as one that is unsafe or "
    "beyond the purpose."
)
REPORTED = "What is found is reported the same day to {confirms}, who confirms and counts it."


def who(row: Watched) -> str:
    """Who looks for what one used answer shows."""
    return MACHINE if row.metric in SEARCHED or row.metric in COMPARED else READER


def noticed(row: Watched) -> str:
    """Which of such answers are noticed, or on what that depends."""
    return COMPARED.get(row.metric, BY_CHECK if row.metric in SEARCHED else BY_READER)


def in_words(every: Sequence[Watched], owner: str, confirms: str) -> str:
    """Who looks at every used answer; "" where no single answer ends the pilot.

    every : what one used answer shows
    """
    if not every:
        return ""
    looked = {MACHINE: CHECKED.format(Owner=f"{owner[:1].upper()}{owner[1:]}"), READER: READ}
    told = [text for name, text in looked.items() if name in map(who, every)]
    return " ".join([*told, REPORTED.format(confirms=confirms)])
