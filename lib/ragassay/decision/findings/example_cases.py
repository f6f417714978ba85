"""The case that a finding is shown by: which one, and its question, answer and remark; personal data is
masked."""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ragassay.analysis.error_taxonomy import GOOD, NOT_JUDGED
from ragassay.cases.prohibited_uses import MISUSE
from ragassay.decision.closing.earlier_findings import sources
from ragassay.decision.findings.finding_texts import FROM_CHECK
from ragassay.decision.findings.shortened_text import shortened
from ragassay.scores.personal_data.masking import mask_answers
from ragassay.scores.text_reading import word_comparison
from ragassay.tables import is_blank

FROM_MISUSE = f"{FROM_CHECK}misuse|"
ALIKE = 0.5  # share of the words of both that a question and a probe of a subject have in common
MOST_SIGNS = 360  # of a question, an answer or a remark that is shown
FIELDS = ("shown_question", "shown_answer", "shown_remark")


GRAVEST_FAMILIES = (  # of probes of misuse, by what comes of an answer
    "fraud and false statements",
    "decision about a customer",
    "own account",
    "medical and insurance advice",
)


def choose(
    findings: Sequence[Sequence[str]],
    worst: pd.DataFrame | None,
    family: Mapping[str, str] | None = None,
    subject: Mapping[str, int] | None = None,
    by_measure: Collection[int] = (),
    suffered: Collection[str] = (),
) -> list[str]:
    """The case that shows each finding, given the cases that its title counts: the first by the ranking of
    worst answers (class of harm, raters' word, the machine's confidence); of probes, which are not ranked,
    the first of the gravest family; else the first. One that no other finding owns, where there is such; one
    that shows no graver finding already, where there is such. Empty without cases.

    family : case -> the family of a probe; subject : of `subjects`. A case belongs to the finding on its
        subject, else to the gravest one that counts it
    by_measure : places of findings whose measure looks at no answer: the ranking of answers says nothing of
        their cases, which stand in the order of the measure; the first whose answer suffered, whatever
        finding owns it, where there is such
    suffered : the cases whose answer raters or the instruments reject, a needless refusal among them
    """
    owner = {case: place for place, failing in reversed([*enumerate(findings)]) for case in failing}
    owner |= subject or {}
    ranked = [] if worst is None else worst.sort_values("rank")["case_id"].tolist()
    taken: set[str] = set()
    chosen = []
    for place, failing in enumerate(findings):
        known = set(failing)
        probes = sorted(failing, key=lambda case: _gravity((family or {}).get(case, "")))
        order = probes if place in by_measure else [*(case for case in ranked if case in known), *probes]
        harmed = [each for each in order if each in suffered] if place in by_measure else []
        free = [each for each in harmed or order if each not in taken]
        owned = (each for each in free if owner[each] == place)
        case = next(owned, next(iter([*free, *harmed, *order]), ""))
        chosen.append(case)
        taken.add(case)
    return chosen


def subjects(findings: Sequence[Mapping], cases: pd.DataFrame | None) -> dict[str, int]:
    """Case -> the place of the finding on requests outside the permitted use: of ordinary questions that
    findings count in the words of such a request. Empty without that finding.

    findings : with `source`, `also`, and `failing` or `case_ids`; cases : case_id, question, kind
    """
    places = [place for place, row in enumerate(findings) if any(map(_is_misuse, sources(row)))]
    if cases is None or not places or not {"question", "kind"} <= set(cases):
        return {}
    misuse = cases["kind"] == MISUSE
    probes = [_content(str(question)) for question in cases.loc[misuse, "question"]]
    counted = {case for row in findings for case in row.get("failing") or row["case_ids"]}
    ordinary = cases[~misuse & cases["case_id"].isin(counted)]
    return {
        case: places[0]
        for case, question in zip(ordinary["case_id"], ordinary["question"], strict=True)
        if _is_like(_content(str(question)), probes)
    }


def _is_misuse(source: str) -> bool:
    return source.startswith(FROM_MISUSE)


def _is_like(words: set[str], probes: Sequence[set[str]]) -> bool:
    return any(words and len(words & each) >= ALIKE * len(words | each) for each in probes)


def _content(question: str) -> set[str]:
    return {word.stem for word in word_comparison.words(question) if word.content}


def families(cases: pd.DataFrame | None) -> dict[str, str]:
    """Case -> its family, of probes."""
    if cases is None or "family" not in cases:
        return {}
    rows = cases[~cases["family"].map(is_blank).astype(bool)]
    return dict(zip(rows["case_id"], rows["family"], strict=True))


def rejected(taxonomy: pd.DataFrame | None) -> frozenset[str]:
    """The cases whose answer is neither good nor not judged, by the table taxonomy."""
    if taxonomy is None or taxonomy.empty:
        return frozenset()
    return frozenset(taxonomy.loc[~taxonomy["category"].isin([GOOD, NOT_JUDGED]), "case_id"])


def came_right(taxonomy: pd.DataFrame | None) -> frozenset[str]:
    """The cases whose answer is good, by the table taxonomy."""
    if taxonomy is None or taxonomy.empty:
        return frozenset()
    return frozenset(taxonomy.loc[taxonomy["category"] == GOOD, "case_id"])


def harm_of(worst: pd.DataFrame | None) -> dict[str, str]:
    """Case -> its class of harm, of the worst answers."""
    if worst is None or "harm" not in worst:
        return {}
    return dict(zip(worst["case_id"], worst["harm"], strict=True))


def _gravity(family: str) -> int:
    return GRAVEST_FAMILIES.index(family) if family in GRAVEST_FAMILIES else len(GRAVEST_FAMILIES)


def with_texts(
    findings: pd.DataFrame,
    answers: pd.DataFrame | None,
    cases: pd.DataFrame | None,
    worst: pd.DataFrame | None,
) -> pd.DataFrame:
    """The findings with the words of the case shown; empty where its answer is not among these.

    answers : of one system; the first of each case is shown
    """
    chosen = set(findings["shown_case"]) - {""}
    known = {**_of_answers(answers, cases, chosen), **_of_worst(worst, chosen)}
    nothing = dict.fromkeys(FIELDS, "")
    texts = [known.get(case, nothing) for case in findings["shown_case"]]
    return findings.assign(**{name: [text[name] for text in texts] for name in FIELDS})


def _of_worst(worst: pd.DataFrame | None, chosen: set[str]) -> dict[str, dict[str, str]]:
    rows = [] if worst is None else worst[worst["case_id"].isin(chosen)].to_dict("records")
    return {row["case_id"]: _texts(row, row.get("remark")) for row in reversed(rows)}


def _of_answers(
    answers: pd.DataFrame | None, cases: pd.DataFrame | None, chosen: set[str]
) -> dict[str, dict[str, str]]:
    if answers is None or not chosen:
        return {}
    rows = answers[answers["case_id"].isin(chosen)].drop_duplicates("case_id")
    return {row["case_id"]: _texts(row, "") for row in mask_answers(rows, cases).to_dict("records")}


def _texts(row: Mapping, remark: object) -> dict[str, str]:
    texts = (row["question"], row["answer"], remark)
    shown = ("" if is_blank(text) else shortened(str(text), MOST_SIGNS) for text in texts)
    return dict(zip(FIELDS, shown, strict=True))
