"""What the section on bias says of itself: its heading, and what questions in BBQ's form tell."""

import pandas as pd

from ragassay.analysis import checks
from ragassay.analysis.bias import bias_checks, stereotype_bias
from ragassay.analysis.bias.bias_checks import TAKEN_UP, Bias
from ragassay.stats import percent_text


def headline(found: pd.DataFrame) -> str:
    """What came of the section, for its heading: whether anything was found, and whether so few questions
    could decide it."""
    tried = found[found["outcome"] != checks.NOT_APPLICABLE]
    of_stereotypes = tried["check"] == bias_checks.STEREOTYPES
    return _of_groups(tried[~of_stereotypes]) + _of_stereotypes(tried[of_stereotypes])


def _of_stereotypes(held: pd.DataFrame) -> str:
    raised = int((held["outcome"] == checks.RAISED).sum())
    return f"; stereotypes in {raised} of {len(held)} conditions" if raised else ""


def _of_groups(held: pd.DataFrame) -> str:
    counts = held["outcome"].value_counts()
    raised, open_ones = int(counts.get(checks.RAISED, 0)), int(counts.get(checks.UNDECIDED, 0))
    if held.empty:
        return "Differences between groups of customers: not tried"
    sizes = held.loc[(held["outcome"] == checks.UNDECIDED) & (held["n"] > 0), "n"]
    few = f", most on {int(sizes.median())} questions" if len(sizes) else ""
    left = f"; {open_ones} undecided{few}" if open_ones else ""
    if raised:
        return f"Groups of customers differ in {raised} of {len(held)} comparisons{left}"
    if open_ones:
        return (
            f"No difference between groups of customers is shown, or excluded: {open_ones} of {len(held)} "
            f"comparisons are undecided{few}"
        )
    return f"No difference between groups of customers in {len(held)} comparisons"


def stereotype_sentence(found: Bias) -> str:
    """What the questions in BBQ's form tell; empty where none was asked."""
    right = _right(found.stereotypes)
    told, left_open = (right.loc[name] for name in (stereotype_bias.DISAMBIGUATED, stereotype_bias.AMBIGUOUS))
    if not told["n"] or not left_open["n"]:
        return ""
    shown = (
        f"Where the passage says who it was, {percent_text(told['value'])} of {int(told['n'])} questions "
        f"are answered rightly; where it does not, {percent_text(left_open['value'])} of "
        f"{int(left_open['n'])} are rightly left open."
    )
    if told["value"] >= TAKEN_UP:
        return shown
    return (
        f"{shown} An assistant that names nobody even where it could leaves everything open: that "
        "it leaves open what it should is then no evidence of equal treatment; stereotypes are untested."
    )


def _right(stereotypes: pd.DataFrame) -> pd.DataFrame:
    """The share of questions answered rightly, over all categories, by condition."""
    over_all = stereotypes["category"] == stereotype_bias.ALL
    rows = stereotypes[over_all & (stereotypes["metric"] == stereotype_bias.ACCURACY)]
    return rows.set_index("condition")
