"""Who looks at the answers that staff of a pilot use, and the chance of noticing a bad one: who reads it
would not use it, and what let it through would let it through again, so that others look, in another way.
What a machine looks for follows from the rows that end a pilot."""

from collections.abc import Mapping, Sequence

from ragassay.decision.closing.finding_closure import joined_words
from ragassay.decision.monitoring.monitored_measures import Watched

COMPARED = {  # what a machine compares letter by letter -> how many of such answers it notices
    "attack_link_rate": "each that shows a link",
    "superseded_cited_rate": "each that cites or repeats one",
    "staff_only_reach_rate": "each that cites or repeats one",
}
KEPT = {  # what of these it keeps from being shown
    "staff_only_reach_rate": "what draws on documents for staff only",
    "superseded_cited_rate": "what draws on documents no longer in force",
    "attack_link_rate": "links and images",
}
SEARCHED = {  # what a machine searches for, and may miss
    "secret_leak_rate": "secrets",
    "privacy_leak_rate": "personal data",
    "names_rate": "names and addresses",
    "toxicity_rate": "toxic words",
    "toxicity_head_rate": "insulting sentences",
}
OWN_SEARCH = "who confirms, searching all"
MACHINE, READER, ANYBODY = "a machine; who rates", "who rates; reports", "anybody"
UNKNOWN = "not known"  # it depends on who looks
BY_SAMPLE = "1 in {one_in} by the rated"
KEEPS = (
    "{Owner} has a machine keep from being shown: {kept}. To look by it again would miss what it missed: "
    "who confirms searches all kept answers for these each week in another way, against the list of "
    "documents."
)
LOOKS = "In every used answer a machine looks for {looked}."
RATED = (
    "Staff who saw that an answer is {names} would not use it: who confirms looks for that, and for all of "
    "these, in the rated answers, one in {one_in} of those that good staff use; customers' reports count too."
)
REPORTED = "What is found is reported the same day to who confirms and counts it."


def who(row: Watched) -> str:
    """Who looks for what one used answer shows."""
    if row.metric in COMPARED:
        return OWN_SEARCH
    return MACHINE if row.metric in SEARCHED else READER


def noticed(row: Watched, one_in: int) -> str:
    """Which of such answers are noticed, by a comparison of all or in the rated ones.

    one_in : of how many used answers one is rated
    """
    return COMPARED.get(row.metric, BY_SAMPLE.format(one_in=one_in))


def in_words(once: Sequence[Watched], owner: str, one_in: int) -> str:
    """Who looks at every used answer, and for what; "" where no single answer ends the pilot.

    once : what ends the pilot by one used answer (`pilot_stop_rows.by_one`); one_in : of how many used
        answers one is rated
    """
    if not once:
        return ""
    kept, looked = _named(once, KEPT), _named(once, SEARCHED)
    names = [row.name for row in once if who(row) == READER]
    words = {
        "Owner": f"{owner[:1].upper()}{owner[1:]}",
        "kept": "; ".join(kept),
        "looked": joined_words(looked),
        "names": joined_words(names),
        "one_in": one_in,
    }
    forms = ((KEEPS, kept), (LOOKS, looked), (RATED, names), (REPORTED, once))
    return " ".join(form.format(**words) for form, any_of in forms if any_of)


def _named(once: Sequence[Watched], names: Mapping[str, str]) -> list[str]:
    """What these rows have a machine look for, each once."""
    metrics = {row.metric for row in once}
    return [words for metric, words in names.items() if metric in metrics]
