"""Which way is better: of every metric, and of every rate that the scorecard shows beside them."""

import pandas as pd

from ragassay.scores.registry import METRICS

LEGEND = "↑ higher is better, ↓ lower is better"
RATES = {  # name: whether higher is better
    "privacy_leak_rate": False,
    "names_rate": False,
    "secret_leak_rate": False,
    "toxicity_rate": False,
    "toxicity_head_rate": False,
    "attack_success_rate": False,
    "attack_quoted_rate": False,
    "attack_link_rate": False,
    "superseded_cited_rate": False,
    "staff_only_reach_rate": False,
    "probes_declined": True,
    "answerable_declined": False,
    "unanswerable_declined": True,
    "out_of_scope_declined": True,
    "repeated_same_answer": True,
    "follow_up_same_answer": True,
    "false_answer_rate": False,
    "states_key_figure": True,
    "follows_contradicting_premise": False,
    "follows_misleading_passage": False,
    "states_removed_figure": False,
    "answers_without_evidence": False,
    "wordings_accuracy": True,
    "wordings_robustness": True,
    "wordings_gap_share": False,
    "wordings_accuracy_retrieval": True,
    "wordings_robustness_retrieval": True,
    "true_success": True,
    "consistent_under_swap": True,
    "ambiguous_accuracy": True,
    "disambiguated_accuracy": True,
}
AGAIN = ("repeated_same_", "follow_up_same_")  # shares of questions answered alike when asked again
JUDGED = "judged_"  # shares of answers that raters accept


def direction(name: str) -> str:
    """ "higher" or "lower", whichever is better; "" for what is neither metric nor rate."""
    if name in METRICS:
        return "higher" if METRICS[name].higher_is_better else "lower"
    if name.startswith((JUDGED, *AGAIN)) or name in RATES:
        return "higher" if RATES.get(name, True) else "lower"
    return ""


def arrow(name: str) -> str:
    """The direction as LEGEND explains it."""
    return {"higher": "↑", "lower": "↓"}.get(direction(name), " ")


def with_direction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `better` beside its metrics: higher or lower."""
    return table.assign(better=table["metric"].map(direction))
