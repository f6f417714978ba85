"""Drafts of findings: the words and numbers of what was breached, by what raised it: a gate, a weak slice, a
check, a limit of the evidence."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ragassay.analysis.slicing import scorecard_slices
from ragassay.cases.case_origins import OF_USERS
from ragassay.decision.closing import slice_criteria
from ragassay.decision.findings import failing_cases
from ragassay.decision.findings.shortened_text import shortened
from ragassay.decision.gates import gate_texts
from ragassay.decision.gates import gates as gating
from ragassay.decision.gates.gate_severity import gate_severity, threshold, tolerated
from ragassay.decision.gates.questions_needed import questions_if_half
from ragassay.scores.display_names import display_name, level_name, slice_name
from ragassay.stats import interval_text, share_text
from ragassay.tables import is_blank

FROM_GATE, FROM_WEAKNESS, FROM_CHECK = "gate:", "weakness:", "check:"  # how the source of a finding begins
FROM_PROCESS = "process:"  # of one on how this validation was made, not on the system
_ENDS = {"low": "lower", "high": "upper"}
_EFFECTS = {
    "value": "Answers of this quality would reach users.",
    "bound": "It cannot be excluded that the requirement is missed in use.",
    "incomplete": "Whether the requirement is met is not known.",
}
_LITTLE_HARM = "Little harm by itself; it may point to graver faults, or limit what other results say."
_UNCONFIRMED = "No held-out half confirmed this slice, so it makes nothing graver than Medium."
_HARM = "Users who meet this are harmed or misled, as in the case shown."
_MEND = "Correct what its cases share (attachments/findings.csv), then validate with new questions."
_MORE = "Add questions, in a number fixed beforehand, then judge the gate once more."
_MEASURE = "Supply the missing measurement, then judge the gate again."
Draft = dict
"""What a finding says before it is numbered. Beside columns of `findings`: `failing`, every case that shows
it; `lead`, those that its title counts, where it absorbed others; `share`, how often it fails among what
was tested, in [0, 1], NaN where that was not measured; `table`, what it rests on; `metric`, what was
measured, where it is one metric; `owner`, who must answer it, where not the owner of all findings; `cause`
and `cause_evidence`, where the record itself states it. Of a gate: `asked_of`, origin -> how many of its
cases it looked at; `thresholds`, of each gate in it: tolerated and share (of failing cases, in [0, 1]), n,
critical, failing; `split`, what its failing cases are, in words; `lacks_evidence`, whether it could not
be judged on what there is. Of a weak slice: `confirmed`, whether it is worse in a held-out half too;
`where`, the slice in few words."""


def gate_finding(row: Mapping, scores: pd.DataFrame | None, topics: Mapping[str, str] | None = None) -> Draft:
    """A gate that missed on its value, on its bound alone, or is incomplete.

    scores : those of the cases the gate looked at; topics : the name of each topic
    """
    how, name = how_missed(row), gate_texts.name(row)
    failing = failing_cases.beyond_threshold(row, scores)
    share = failing_cases.failing_share(row["metric"], row["value"])
    return {
        "title": _gate_title(row, how, topics),
        "condition": f"{_capital(name)}: {gate_texts.measured(row)}."
        + (f" {_capital(row['reason'])}." if how == "incomplete" else ""),
        "criterion": f"{_capital(name)}: {gate_texts.required(row)}, by the interval's "
        f"{_ENDS[row['bound']]} end.",
        "effect": _EFFECTS[how],
        "severity": gate_severity(how, bool(row["critical"])),
        "strata": [part for part in (_segment(row, topics), gate_texts.questions(row["origin"])) if part],
        "failing": failing,
        "share": share,
        "thresholds": [threshold(row, failing, share)],
        "recommendation": _MEASURE if how == "incomplete" else _MORE if too_few(row) else _MEND,
        "split": str(row.get("split") or ""),
        "lacks_evidence": how == "incomplete" or too_few(row),
        "asked_of": {row["origin"]: int(row["n"])},
        "source": gate_source(row),
        "table": "gates",
        "metric": row["metric"],
        **_numbers(row, row["value"]),
    }


def how_missed(row: Mapping) -> str:
    """How a gate that did not pass missed: on its `value`, on its `bound` alone, or it is `incomplete`."""
    if row["outcome"] == gating.INCOMPLETE:
        return "incomplete"
    return "bound" if gating.only_bound_missed(row) else "value"


def too_few(row: Mapping) -> bool:
    """Whether a gate that misses on its bound alone has fewer cases than it takes to judge a fit system: one
    with half as many bad answers as tolerated would not pass on so few
        (`questions_needed.questions_if_half`)."""
    return gating.only_bound_missed(row) and row["n"] < questions_if_half(tolerated(row))


def gate_source(row: Mapping) -> str:
    """What ties a finding to a gate, and to the origin of its cases where gates are judged by origin."""
    origin = _origin(row)
    return f"{FROM_GATE}{row['gate']}" + (f"|{origin}" if origin else "")


def weakness_finding(
    row: Mapping,
    gates: pd.DataFrame,
    scores: pd.DataFrame | None,
    cases: pd.DataFrame | None,
    topics: Mapping[str, str] | None = None,
) -> Draft:
    """A weak slice; High if a held-out half confirmed it, and its whole interval lies on the wrong side of
    its metric's gate."""
    is_confirmed, name = bool(row.get("confirmed")), level_name(row["dimension"], row["level"], topics)
    metric = _capital(display_name(row["metric"]))
    away = f"{abs(row['difference']):.2f} {'below' if row['difference'] < 0 else 'above'} all other cases"
    return {
        "title": f"{metric} is weak for {name}: {_amount(row['metric'], row['mean'])}",
        "condition": (_said(row) or f"{metric}: {_measured(row, row['mean'])}, {away}.")
        + ("" if is_confirmed else f" {_UNCONFIRMED}"),
        "criterion": "No slice significantly worse than the rest "
        f"(adjusted for all comparisons, q = {row['q']:.2g}{_confirmed(row)}). "
        f"{slice_criteria.closed_where(row, gates)}",
        "effect": "Users who ask such questions get worse answers than the average suggests.",
        "severity": "High" if is_confirmed and _wholly_beyond(row, gates) else "Medium",
        "strata": [name],
        "failing": failing_cases.of_slice(row, scores, cases),
        "share": failing_cases.failing_share(row["metric"], row["mean"]),
        "recommendation": "Correct what its cases share, extend or correct their documents, test the "
        "slice again with more cases.",
        "source": weakness_source(row),
        "confirmed": is_confirmed,
        "where": f"{name}: {_amount(row['metric'], row['mean'])}"
        + ("" if is_confirmed else f" (n={int(row['n'])}, not confirmed)"),
        "table": "weakness",
        "metric": row["metric"],
        **_numbers(row, row["mean"]),
    }


