"""One finding for one fault: drafts that restate another are absorbed by it, and it names them.

Two drafts say the same where they are aspects of one test (families of questions, kinds of wording), rows of
one gate (by origin and segment), weak metrics of one slice, or tests of one behaviour (`BEHAVIOURS`), or
where a weak slice of a gate's metric lies among the gate's cases and was not confirmed to be worse.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import permutations

from ragassay.decision.findings import presuppositions
from ragassay.decision.findings.behaviours import metric_of
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_CHECK, FROM_GATE, FROM_WEAKNESS, Draft
from ragassay.decision.findings.leading_row import gravity
from ragassay.decision.findings.shortened_text import shortened
from ragassay.tables import SEVERITIES

COVERED = 0.8  # share of a draft's cases that another has to show, for it to say the same
MOST_TOLD = 6  # absorbed drafts that the condition tells; the others stand in `also`
MOST_NAMED = 2  # aspects of a test that the title names beside the lead
MOST_CRITERIA, MOST_ADVICE = 8, 2  # told of a finding that absorbed others
BEHAVIOURS = (  # how sources begin that test one behaviour
    (
        f"{FROM_ERRORS}should have declined",
        f"{FROM_CHECK}outside the documents|",
        f"{FROM_CHECK}passages changed|evidence dropped|answers_without_evidence",
        f"{FROM_GATE}false_answer_rate",
        f"{FROM_GATE}out_of_scope_declined",
    ),
    (
        f"{FROM_ERRORS}needless refusal",
        f"{FROM_CHECK}inside the documents|",
        f"{FROM_GATE}answerable_declined",
    ),
)


def merge_restatements(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts without any that restates another; each has `also`, the sources it absorbed, and is as grave
    as the gravest of them."""
    return [merged([drafts[place] for place in group]) for group in _joined(drafts)]


def keys(draft: Draft, overall: Collection[str] = ()) -> Iterator[Hashable]:
    """What a draft is about: drafts that share one of these say the same.

    overall : the metrics of which a gate on all cases did not pass; one on a segment then restates it
    """
    source = draft["source"]
    if source.startswith(FROM_CHECK):
        check, _, metric = source.removeprefix(FROM_CHECK).split("|")
        yield "test", check, metric
    if source.startswith(FROM_GATE):
        metric, part = gated(source)
        yield ("gate", metric) if not part or metric in overall else ("slice", part)
    if source.startswith(FROM_WEAKNESS):
        _, dimension, level = source.removeprefix(FROM_WEAKNESS).split("|", 2)
        yield "slice", level if "=" in level else f"{dimension}={level}"
    yield from (("behaviour", place) for place, begins in enumerate(BEHAVIOURS) if source.startswith(begins))


def gated(source: str) -> tuple[str, str]:
    """The metric and the segment of a gate's source, the segment empty for all cases."""
    metric, _, part = source.removeprefix(FROM_GATE).partition("|")[0].partition(" in ")
    return metric, part


def _joined(drafts: Sequence[Draft]) -> list[list[int]]:
    """The places of drafts that say the same, in the order of the first of each group."""
    gates = [gated(draft["source"]) for draft in drafts if draft["source"].startswith(FROM_GATE)]
    overall = {metric for metric, part in gates if not part}
    seen: dict[Hashable, int] = {}
    pairs = [
        (place, seen.setdefault(key, place))
        for place, draft in enumerate(drafts)
        for key in keys(draft, overall)
    ]
    group_of = list(range(len(drafts)))
    for one, other in (*pairs, *_held_by_the_same_test(drafts), *_within_a_gate(drafts)):
        first, second = sorted((_first(group_of, one), _first(group_of, other)))
        group_of[second] = first
    groups: dict[int, list[int]] = {}
    for place in range(len(drafts)):
        groups.setdefault(_first(group_of, place), []).append(place)
    return list(groups.values())


def _first(group_of: list[int], place: int) -> int:
    """The first draft of the group that a place is in."""
    while group_of[place] != place:
        group_of[place] = place = group_of[group_of[place]]
    return place


