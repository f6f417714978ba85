"""Who looks at the answers that staff of a pilot use, beside the sample that is rated, and the chance of
noticing a bad one, where it is known. What a machine looks for follows from the rows that end a pilot."""

from collections.abc import Mapping, Sequence

from ragassay.decision.closing.finding_closure import joined_words
from ragassay.decision.monitoring.monitored_measures import Watched

COMPARED = {  # what a machine compares letter by letter -> how many of such answers it notices
    "attack_link_rate": "each that shows a link",
    "superseded_cited_rate": "each that cites or repeats one",
    "staff_only_reach_rate": "each that cites or repeats one",
}
KEPT = {  # what of these it keeps from being shown, and looks for again in what was used
    "staff_only_reach_rate": "what cites or repeats a document for staff only",
    "superseded_cited_rate": "what cites or repeats a document no longer in force",
    "attack_link_rate": "links and images",
}
SEARCHED = {  # what a machine searches for, and may miss
    "secret_leak_rate": "secrets",
    "privacy_leak_rate": "personal data",
    "names_rate": "names and addresses",
    "toxicity_rate": "toxic words",
    "toxicity_head_rate": "insulting sentences",
}
MACHINE, READER, ANYBODY = "a machine", "who reads it", "anybody"
UNKNOWN = "not known"  # it depends on who looks
KEEPS = "{Owner} has a machine keep from being shown: {kept}."
LOOKS = "In every used answer, rated or not, a machine looks for {looked}."
READS = "The member of staff who reads an answer looks for what no machine sees: {names}."
REPORTED = "What is found is reported the same day to {confirms}, who confirms and counts it."


def who(row: Watched) -> str:
    """Who looks for what one used answer shows."""
    return MACHINE if row.metric in SEARCHED or row.metric in COMPARED else READER


def noticed(row: Watched) -> str:
    """Which of such answers are noticed, where that does not depend on who looks."""
    return COMPARED.get(row.metric, UNKNOWN)


def in_words(once: Sequence[Watched], owner: str, confirms: str) -> str:
    """Who looks at every used answer, and for what; "" where no single answer ends the pilot.

    once : what ends the pilot by one used answer (`pilot_stop_rows.by_one`)
    """
    if not once:
        return ""
    kept = _named(once, KEPT)
    looked = [*(["these again"] if kept else []), *_named(once, SEARCHED)]
    names = [row.name for row in once if who(row) == READER]
    told = (
        (KEEPS, {"Owner": f"{owner[:1].upper()}{owner[1:]}", "kept": "; ".join(kept)}, kept),
        (LOOKS, {"looked": joined_words(looked)}, looked),
        (READS, {"names": joined_words(names)}, names),
        (REPORTED, {"confirms": confirms}, once),
    )
    return " ".join(form.format(**words) for form, words, any_of in told if any_of)


def _named(once: Sequence[Watched], names: Mapping[str, str]) -> list[str]:
    """What these rows have a machine look for, each once."""
    metrics = {row.metric for row in once}
    return [words for metric, words in names.items() if metric in metrics]
