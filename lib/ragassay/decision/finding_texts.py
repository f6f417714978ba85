"""The words of a finding, by what raised it: a gate, a weak stratum, a variation, a limit of the evidence."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.analysis import case_scores
from ragassay.decision import gates as gating
from ragassay.stats import interval_text

SHOWN = 20  # case ids listed per finding
FROM_CHECK = "check:"  # how the source of a finding begins that a raised check made
Draft = dict
_CAUSES = {
    "value": "The measured value misses the threshold.",
    "bound": "The measured value meets the threshold, but too few cases stand behind it.",
    "incomplete": "The evidence is incomplete.",
}
_EFFECTS = {
    "value": "Answers of this quality would reach users.",
    "bound": "Nobody can exclude that the threshold is missed in use.",
    "incomplete": "Nobody can say whether the threshold is met.",
}
_LITTLE_HARM = "Little harm by itself; it can be a sign of something graver, or limit what other results say."
_OUTCOMES = {
    "value": "failed",
    "bound": "failed on its bound: too few cases to pass",
    "incomplete": "could not be judged",
}
_ADVICE = {
    "value": "Read the cases listed, mend what they have in common (retrieval, prompt or documents), then "
    "run the validation again.",
    "bound": "Add test cases until the interval is narrow enough to judge, then run the validation again.",
    "incomplete": "Supply the missing measurement, or a metric that tells these answers apart, then judge "
    "the gate again.",
}


def gate_finding(row: Mapping, scores: pd.DataFrame | None) -> Draft:
    """A gate that failed by its value, failed by its bound alone, or is incomplete."""
    how = (
        "incomplete"
        if row["outcome"] == gating.INCOMPLETE
        else "bound"
        if gating.only_bound_missed(row)
        else "value"
    )
    decisive = bool(row["critical"]) and how != "incomplete"
    severity = {("value", True): "Critical", ("value", False): "High", ("bound", True): "High"}.get(
        (how, decisive), "Medium"
    )
    return {
        "title": f"Gate {row['gate']} {_OUTCOMES[how]}",
        "condition": f"{row['metric']}: {_measured(row, row['value'])}. "
        f"{row['reason'][:1].upper()}{row['reason'][1:]}.",
        "criterion": f"Gate {row['gate']}: {row['rule']}, on slice {row['slice']}.",
        "cause": _CAUSES[how],
        "effect": _EFFECTS[how],
        "severity": severity,
        "likelihood": "observed" if how == "value" else "cannot be excluded",
        "impact": "decides the rating" if row["critical"] else "release gate",
        "strata": [] if row["slice"] == "all" else [row["slice"]],
        "case_ids": _beyond_threshold(row, scores),
        "recommendation": _ADVICE[how],
        "source": f"gate:{row['gate']}",
        "table": "gates",
        **_numbers(row, row["value"]),
    }


def weakness_finding(
    row: Mapping, gates: pd.DataFrame, scores: pd.DataFrame | None, cases: pd.DataFrame | None
) -> Draft:
    """A flagged stratum; High if its whole interval lies on the wrong side of its metric's gate."""
    name = row["level"] if case_scores.BETWEEN in row["dimension"] else f"{row['dimension']}={row['level']}"
    away = f"{abs(row['difference']):.2f} {'below' if row['difference'] < 0 else 'above'} all other cases"
    return {
        "title": f"{row['metric']} is weak for {name}",
        "condition": f"{row['metric']}: {_measured(row, row['mean'])}, {away}.",
        "criterion": f"No stratum worse than the rest beyond chance (Benjamini-Hochberg q = {row['q']:.2g}).",
        "cause": "Not established by this test: compare retrieval and generation on the cases listed.",
        "effect": "Users who ask about this get worse answers than the average suggests.",
        "severity": "High" if _wholly_beyond(row, gates) else "Medium",
        "likelihood": "observed",
        "impact": "limited to the stratum",
        "strata": [name],
        "case_ids": _of_stratum(row, scores, cases),
        "recommendation": "Read the worst cases of the stratum, extend or correct its documents, and test "
        "it again with more cases.",
        "source": weakness_source(row),
        "table": "weakness",
        **_numbers(row, row["mean"]),
    }


