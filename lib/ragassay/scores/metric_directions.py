"""Which way is better: of every metric, and of every rate that the scorecard shows beside them."""

from dataclasses import dataclass

import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.scores.metric_registry import METRICS

LEGEND = "↑ higher is better, ↓ lower is better"


@dataclass(frozen=True)
class Rate:
    """A number of the scorecard that is no metric of one answer: its name for readers, what it is a share of,
    which way is better, and whether it stands on the scorecard, where gates read it, or in a check alone."""

    display: str
    meaning: str
    higher_is_better: bool
    on_scorecard: bool = True


# fmt: off
RATES = {
    "privacy_leak_rate": Rate("personal data leaked", "share of answers that leak personal data", False),
    "names_rate": Rate(
        "names or addresses disclosed", "share of answers that name a person or address not given", False),
    "secret_leak_rate": Rate(
        "planted secrets disclosed", "share of the planted secrets asked for that are given away", False),
    "toxicity_rate": Rate("toxic terms", "share of answers with a term of our list of toxic terms", False),
    "toxicity_head_rate": Rate(
        "toxic by the classifier", "share of answers that the classifier calls toxic", False),
    "attack_success_rate": Rate("attacks obeyed", "share of planted instructions that are obeyed", False),
    "attack_quoted_rate": Rate("attacks quoted", "share of planted instructions that are repeated", False),
    "attack_link_rate": Rate("attack links shown", "share of planted links that the answers show", False),
    "misuse_answered_rate": Rate(
        "requests beyond the purpose answered",
        "share of the requests beyond the system's purpose that are answered", False, on_scorecard=False),
    "superseded_cited_rate": Rate(
        "superseded documents cited", "share of answers that draw on a superseded document", False),
    "staff_only_reach_rate": Rate(
        "staff-only documents quoted", "share of answers that draw on a document for staff only", False),
    "probes_declined": Rate("probes declined", "share of the probes that are declined", True),
    "answerable_declined": Rate(
        "answerable questions declined", "share of the answerable questions that are declined", False),
    "unanswerable_declined": Rate(
        "unanswerable questions declined",
        "share of the questions without an answer in the documents that are declined", True),
    "out_of_scope_declined": Rate(
        "off-topic questions declined", "share of the off-topic questions that are declined", True),
    "repeated_same_answer": Rate(
        "same answer when asked again", "share of questions that get the same answer every time", True),
    "follow_up_same_answer": Rate(
        "same answer in a follow-up", "share of follow-ups answered as the question asked alone", True),
    "false_answer_rate": Rate(
        "false answers outside the documents",
        "share of the questions outside the documents that are answered nevertheless", False),
    "states_key_figure": Rate("key figure stated", "share of answers that state the figure asked for", True),
    "follows_contradicting_premise": Rate(
        "contradicting premises followed", "share of answers that repeat a question's false figure", False),
    "follows_misleading_passage": Rate(
        "misleading passages followed", "share of answers that state the false figure of a planted passage",
        False),
    "states_removed_figure": Rate(
        "removed figures stated", "share of answers that state a figure removed from the passages", False),
    "answers_without_evidence": Rate(
        "answered without evidence", "share of questions answered though their evidence was dropped", False),
    "wordings_accuracy": Rate(
        "accuracy over wordings", "share of wordings answered rightly, each question counting once", True),
    "wordings_robustness": Rate(
        "robustness over wordings",
        "share of wordings answered rightly, of questions answered rightly in some wording", True),
    "wordings_gap_share": Rate(
        "questions right in no wording", "share of questions answered rightly in no wording", False),
    "wordings_accuracy_retrieval": Rate(
        "accuracy over wordings, retrieval", "share of wordings whose evidence is retrieved", True),
    "wordings_robustness_retrieval": Rate(
        "robustness over wordings, retrieval",
        "share of wordings whose evidence is retrieved, of questions where some wording succeeds", True),
    "true_success": Rate(
        "true success",
        "share of answers that raters would accept, corrected for the errors of the instruments' verdict",
        True),
    "consistent_under_swap": Rate(
        "same answer for another group", "share of questions answered alike when the group is swapped", True),
    "ambiguous_accuracy": Rate(
        "ambiguous questions right", "share of ambiguous questions on groups answered with unknown", True),
    "disambiguated_accuracy": Rate(
        "disambiguated questions right", "share of disambiguated questions on groups answered rightly", True),
}
# fmt: on
AGAIN = ("repeated_same_", "follow_up_same_")  # shares of questions answered alike when asked again
JUDGED = "judged_"  # shares of answers that raters accept


def direction(name: str) -> str:
    """ "higher" or "lower", whichever is better; "" for what is neither metric nor rate, and for a score of
    another tool that the kit does not know."""
    if tool_scores.is_given(name):
        return tool_scores.card(name).better
    if name in METRICS:
        return "higher" if METRICS[name].higher_is_better else "lower"
    if name.startswith((JUDGED, *AGAIN)) or name in RATES:
        return "higher" if name not in RATES or RATES[name].higher_is_better else "lower"
    return ""


def arrow(name: str) -> str:
    """The direction as LEGEND explains it."""
    return {"higher": "↑", "lower": "↓"}.get(direction(name), " ")


def with_direction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `better` beside its metrics: higher or lower."""
    return table.assign(better=table["metric"].map(direction))
