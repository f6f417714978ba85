"""What is recommended: the remedy that follows from the cause established, first action first. A finding
whose cases have several causes has a remedy for each that is of material size, the most frequent first; one
whose cause is not known begins with what would establish it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ragassay.analysis.blame import remedy_texts
from ragassay.decision.findings import finding_causes
from ragassay.decision.findings.behaviours import behaviour, behaviours
from ragassay.decision.findings.error_findings import FROM_ERRORS, UNSAFE
from ragassay.decision.findings.finding_texts import FROM_CHECK
from ragassay.stats import percent_text

MATERIAL = 0.05  # share of the finding's cases from which a cause has a remedy of its own
UNSAFE_IN = {"personal data": "privacy_leak_rate", "toxic": "toxicity_rate"}  # harm -> whose remedy meets it
FEWEST = 2  # cases of such a cause


def recommended(
    draft: Mapping,
    stated: Sequence[str],
    known: Mapping[str, Mapping],
    established: bool,
    confirm: str = "",
    harms: Collection[str] = (),
) -> str:
    """The recommendation: the first action, then whatever else as "Also".

    draft : with source, strata, recommendation (what is said where no behaviour is known), `of_a_kind` (what
        some of its questions need beside) and, of a gate,
        `lacks_evidence`: more evidence is asked for where that is what is missing, and nowhere else
    stated : the cases that the title counts; known : of `finding_causes.diagnosed`
    established : whether the test or the record shows the cause by itself
    confirm : what is to be confirmed beside; harms : the classes of harm (`tables.HARMS`) of the cases
    """
    source = draft["source"]
    row = _met(behaviour(source, draft.get("strata", ())), harms)
    own = row.get("remedy") or draft["recommendation"]
    by_cause = (
        []
        if established or finding_causes.is_before_answers(draft.get("metric", ""))
        else _by_cause(row, stated, known)
    )
    if draft.get("lacks_evidence"):
        first = draft["recommendation"]
    elif by_cause:
        first = " ".join(by_cause)
    elif established or not row:
        first = own
    else:
        first = f"Establish the cause by {finding_causes.would_establish(source)}; then {_small(own)}"
    beside = (*_of_absorbed(draft, own), draft.get("of_a_kind", ""), row.get("also", ""), confirm)
    more = "; ".join(_small(each.rstrip(".")) for each in beside if each)
    return f"{first} Also: {more}." if more else first


def _of_absorbed(draft: Mapping, own: str) -> list[str]:
    """The remedies of the checks that a finding absorbed, whose tests close it too; none told before."""
    checks = [source for source in draft.get("also", ()) if source.startswith(FROM_CHECK)]
    told = [behaviour(source, draft.get("strata", ())).get("remedy", "") for source in checks]
    return [each for each in dict.fromkeys(told) if each and each != own]


def _met(row: Mapping[str, str], harms: Collection[str]) -> Mapping[str, str]:
    """The row of a behaviour; of unsafe answers with the remedies of the harms that they do, and no other."""
    others = [behaviours()[of]["remedy"] for harm, of in UNSAFE_IN.items() if harm in harms]
    if row.get("of") != f"{FROM_ERRORS}{UNSAFE}" or not others:
        return row
    own = [] if set(harms) <= set(UNSAFE_IN) else [row["remedy"]]
    return {**row, "remedy": " ".join([*own, *others])}


def _by_cause(row: Mapping[str, str], stated: Sequence[str], known: Mapping[str, Mapping]) -> list[str]:
    """A remedy for each cause of material size, with its cases; none where none is known of half of them."""
    rows = [known[case] for case in stated if case in known]
    counts = Counter(
        cause for cause in map(finding_causes.holding, rows) if cause != finding_causes.UNDETERMINED
    )
    n = len(stated)
    if 2 * sum(counts.values()) < n or not counts:
        return []
    large = [(cause, k) for cause, k in counts.most_common() if k >= max(FEWEST, MATERIAL * n) or k == n]
    if len(large) == 1 and large[0][1] == n and set(finding_causes.in_categories(rows)) == {large[0][0]}:
        return [remedy(row, large[0][0])]
    told = [
        _told(row, cause, [each for each in rows if finding_causes.holding(each) == cause], n)
        for cause, _ in large
    ]
    left = n - sum(k for _, k in large)
    return [
        *told,
        *(
            [f"{_cases(left)} of another cause, or of none known, {_has(left)} none of these."]
            if left
            else []
        ),
    ]


def _told(row: Mapping[str, str], cause: str, own: Sequence[Mapping], n: int) -> str:
    k, of = len(own), finding_causes.parts(own)
    return f"In {k} of {n} cases ({percent_text(k / n)}; {of}): {_small(remedy(row, cause))}"


def remedy(row: Mapping[str, str], cause: str) -> str:
    """What corrects a cause, in the words of the behaviour where its remedy follows from this cause."""
    return row["remedy"] if row and cause in row["fits"].split("|") else remedy_texts()[cause]


def _cases(k: int) -> str:
    return f"{k} case{'s' if k > 1 else ''}"


def _has(k: int) -> str:
    return "have" if k > 1 else "has"


def _small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
