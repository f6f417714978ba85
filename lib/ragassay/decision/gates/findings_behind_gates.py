"""Which findings carry a gate: those among whose cases its failing cases lie, by counting them.

Findings on errors count every answer once. Each that holds at least `CARRIES` of a gate's failing cases names
the gate, says how many it holds, and is as grave as the gate. What none of them holds, of all gates on
raters' verdicts together, is one finding more, which carries gates by the same rule. A gate that no finding
on errors carries stands as a finding of its own; so does one on instruments of which these findings hold less
than `COVERED`. Raters' gates whose cases are not known are one finding.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import nan

from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_GATE, FROM_WEAKNESS, Draft
from ragassay.decision.findings.restated_findings import COVERED, gated, merged
from ragassay.decision.gates.gate_severity import severity_alone
from ragassay.scores.metric_directions import JUDGED
from ragassay.stats import clopper_pearson
from ragassay.tables import SEVERITIES

CARRIES = 0.1  # share of a gate's failing cases from which a finding carries it
NOBODY = ""  # who holds a case that no finding counts


def attribute(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of `restated_findings.merge_restatements`, each gate in the findings that hold its failing
    cases.

    One that shares a gate's cases with others has `carries`, for each such gate a dict: gate, title, every
    (how many cases fail it), split (what these are), held (source of a finding, or `NOBODY` -> how many it
    holds) and carriers; `also` names the gates, and `by_itself` is its severity if its own cases alone failed
    them (`severity_alone`). That on what no error holds counts this alone (`lead`), and has `held`,
    source -> how many of its gates' cases that finding holds.
    """
    errors = [draft for draft in drafts if draft["source"].startswith(FROM_ERRORS)]
    owner = owners(errors)
    gates = sorted((draft for draft in drafts if _is_shared(draft, owner)), key=lambda draft: draft["source"])
    rest = _on_what_is_left([gate for gate in gates if _has_left(gate, owner)], owner)
    owner |= {case: each["source"] for each in rest for case in each["lead"]}
    told = [_counted(gate, owner) for gate in gates]
    unknown = [draft for draft in drafts if _of_raters(draft) and not draft["failing"]]
    taken = {draft["source"] for draft in (*gates, *errors, *unknown)}
    kept = [draft for draft in drafts if draft["source"] not in taken]
    carrying = [_with_gates(draft, gates, told, owner) for draft in errors]
    shared = [_with_shares(draft, told) for draft in rest]
    return with_slices([*carrying, *shared, *([merged(unknown)] if unknown else []), *kept])


