"""What the raters' labels are worth, in one place: who gave them, to how many answers, how far they agree,
whether they are independent, and which conclusions rest on them."""

from collections.abc import Iterable, Mapping

import pandas as pd

from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings.error_findings import FROM_ERRORS
from ragassay.decision.findings.finding_texts import FROM_GATE, FROM_WEAKNESS
from ragassay.decision.findings.suspected_errors import UNCONFIRMED
from ragassay.decision.gates.gate_grammar import rated_by_people
from ragassay.decision.gates.gates import worst_rows
from ragassay.decision.independence import NO, UNSTATED, YES, Independence
from ragassay.scores import METRICS
from ragassay.scores.display_names import display_name, level_name

FILE = "agreement.json"
COLUMNS = ["asked of the labels", "answer"]
INDEPENDENT = {
    YES: "Yes, by the engagement's own word.",
    NO: "No, by the engagement's own word: their agreement says less, and which way they lean is not "
    "known. The requirements are held against their labels; others' labels are needed to confirm what they "
    "call met, and what they call missed.",
    UNSTATED: "Not stated: others' labels are needed to confirm what they call met, and what they call "
    "missed.",
}
HEADINGS = {
    YES: "The raters are independent: what their labels are worth",
    NO: "The raters are not independent: what their labels are worth",
    UNSTATED: "Whether the raters are independent is not stated: what their labels are worth",
}
ALSO = (
    "the categories of the answers rated ([chapter](#quality)); what the calibrated rule is worth "
    "([chapter](#instruments)); the conditions of use"
)
NOTHING = "none"
MARKS = frozenset(("answerable", "reference_chunk_ids", "reference_answer"))
MARKED = (
    " Of these {gates} rest on reference passages and marks of answerability that, for own questions, the "
    "validator wrote, {known}."
)
KNOWN = {NO: "who is not independent", UNSTATED: "whose independence is not stated"}
CARRIED = (
    "A label counts for an answer of the same words, whenever that was asked: an answer of this run that is "
    "younger than its label has that of an earlier answer in identical words."
)
UNSTATED_MEANING = "Not stated: the words of the raters' guide on each dimension were not given."


def worth(
    raters: Mapping,
    labels: pd.DataFrame,
    cases: pd.DataFrame,
    *,
    agreement: Mapping[str, str],
    standing: Independence,
    gates: pd.DataFrame,
    findings: pd.DataFrame,
    made: str,
) -> pd.DataFrame:
    """The questions that a reader has of the labels, answered: a row each (COLUMNS); none without labels.

    raters : of notebook 04: who they are (`raters`), labels set `aside`; labels : of the system, with
        case_id and rater; cases : with origin; agreement : dimension -> Krippendorff's alpha, in words;
        made : when the labels were made, in words
    """
    if labels.empty:
        return pd.DataFrame(columns=COLUMNS)
    resting, apart = _parted(findings)
    on, off = _gates(gates)
    rows = {
        "Who rated": f"{raters['raters']}.",
        "What a label means": meanings_in_words(raters.get("meanings") or {}),
        "How many answers": _counts(labels, cases, int(raters.get("aside") or 0)),
        "When": f"{made[:1].upper()}{made[1:]}. {CARRIED}",
        "How far two raters agree": _agreement(agreement),
        "Independent": INDEPENDENT[standing.raters or UNSTATED],
        "What rests on them": f"Gates: {on}. Findings, in whole or in part: {resting}. Also {ALSO}.",
        "What does not": f"Gates: {off}. Findings: {apart}.{_marked(gates, standing)}",
    }
    return pd.DataFrame(list(rows.items()), columns=COLUMNS)


def meanings_in_words(meanings: Mapping[str, str]) -> str:
    """What the raters' own guide says of each dimension; that nobody stated it, where nobody did."""
    told = [f"{name}: {' '.join(text.split()).rstrip('.')}" for name, text in meanings.items() if text]
    return f"By the raters' guide, {'; '.join(told)}." if told else UNSTATED_MEANING


def _counts(labels: pd.DataFrame, cases: pd.DataFrame, aside: int) -> str:
    """How many answers were read, of which origin, how many by two or more; labels of other answers."""
    raters = labels.groupby("case_id")["rater"].nunique()
    read = cases["case_id"].isin(raters.index)
    by_origin = [
        f"{int(read[rows.index].sum())} of {len(rows)} to {level_name('origin', origin)}"
        for origin, rows in cases.groupby("origin", sort=False)
    ]
    again = f"{int((raters > 1).sum())} by two raters or more, of {labels['rater'].nunique()} in all"
    left = (
        f" {aside} labels were set aside, for the assistant has answered differently since." if aside else ""
    )
    return f"{int(read.sum())} of {len(cases)}: {', '.join(by_origin)}; {again}.{left}"


def _agreement(agreement: Mapping[str, str]) -> str:
    told = "; ".join(f"{name} {text}" for name, text in agreement.items())
    return (
        f"Krippendorff's alpha: {told} ([annex](#annex-results))."
        if told
        else "Not known: no answer was read by two raters."
    )


def _gates(gates: pd.DataFrame) -> tuple[str, str]:
    """The gates that people rated, and the others, each once."""
    rows = worst_rows(gates).to_dict("records")
    rated = [display_name(row["gate"]) for row in rows if rated_by_people(row["metric"])]
    others = [display_name(row["gate"]) for row in rows if not rated_by_people(row["metric"])]
    return _listed(rated), _listed(others)


def _marked(gates: pd.DataFrame, standing: Independence) -> str:
    """Which gates rest on what the validator wrote of each question, where nobody says that this person is
    independent; "" where they are, or none does."""
    marked = [row["gate"] for row in worst_rows(gates).to_dict("records") if _is_marked(row["metric"])]
    if standing.validator == YES or not marked:
        return ""
    return MARKED.format(
        gates=_listed(map(display_name, marked)), known=KNOWN[standing.validator or UNSTATED]
    )


def _is_marked(metric: str) -> bool:
    """Whether a metric needs a mark of each question: whether it has an answer, or where."""
    needs = METRICS[metric].needs if metric in METRICS else ()
    return not rated_by_people(metric) and not MARKS.isdisjoint(needs)


def _parted(findings: pd.DataFrame) -> tuple[str, str]:
    """The numbers of open findings that rest on labels, and of those that do not."""
    rows = findings[findings["status"] == "open"].to_dict("records")
    resting = [row["finding_id"] for row in rows if _is_confirmed(row) and any(map(_is_rated, sources(row)))]
    return _listed(resting), _listed(row["finding_id"] for row in rows if row["finding_id"] not in resting)


def _is_confirmed(finding: Mapping) -> bool:
    return not str(finding["title"]).endswith(UNCONFIRMED)


def _is_rated(source: str) -> bool:
    """Whether what raised a finding was judged by raters."""
    kind, _, about = source.partition(":")
    if f"{kind}:" == FROM_ERRORS:
        return True
    return f"{kind}:" in (FROM_GATE, FROM_WEAKNESS) and rated_by_people(about.partition("|")[0])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or NOTHING
