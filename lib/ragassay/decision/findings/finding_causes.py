"""The cause of a finding: from what the test itself shows, or from the rows of the table blame that are of
the finding's own cases; "not established" where neither decides it, with what would establish it."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib import resources

import pandas as pd

from ragassay.analysis.blame import GIVEN_DECLINED
from ragassay.scores import METRICS
from ragassay.stats import clopper_pearson, interval_text
from ragassay.tables import BLAMED, GOLD_RETRIEVED

NOT_ESTABLISHED = "Cause not established."
DOCUMENTS, RETRIEVER, DECLINING, GENERATOR, BOTH, QUESTION, UNDETERMINED = BLAMED
NAMES = {
    DOCUMENTS: "The documents lack what is asked.",
    RETRIEVER: "Retrieval misses part or all of the passages that hold the answer.",
    DECLINING: "The choice to answer or to decline does not follow from whether the evidence is there.",
    GENERATOR: "The answer made of the evidence: it was at hand, and the answer is wrong or incomplete.",
    QUESTION: "The test question or its reference is wrong.",
}
BEFORE_ANSWERS = "The measure is of retrieval; the diagnosis is of answers."
ALIKE = 0.5  # share of all their cases that a finding and a symptom have in common
MAJORITY = 0.5  # the lower bound of a cause's share of the finding's cases has to lie above it
TOO_FEW = "No cause is shown in more than half of its {n} cases (lower bound of its share, 95 %)"
SEVERAL = (
    "It would be established by answering each case again with one part changed at a time (its reference "
    "passages alone, more passages, a lower threshold of declining): what restores the answer is the cause."
)
MISUSE, UNGUARDED = "check:misuse|", "No rule is made to decline these subjects."
MOST_RULES = 2  # that decided, told in their words; of the others their count
PASSAGES = ("all reference passages retrieved", "part of them", "none of them", "not known")


def diagnosed(blame: pd.DataFrame | None) -> dict[str, Mapping]:
    """Case -> its row of the table `blame`; empty where nothing was diagnosed."""
    rows = [] if blame is None else blame.to_dict("records")
    return {row["case_id"]: row for row in rows}


def find_cause(
    failing: Sequence[str],
    known: Mapping[str, Mapping],
    *,
    source: str = "",
    metric: str = "",
    guardrails: str = "",
) -> tuple[str, str]:
    """The cause, and the evidence for it or what would establish it, as sentences.

    By the diagnosis it is established where all the finding's cases have it, or the lower bound (95 %) of its
    share of them lies above one half; a case that was not diagnosed counts against it. A case that fails
    with all its evidence handed over too counts for what fails then (`holding`).

    failing : the cases that the finding states; known : of `diagnosed`; source : what raised it; metric :
        what was measured, where it is one: the diagnosis of answers says nothing of a metric of retrieval;
        guardrails : what the engagement's record says of them
    """
    if _unguarded(source, guardrails):
        return UNGUARDED, f"By the engagement's record, its guardrails: {guardrails.strip()}."
    if shown := _texts(source, "cause"):
        return shown["cause"], shown["evidence"]
    own = [known[case] for case in failing if case in known]
    if is_before_answers(metric) or not own:
        return NOT_ESTABLISHED, f"{_why_none(failing, metric)} {_would(source)}"
    return _of_most(failing, own, source)


def _of_most(failing: Sequence[str], own: Sequence[Mapping], source: str) -> tuple[str, str]:
    counts = Counter(map(holding, own))
    cause, k = counts.most_common(1)[0]
    rows = [row for row in own if holding(row) == cause]
    n, left = len(failing), _undiagnosed(failing, own)
    share = clopper_pearson(k, n)
    if cause == UNDETERMINED or (k < n and share.low <= MAJORITY):
        told = ", ".join(f"{name} {count}" for name, count in in_categories(own).most_common())
        often = interval_text(share.value, share.low, share.high, percent=True, bar=MAJORITY)
        most = f"those of {parts(rows)}" if _handed(rows) else "the most frequent"
        below = f"; {most} {often}" if n > 1 and cause != UNDETERMINED else ""
        would = _would(source) if 2 * (n - len(own) + counts[UNDETERMINED]) >= n else SEVERAL
        return NOT_ESTABLISHED, f"{TOO_FEW.format(n=n)}: {told}{left}{below}. {would}"
    often = "" if k == n else f"In {k} of {n} cases: "
    bounds = "" if k == n else f", {interval_text(share.value, share.low, share.high, percent=True)}"
    of = "its one case" if n == 1 else f"{k} of its {n} cases"
    said = f"Attributed to {parts(rows)} in {of}{bounds}{left}"
    name = NAMES[cause] if k == n else f"{NAMES[cause][:1].lower()}{NAMES[cause][1:]}"
    return f"{often}{name}", f"{said}.{_handed(rows)} {_passages(rows)}"


def in_categories(rows: Sequence[Mapping]) -> Counter[str]:
    """How many of these cases the table of causes counts in each of its categories (`BLAMED`)."""
    return Counter(str(row["blamed"]) for row in rows)


def parts(rows: Sequence[Mapping]) -> str:
    """The categories of these cases; of several how many each holds: `declining (18) and retriever and
    answer (11)`."""
    counts = in_categories(rows).most_common()
    if len(counts) < 2:
        return "".join(name for name, _ in counts)
    return " and ".join(f"“{name}” ({count})" for name, count in counts)


def holding(row: Mapping) -> str:
    """The cause that a case counts for: of one that fails with all its evidence handed over too, what fails
    then, as no retrieval would mend it."""
    if row["blamed"] != BOTH:
        return str(row["blamed"])
    return DECLINING if row.get("why") == GIVEN_DECLINED else GENERATOR


def _handed(rows: Sequence[Mapping]) -> str:
    """How many of these cases fail with all their evidence handed over, as a sentence; "" of none."""
    k = sum(row["blamed"] == BOTH for row in rows)
    which = "They" if k == len(rows) else f"Those {k}"
    return f" {which} missed evidence, and handed all of it still fail: retrieval mends none." if k else ""


def find_symptom(
    failing: Sequence[str], playbook: pd.DataFrame | None, asked: Collection[str]
) -> Mapping | None:
    """The row of the playbook whose cases are most like those of the finding, None where fewer than half of
    both together are shared; only cases of the test set (`asked`) are compared, which the playbook knows."""
    own = set(failing) & set(asked)
    rows = playbook.to_dict("records") if playbook is not None and own else []
    shares = [(_shared(own, set(row["case_ids"])), place) for place, row in enumerate(rows)]
    share, place = max(shares, default=(0.0, 0))
    return rows[place] if share >= ALIKE else None


def is_before_answers(metric: str) -> bool:
    """Whether a metric looks at what was retrieved, not at the answer."""
    return metric in METRICS and "answer" not in METRICS[metric].needs


def _why_none(failing: Sequence[str], metric: str) -> str:
    if is_before_answers(metric):
        return BEFORE_ANSWERS
    return (
        f"None of the {len(failing)} cases listed was diagnosed." if failing else "No single case shows it."
    )


def _undiagnosed(failing: Sequence[str], own: Sequence[Mapping]) -> str:
    left = len(failing) - len(own)
    return f"; {left} not diagnosed" if left else ""


def _passages(rows: Sequence[Mapping]) -> str:
    """Of how many cases which reference passages were retrieved; and the rules that decided."""
    which = Counter(row.get("gold_retrieved", GOLD_RETRIEVED[-1]) for row in rows)
    known = (
        zip(GOLD_RETRIEVED, PASSAGES, strict=True)
        if len(rows) > 1 and which[GOLD_RETRIEVED[-1]] < len(rows)
        else ()
    )
    told = ", ".join(f"{name} {which[key]}" for key, name in known if which[key])
    whys = Counter(row["why"] for row in rows).most_common()
    other = sum(count for _, count in whys[MOST_RULES:])
    why = [f"{reason} ({count})" for reason, count in whys[:MOST_RULES]]
    why += [f"by other rules ({other})"] if other else []
    return f"{f'Of these: {told}. ' if told else ''}Decided by: {'; '.join(why)}."


def is_shown(source: str, guardrails: str = "") -> bool:
    """Whether the test or the engagement's record shows the cause by itself."""
    return _unguarded(source, guardrails) or bool(_texts(source, "cause"))


def _unguarded(source: str, guardrails: str) -> bool:
    return source.startswith(MISUSE) and guardrails.strip().lower().startswith("none")


def would_establish(source: str) -> str:
    """What would establish the cause, as it stands after "by"."""
    return _texts(source, "would_establish")["would_establish"]


def _would(source: str) -> str:
    return f"It would be established by {would_establish(source)}."


def _texts(source: str, field: str) -> Mapping[str, str]:
    """The row with this field that speaks of what raised a finding, the most special one; empty if none."""
    told = [row for row in _read() if row[field] and source.startswith(row["of"])]
    return max(told, key=lambda row: len(row["of"]), default={})


@lru_cache(maxsize=1)
def _read() -> tuple[Mapping[str, str], ...]:
    path = resources.files("ragassay.decision.findings").joinpath("cause_texts.csv")
    return tuple(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _shared(these: set[str], those: set[str]) -> float:
    return len(these & those) / len(these | those)