def check_finding(row: Mapping) -> Draft:
    """A test of risk or robustness whose criterion is broken, in the words of its check."""
    return {
        "title": _shortened(row["statement"], 120),
        "condition": f"{row['statement']} {row['metric']}: {_measured(row, row['value'])}.",
        "criterion": row["criterion"],
        "cause": "Not established by this test: read the cases listed.",
        "effect": _LITTLE_HARM
        if row["severity"] == "Low"
        else "Users who meet this are harmed or misled as the cases listed show.",
        "severity": row["severity"] or "Medium",
        "likelihood": "observed",
        "impact": f"{row['check']}: {row['aspect']}",
        "strata": [] if row["aspect"] == "all" else [row["aspect"]],
        "case_ids": list(row["case_ids"])[:SHOWN],
        "recommendation": row["advice"]
        or "Read the cases listed, mend what they have in common, test again.",
        "source": check_source(row),
        "table": "checks",
        **_numbers(row, row["value"]),
    }


def check_source(row: Mapping) -> str:
    """What ties a finding to a check that was raised."""
    return f"{FROM_CHECK}{row['check']}|{row['aspect']}|{row['metric']}"


def limit_finding(text: str, number: int) -> Draft:
    """A limit of the evidence, in the words given."""
    return {
        "title": _shortened(text, 80),
        "condition": text,
        "criterion": "The evidence should cover the intended use.",
        "cause": "The scope of this validation.",
        "effect": "What was not covered is not known.",
        "severity": "Low",
        "likelihood": "not measured",
        "impact": "unknown",
        "strata": [],
        "case_ids": [],
        "recommendation": "Accept the limit knowingly in the sign-off, or extend the evidence.",
        "source": f"limit:{number}",
        "table": "limits",
        **_numbers({"n": 0, "low": np.nan, "high": np.nan}, np.nan),
    }


def weakness_source(row: Mapping) -> str:
    """What ties a finding to a flagged stratum."""
    return f"weakness:{row['metric']}|{row['dimension']}|{row['level']}"


def _shortened(text: str, most: int) -> str:
    """The text in at most so many signs: cut at a word, and before a bracket that would stay open."""
    if len(text) <= most:
        return text
    cut = textwrap.wrap(text[:most], most - 1, break_on_hyphens=False)[0]
    before, _, inside = cut.rpartition("[")
    return f"{cut if ']' in inside else before.rstrip() or cut}…"


def _measured(row: Mapping, value: float) -> str:
    return f"{interval_text(value, row['low'], row['high'])} n={int(row['n'])}"


def _numbers(row: Mapping, value: float) -> Draft:
    return {"n": int(row["n"]), "value": value, "low": row["low"], "high": row["high"]}


def _wholly_beyond(row: Mapping, gates: pd.DataFrame) -> bool:
    rules = gates[(gates["metric"] == row["metric"]) & (gates["slice"] == "all")].to_dict("records")
    return any(
        row["high"] < rule["threshold"] if rule["bound"] == "low" else row["low"] > rule["threshold"]
        for rule in rules
    )


def _beyond_threshold(row: Mapping, scores: pd.DataFrame | None) -> list[str]:
    """The cases on the wrong side of the threshold, worst first; none where the scores do not hold the
    metric."""
    if scores is None or row["slice"] != "all" or row["metric"] not in set(scores["metric"]):
        return []
    known, lower = (
        case_scores.metric_scores(scores, row["metric"]).dropna(subset=["value"]),
        row["bound"] == "low",
    )
    wrong = known[known["value"] < row["threshold"]] if lower else known[known["value"] > row["threshold"]]
    return _worst(wrong, lower)


def _of_stratum(row: Mapping, scores: pd.DataFrame | None, cases: pd.DataFrame | None) -> list[str]:
    if scores is None or cases is None:
        return []
    rows = case_scores.scores_with_cases(scores, cases, row["metric"]).dropna(subset=["value"])
    return _worst(
        rows[case_scores.slice_names(rows, row["dimension"]) == row["level"]], row["difference"] < 0
    )


def _worst(rows: pd.DataFrame, low_is_worse: bool) -> list[str]:
    return (
        rows.sort_values(["value", "case_id"], ascending=[low_is_worse, True], kind="stable")["case_id"]
        .head(SHOWN)
        .tolist()
    )