def with_slices(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; a weak slice that is a finding beside the gate on its metric has `within`, source of that
    gate -> how many of its cases the gate's finding counts too."""
    gates = [draft for draft in drafts if draft["source"].startswith(FROM_GATE)]
    return [
        {**draft, "within": _within(draft, gates)} if draft["source"].startswith(FROM_WEAKNESS) else draft
        for draft in drafts
    ]


def _within(draft: Draft, gates: Sequence[Draft]) -> dict[str, int]:
    own, metric = set(draft["failing"]), metric_of(draft["source"])
    alike = [gate for gate in gates if metric_of(gate["source"]) == metric]
    held = {gate["source"]: len(own & set(gate["lead"])) for gate in alike}
    return {source: count for source, count in held.items() if count}


def owners(errors: Iterable[Draft]) -> dict[str, str]:
    """Case -> the source of the finding on errors that counts it, in its title before in what it absorbed."""
    by_name = sorted(errors, key=lambda draft: draft["source"], reverse=True)
    pairs = [(draft, field) for field in ("failing", "lead") for draft in by_name]
    return {case: draft["source"] for draft, field in pairs for case in draft.get(field, ())}


def carriers(failing: Sequence[str], owner: Mapping[str, str]) -> set[str]:
    """Who holds at least `CARRIES` of these cases: sources of findings, or `NOBODY`."""
    counts = _holders(failing, owner)
    return {source for source, count in counts.items() if count >= CARRIES * counts.total()}


def _holders(failing: Sequence[str], owner: Mapping[str, str]) -> Counter[str]:
    return Counter(owner.get(case, NOBODY) for case in dict.fromkeys(failing))


def _is_shared(draft: Draft, owner: Mapping[str, str]) -> bool:
    """Whether it is a gate whose failing cases are counted by findings: raters' verdicts on answers always,
    what instruments measure where errors show most of them and one of these findings carries it."""
    if not draft["source"].startswith(FROM_GATE) or not draft["failing"]:
        return False
    if _of_raters(draft):
        return True
    held = _holders(draft["failing"], owner)
    covered = held.total() - held[NOBODY] >= COVERED * held.total()
    return covered and bool(carriers(draft["failing"], owner) - {NOBODY})


def _of_raters(draft: Draft) -> bool:
    """Whether it is a gate on raters' verdicts on all answers, not on those of a segment."""
    metric, part = gated(draft["source"]) if draft["source"].startswith(FROM_GATE) else ("", "")
    return metric.startswith(JUDGED) and not part


def _has_left(gate: Draft, owner: Mapping[str, str]) -> bool:
    """Whether a gate on raters' verdicts has a finding beside those on errors: on the cases that they do not
    hold, where these are enough to carry it, or because none of them carries it."""
    known = carriers(gate["failing"], owner)
    return _of_raters(gate) and (NOBODY in known or not known)


def _on_what_is_left(gates: Sequence[Draft], owner: Mapping[str, str]) -> list[Draft]:
    """One finding of the cases of these gates that no finding on errors holds, with its numbers; none where
    there is no gate. That none is left would take more findings on errors than there are kinds of error."""
    if not gates:
        return []
    draft = merged(gates)
    held = {source: k for source, k in sorted(_holders(draft["failing"], owner).items()) if source}
    if not held:
        return [draft]
    left = [case for case in draft["failing"] if case not in owner]
    numbers = _share(len(left), sum(draft.get("asked_of", {}).values()) or draft["n"])
    alone = severity_alone(gates, set(left))
    named = {"held": held, "lead": left, "metric": "", "led_by": "", "by_itself": alone}
    return [{**draft, **named, **numbers}]


def _share(k: int, n: int) -> Draft:
    """The share of answers left, exact; not measured, where it is not known of how many."""
    if k > n:
        return {"share": nan}
    share = clopper_pearson(k, n)
    return {"n": n, "share": share.value, "value": share.value, "low": share.low, "high": share.high}


def _counted(gate: Draft, owner: Mapping[str, str]) -> dict:
    """How many of a gate's failing cases each finding holds."""
    held = _holders(gate["failing"], owner)
    return {
        "gate": gate["source"],
        "title": gate["title"],
        "split": gate.get("split", ""),
        "every": held.total(),
        "held": dict(sorted(held.items())),
        "carriers": sorted(carriers(gate["failing"], owner) - {NOBODY}),
    }


def _with_gates(
    draft: Draft, gates: Sequence[Draft], told: Sequence[dict], owner: Mapping[str, str]
) -> Draft:
    """A finding on errors with the gates that it carries."""
    own = [gate for gate, each in zip(gates, told, strict=True) if draft["source"] in each["carriers"]]
    if not own:
        return draft
    named = [source for gate in own for source in sources(gate)]
    grave = _gravest(each["severity"] for each in (draft, *own))
    alone = severity_alone(own, {case for case, source in owner.items() if source == draft["source"]})
    return _with_shares(draft, told) | {
        "also": list(dict.fromkeys([*draft["also"], *named])),
        "led_by": _gravest((draft.get("led_by", draft["severity"]), alone)),
        "by_itself": _gravest((draft["severity"], alone)),
        "severity": grave,
    }


def _gravest(severities: Iterable[str]) -> str:
    return min(severities, key=SEVERITIES.index)


def _with_shares(draft: Draft, told: Sequence[dict]) -> Draft:
    """A finding with its part of each gate that it carries and others hold cases of too."""
    named = sources(draft)
    mine = [
        each
        for each in told
        if (draft["source"] in each["carriers"] or each["gate"] in named) and len(each["held"]) > 1
    ]
    return {**draft, "carries": mine} if mine else draft
