"""The playbook: symptoms that were measured, what they point to, and what to do (Lesson 7.4, section 9).

A rule (`playbook_rules.py`) looks at the answers that it is about and says which of them are as they should
be. The symptom is there where the share of these stays below the rule's line; how surely, its interval says.
What is at fault in the answers that show it comes from `blame`, where that was established.
"""

import pandas as pd

from ragassay.analysis.blame import UNDETERMINED
from ragassay.analysis.playbook_rules import RULES, Facts, Rule
from ragassay.stats import clopper_pearson, interval_text, percent_text

COLUMNS = [
    "symptom", "measured", "n", "evidence", "likely_cause", "what_to_do", "case_ids", "value", "low", "high",
]  # fmt: skip
GENERATED = "generated"
NOTE = "Own and logged questions; the line is the share below which the symptom counts as there."


def diagnose(facts: Facts, blame: pd.DataFrame | None = None, *, has_prompt: bool = True) -> pd.DataFrame:
    """The table `playbook`: a row for each symptom that is there, the largest shortfall first; extra columns
    value, low, high: the share measured, with its exact 95 % interval.

    Generated questions are left out where there are others: they are easier by how they are made.

    facts : of `answer_facts.gather`, with `origin`; blame : the table of that name; has_prompt : whether
        there may be a prompt to change (`quoting.read`), without which no remedy speaks of one
    """
    made = facts["origin"] == GENERATED
    kept = facts if made.all() else facts[~made]
    rows = [row for rule in RULES if (row := _read(rule, kept, blame, has_prompt)) is not None]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "shortfall"])
    ordered = table.sort_values("shortfall", ascending=False, kind="stable", ignore_index=True)
    return ordered[COLUMNS].astype({"n": int})


def heading(symptoms: pd.DataFrame, *, rated: bool) -> str:
    """What stands over the table: how many symptoms and the first; `rated`: whether raters read answers,
    without whom the symptoms rest on instruments alone."""
    first = str(symptoms["symptom"].iloc[0])
    told = f"{len(symptoms)} symptoms were measured, first of all: {first[:1].lower()}{first[1:]}"
    return told if rated else f"By instruments alone, {told}; no rater read the answers"


def _read(rule: Rule, facts: Facts, blame: pd.DataFrame | None, has_prompt: bool) -> dict | None:
    about = facts[rule.about(facts).eq(True)]
    good = rule.good(about).astype(float)
    known = good.notna()
    share = clopper_pearson(int(good[known].sum()), int(known.sum())) if known.any() else None
    if share is None or share.value >= rule.line:
        return None
    wrong = about.loc[known & (good == 0), "case_id"]
    interval = interval_text(share.value, share.low, share.high, percent=True, bar=rule.line)
    lost = f"; {int((~known).sum())} not measured" if (~known).any() else ""
    return {
        "symptom": rule.symptom,
        "measured": f"{rule.measures}: {interval} of {share.n}{lost}; line {percent_text(rule.line)}",
        "n": share.n,
        "evidence": "; ".join(filter(None, [rule.evidence, _blamed(set(wrong), blame)])),
        "likely_cause": rule.likely_cause,
        "what_to_do": "; ".join(filter(None, [rule.what_to_do, rule.prompted if has_prompt else ""])),
        "case_ids": list(wrong),
        "value": share.value,
        "low": share.low,
        "high": share.high,
        "shortfall": rule.line - share.value,
    }


def _blamed(cases: set, blame: pd.DataFrame | None) -> str:
    """At what module the failures lie, where that was established."""
    if blame is None or blame.empty:
        return ""
    mine = blame[blame["case_id"].isin(cases) & (blame["blamed"] != UNDETERMINED)]
    counts = mine.drop_duplicates("case_id")["blamed"].value_counts()
    if counts.empty:
        return ""
    rest = len(cases) - int(counts.sum())
    told = [f"{name} {n}" for name, n in counts.items()] + [f"not determined {rest}"] * (rest > 0)
    return f"attributed to: {', '.join(told)}, of {len(cases)}"