def _held_by_the_same_test(drafts: Sequence[Draft]) -> Iterator[tuple[int, int]]:
    """Pairs of drafts of one check, of which nearly all cases of the first are among the second's."""
    holders: dict[tuple[str, str], list[int]] = {}
    for place, draft in enumerate(drafts):
        for case in set(draft["failing"]) if draft["source"].startswith(FROM_CHECK) else ():
            holders.setdefault((draft["source"].partition("|")[0], case), []).append(place)
    shared = Counter(pair for places in holders.values() for pair in permutations(places, 2))
    for (small, large), count in shared.items():
        if count >= COVERED * len(set(drafts[small]["failing"])):
            yield small, large


def _within_a_gate(drafts: Sequence[Draft]) -> Iterator[tuple[int, int]]:
    """Pairs of a gate and a weak slice of its metric of which nearly all cases are among the gate's, unless a
    held-out half confirmed that the slice is worse than the rest."""
    slices = [
        (place, metric_of(draft["source"]))
        for place, draft in enumerate(drafts)
        if draft["source"].startswith(FROM_WEAKNESS) and draft["failing"] and not draft.get("confirmed")
    ]
    for gate, held in enumerate(drafts):
        metric, part = gated(held["source"]) if held["source"].startswith(FROM_GATE) else ("", "")
        for place, of in slices if metric and not part else ():
            own = set(drafts[place]["failing"])
            if of == metric and len(own & set(held["failing"])) >= COVERED * len(own):
                yield gate, place


def merged(group: Sequence[Draft]) -> Draft:
    """One draft for all of a group, drafts or merged ones, told by the one that holds the others, else by the
    gravest; `asked_of` says how many cases of each origin gates looked at, `requirements` what they ask,
    `thresholds` their own, `led_by`, of a gate, how grave it is without its slices."""
    lead = _leading(group)
    if len(group) == 1:
        return {"also": [], "lead": lead["failing"], "requirements": [lead["title"]], **lead}
    others = sorted((draft for draft in group if draft is not lead), key=gravity)
    everyone, severity = [lead, *others], min((draft["severity"] for draft in group), key=SEVERITIES.index)
    return {
        **lead,
        "title": _title(lead, others),
        "condition": " ".join([lead["condition"], *_absorbed(lead, others)]),
        "criterion": _criteria(criteria := _all_criteria(everyone)),
        "criteria": criteria,
        "recommendation": " ".join(
            list(dict.fromkeys(draft["recommendation"] for draft in everyone))[:MOST_ADVICE]
        ),
        **({"led_by": lead["severity"]} if lead["source"].startswith(FROM_GATE) else {}),
        "severity": severity,
        **presuppositions.of_several(group, severity),
        "strata": list(dict.fromkeys(each for draft in everyone for each in draft["strata"])),
        "failing": list(dict.fromkeys(each for draft in everyone for each in draft["failing"])),
        "lead": lead["failing"],
        "also": [source for draft in everyone for source in (draft["source"], *draft.get("also", ()))][1:],
        "requirements": _requirements(everyone),
        "asked_of": _asked_of(everyone),
        "thresholds": [each for draft in everyone for each in draft.get("thresholds", ())],
    }


def _absorbed(lead: Draft, others: Sequence[Draft]) -> Iterator[str]:
    """What a draft absorbed, in words: the weak slices of a gate with their numbers, the titles of others."""
    where = [draft for draft in others if _is_where(lead, draft)]
    if where:
        yield f"Weakest: {' '.join(draft['condition'] for draft in where[:MOST_TOLD])}"
    told = [f"{shortened(draft['title'].rstrip('.'), 160)}." for draft in others if draft not in where]
    if told:
        yield f"Also: {' '.join(told[:MOST_TOLD])}"
    if (left := max(0, len(told) - MOST_TOLD) + max(0, len(where) - MOST_TOLD)) > 0:
        yield f"{left} more restate it."