def _said(row: Mapping) -> str:
    """The sentence of a weak slice where its table has one, the metric's name in words."""
    return "" if is_blank(row.get("statement")) else str(row["statement"])


def _confirmed(row: Mapping) -> str:
    """On how many questions of the half that chose no slice it was confirmed."""
    if not row.get("confirmed"):
        return ""
    known = "held_out_n" in row
    told = f" of {int(row['held_out_n'])} questions, p = {row['held_out_p']:.2g}" if known else ""
    return f"; confirmed in a held-out half{told}"


def weakness_source(row: Mapping) -> str:
    """What ties a finding to a weak slice."""
    return f"{FROM_WEAKNESS}{row['metric']}|{row['dimension']}|{row['level']}"


def check_finding(row: Mapping) -> Draft:
    """A test of risk or robustness whose criterion is broken, in the words of its check."""
    return {
        "title": shortened(row["statement"].partition("; ")[0].rstrip("."), 140),
        "condition": f"{row['statement']} {_capital(display_name(row['metric']))}: "
        f"{_measured(row, row['value'])}.",
        "criterion": f"{_capital(row['criterion'].rstrip('.'))}.",
        "effect": _LITTLE_HARM if row["severity"] == "Low" else _HARM,
        "severity": row["severity"] or "Medium",
        "strata": [] if row["aspect"] == "all" else [row["aspect"]],
        "failing": list(row["case_ids"]),
        "share": failing_cases.failing_share(row["metric"], row["value"]),
        "recommendation": _capital(row["advice"].rstrip(".") or _MEND.rstrip(".")) + ".",
        "source": check_source(row),
        "table": "checks",
        "metric": row["metric"],
        **_numbers(row, row["value"]),
    }


def check_source(row: Mapping) -> str:
    """What ties a finding to a check that was raised."""
    return f"{FROM_CHECK}{row['check']}|{row['aspect']}|{row['metric']}"


def limit_finding(text: str, number: int) -> Draft:
    """A limit of the evidence, in the words given."""
    return {
        "title": shortened(text, 80),
        "condition": text,
        "criterion": "The evidence should cover the intended use.",
        "effect": "What was not covered is not known.",
        "severity": "Low",
        "strata": [],
        "failing": [],
        "share": np.nan,
        "recommendation": "Accept the limit knowingly in the sign-off, or extend the evidence.",
        "source": f"limit:{number}",
        "table": "limits",
        **_numbers({"n": 0, "low": np.nan, "high": np.nan}, np.nan),
    }


def _gate_title(row: Mapping, how: str, topics: Mapping[str, str] | None) -> str:
    """What was required and measured; the origin of the questions only where it is not the users' own."""
    origin = "" if _origin(row) in OF_USERS else gate_texts.questions(row["origin"])
    name = _capital(", ".join(filter(None, (display_name(row["metric"]), _segment(row, topics), origin))))
    if how == "incomplete":
        return f"{name}: the gate could not be judged"
    required = f"{gate_texts.required(row)} required"
    missed = "" if how == "value" else f"; only the interval's {_ENDS[row['bound']]} end misses it"
    return f"{name}: {_amount(row['metric'], row['value'], row['threshold'])}, {required}{missed}"


def _segment(row: Mapping, topics: Mapping[str, str] | None) -> str:
    return "" if row["slice"] == scorecard_slices.ALL else slice_name(row["slice"], topics)


def _origin(row: Mapping) -> str:
    """Where the cases of a gate come from; empty where it looked at all, as gates of earlier releases did."""
    origin = row.get("origin") or scorecard_slices.ALL
    return "" if origin == scorecard_slices.ALL else str(origin)


def _amount(metric: str, value: float, bar: float = np.nan) -> str:
    """A share in percent, on its own side of the bar; another number as it is."""
    return share_text(value, bar) if failing_cases.is_share(metric) else f"{value:.2f}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _measured(row: Mapping, value: float) -> str:
    bounds = row["low"], row["high"]
    known = failing_cases.is_share(row["metric"]) and value >= 0 and not np.isnan((value, *bounds)).any()
    return f"{interval_text(value, *bounds, percent=known)}, n = {int(row['n'])}"


def _numbers(row: Mapping, value: float) -> Draft:
    return {"n": int(row["n"]), "value": value, "low": row["low"], "high": row["high"]}


def _wholly_beyond(row: Mapping, gates: pd.DataFrame) -> bool:
    rules = gates[(gates["metric"] == row["metric"]) & (gates["slice"] == scorecard_slices.ALL)].to_dict(
        "records"
    )
    return any(
        row["high"] < rule["threshold"] if rule["bound"] == "low" else row["low"] > rule["threshold"]
        for rule in rules
    )