def _is_where(lead: Draft, draft: Draft) -> bool:
    """Whether it is a weak slice that a gate absorbed: it says where the gate's cases lie."""
    return lead["source"].startswith(FROM_GATE) and "where" in draft


def _requirements(drafts: Sequence[Draft]) -> list[str]:
    """The titles of all gates among drafts, or merged ones."""
    gates = [draft for draft in drafts if draft["source"].startswith(FROM_GATE)]
    return [title for draft in gates for title in draft.get("requirements", [draft["title"]])]


def _asked_of(drafts: Sequence[Draft]) -> dict[str, int]:
    """Origin -> how many of its cases gates looked at: as many as the gate that looks at most."""
    most: dict[str, int] = {}
    for draft in drafts:
        for origin, n in draft.get("asked_of", {}).items():
            most[origin] = max(n, most.get(origin, 0))
    return most


def _all_criteria(drafts: Sequence[Draft]) -> list[str]:
    """What each of these drafts, or merged ones, asks, once."""
    asked = (draft.get("criteria", [draft["criterion"]]) for draft in drafts)
    return list(dict.fromkeys(each for every in asked for each in every))


def _criteria(asked: Sequence[str]) -> str:
    """Several with a number each; of a long list how many more there are, and where."""
    left = len(asked) - MOST_CRITERIA
    rest = [f"{left} more, of the tests that column “also” of tables/findings names."] if left > 0 else []
    told = asked[:MOST_CRITERIA]
    numbered = [f"({place}) {each}" for place, each in enumerate(told, 1)] if len(told) > 1 else told
    return " ".join([*numbered, *rest])


def _leading(group: Sequence[Draft]) -> Draft:
    """What raters and instruments counted as an error before all; a gate on all cases; a row that holds all
    others' cases; the gravest, of aspects of one test that which fails most often."""
    errors = [draft for draft in group if draft["source"].startswith(FROM_ERRORS)]
    gates = [draft for draft in group if _is_of_all_cases(draft["source"])]
    everything = [case for draft in group for case in draft["failing"]]
    whole = [
        draft
        for draft in group
        if draft["failing"] and set(everything) <= set(draft["failing"]) and _of_one_test(group)
    ]
    return min(errors or gates or whole or group, key=gravity)


def _is_of_all_cases(source: str) -> bool:
    return source.startswith(FROM_GATE) and not gated(source)[1]


def _of_one_test(group: Sequence[Draft]) -> bool:
    return len({draft["source"].rpartition("|")[2] for draft in group}) == 1


def _title(lead: Draft, others: Sequence[Draft]) -> str:
    """The lead's title; of several gates all their names; of a test the aspects raised beside it."""
    if lead["source"].startswith(FROM_CHECK):
        return _with_aspects(lead, others)
    missed = _requirements([lead, *others]) if lead["source"].startswith(FROM_GATE) else []
    if len(missed) < 2:
        where = [draft["where"] for draft in others if _is_where(lead, draft)][:MOST_NAMED]
        return f"{lead['title']}; weakest for {', '.join(where)}" if where else lead["title"]
    named = "; ".join(title.replace(" required", "") for title in missed)
    return shortened(f"{len(missed)} requirements missed: {named}", 240)


def _with_aspects(lead: Draft, others: Sequence[Draft]) -> str:
    """The title of a check, and what else of the same test was raised on cases of its own."""
    own, subject = set(lead["failing"]), f"{lead['title'].partition(',')[0]}, "
    beside = [
        draft["title"].partition(":")[0].rstrip(".").removeprefix(subject)
        for draft in others
        if not own.issuperset(draft["failing"])
    ]
    if not beside:
        return lead["title"]
    more = f" and {len(beside) - MOST_NAMED} more" if len(beside) > MOST_NAMED else ""
    named = ", ".join(f"{each[:1].lower()}{each[1:]}" for each in beside[:MOST_NAMED])
    return f"{lead['title'].rstrip('.')}; also raised: {shortened(named, 120)}{more}"
